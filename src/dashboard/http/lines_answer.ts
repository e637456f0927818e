import type { Clock } from "../../base/clock.ts";
import type { Ask } from "../ask.ts";
import { RequestError } from "./answers.ts";
import type { Seats } from "./seats.ts";

/** How often the right of a reader is checked. */
const LOOK_MS = 30_000;

/** The reader of a stream takes a seat of their own, and one of the server. */
interface Reader {
  readonly visitor: Pick<Ask["visitor"], "seats" | "isStillKnown">;
  readonly workings: Pick<Ask["workings"], "clock" | "seats">;
}

/**
 * Returns a stream of lines, which ends early when its reader goes away or may read it no longer.
 *
 * @param mayReadOn whether a known reader may go on
 * @throws {RequestError} where no seat is free
 */
export function linesAnswer(
  { visitor, workings: { clock, seats } }: Reader,
  lines: (signal: AbortSignal) => AsyncGenerator<string>,
  mayReadOn: () => Promise<boolean> = () => Promise.resolve(true),
): Response {
  const over = new AbortController();
  takeSeats([visitor.seats, seats], over.signal);
  endOnceUnwelcome(async () => await visitor.isStillKnown() && await mayReadOn(), clock, over);
  const generator = lines(over.signal);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
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

/** Takes one of each until `signal` is aborted. */
function takeSeats(seats: readonly Seats[], signal: AbortSignal): void {
  const taken = seats.map((seats) => seats.take());
  const leave = () => taken.forEach((seat) => seat?.[Symbol.dispose]());
  if (taken.every((seat) => seat !== undefined)) return signal.addEventListener("abort", leave, { once: true });
  leave();
  throw new RequestError(429, "TooManyStreams", "So many pages are open already: close some");
}

/** Aborts `over` once the reader is no longer welcome. */
async function endOnceUnwelcome(isWelcome: () => Promise<boolean>, clock: Clock, over: AbortController): Promise<void> {
  while (!over.signal.aborted) {
    await clock.sleep(LOOK_MS, over.signal).catch(() => {/* it is over */});
    // An API server that does not answer says nothing against them.
    if (!over.signal.aborted && !await isWelcome().catch(() => true)) over.abort();
  }
}
