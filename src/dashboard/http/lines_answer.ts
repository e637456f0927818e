import type { Clock } from "../../base/clock.ts";
import type { Ask } from "../ask.ts";
import { RequestError } from "./answers.ts";
import type { Seats } from "./seats.ts";

/** How often is looked whether who reads a stream still may. */
const LOOK_MS = 30_000;

/** The reader of a stream takes a seat of their own, and one of all. */
interface Reader {
  readonly visitor: Pick<Ask["visitor"], "seats" | "isStillKnown">;
  readonly workings: Pick<Ask["workings"], "clock" | "seats">;
}

/**
 * Returns a stream of lines, until it ends, or its reader goes away or may read it no longer.
 *
 * @param mayReadOn whether a known reader may go on
 * @throws {RequestError} where there are as many as can be served
 */
export function linesAnswer(
  { visitor, workings: { clock, seats } }: Reader,
  lines: (signal: AbortSignal) => AsyncGenerator<string>,
  mayReadOn: () => Promise<boolean> = () => Promise.resolve(true),
): Response {
  const over = new AbortController();
  takeSeats([visitor.seats, seats], over.signal);
  const isWelcome = async () => await visitor.isStillKnown() && await mayReadOn();
  const generator = lines(over.signal);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start() {
      watchOver(isWelcome, clock, over);
    },
    async pull(controller) {
      try {
        const { done, value } = await generator.next();
        if (!done) return controller.enqueue(encoder.encode(value));
      } catch (error) {
        over.abort();
        throw error;
      }
      over.abort();
      controller.close();
    },
    async cancel() {
      over.abort();
      await generator.return(undefined);
    },
  });
  return new Response(body, { headers: { "content-type": "application/x-ndjson" } });
}

/** One of each, until `signal` is aborted. */
function takeSeats(seats: readonly Seats[], signal: AbortSignal): void {
  const taken = seats.map((seats) => seats.take());
  const leave = () => taken.forEach((seat) => seat?.[Symbol.dispose]());
  if (taken.every((seat) => seat !== undefined)) return signal.addEventListener("abort", leave, { once: true });
  leave();
  throw new RequestError(429, "TooManyStreams", "So many pages are open already: close some");
}

/** Ends what is under way for a visitor who is welcome no longer. */
async function watchOver(isWelcome: () => Promise<boolean>, clock: Clock, over: AbortController): Promise<void> {
  while (!over.signal.aborted) {
    await clock.sleep(LOOK_MS, over.signal).catch(() => {/* it is over */});
    // An API server that does not answer says nothing against them.
    if (!over.signal.aborted && !await isWelcome().catch(() => true)) over.abort();
  }
}
