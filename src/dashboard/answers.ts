import { ApiError } from "../kube/api_error.ts";
import { UnreachableError } from "../kube/unreachable_error.ts";
import type { Clock } from "../runtime/clock.ts";
import { messageOf } from "../telemetry/message_of.ts";
import type { Visitor } from "./visitors.ts";
import type { Failure } from "./wire.ts";

/** What the page asked for cannot be done. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly code: number;
  readonly reason: string;

  constructor(code: number, reason: string, message: string) {
    super(message);
    this.code = code;
    this.reason = reason;
  }
}

export function jsonAnswer(value: unknown, init?: ResponseInit): Response {
  return Response.json(value, init);
}

export function failureAnswer({ code, reason, message }: { code: number } & Failure, headers?: HeadersInit): Response {
  return jsonAnswer({ reason, message } satisfies Failure, { status: code, headers });
}

/** What becomes of an error: refusals are told as they are, a fault of the program is nobody's business but the log's. */
export function answerTo(error: unknown): Response | undefined {
  if (error instanceof RequestError) return failureAnswer(error);
  if (error instanceof ApiError) {
    const { code, reason } = error;
    return failureAnswer({ code: code >= 400 ? code : 502, reason, message: messageOf(error).split("\n")[0] });
  }
  if (error instanceof UnreachableError) {
    // Where it is is no stranger's business.
    return failureAnswer({ code: 502, reason: "Unreachable", message: "The API server gives no answer" });
  }
  return undefined;
}

/** How often is looked whether who reads a stream is still known. */
const KNOWN_MS = 30_000;

/** A stream of lines, until it ends, or whoever reads it goes away or is no longer known. */
export function linesAnswer(
  { visitor, clock }: { readonly visitor: Visitor; readonly clock: Clock },
  lines: (signal: AbortSignal) => AsyncGenerator<string>,
): Response {
  const over = new AbortController();
  const generator = lines(over.signal);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start() {
      watchOver(visitor, clock, over);
    },
    async pull(controller) {
      const { done, value } = await generator.next();
      if (!done) return controller.enqueue(encoder.encode(value));
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

/** Ends what is under way for somebody who is no longer known. */
async function watchOver(visitor: Visitor, clock: Clock, over: AbortController): Promise<void> {
  while (!over.signal.aborted) {
    await clock.sleep(KNOWN_MS, over.signal).catch(() => {/* it is over */});
    // An API server that does not answer says nothing against them.
    if (!over.signal.aborted && !await visitor.isStillKnown().catch(() => true)) over.abort();
  }
}
