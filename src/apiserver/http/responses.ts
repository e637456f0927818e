import { loggerFor } from "../../telemetry/logging.ts";
import { messageOf } from "../../telemetry/message_of.ts";
import { Refusal } from "../refusals.ts";
import { encode } from "./encode.ts";
import type { Answer } from "./exchange.ts";
import { encodingOfStatus } from "./negotiation.ts";
import { warningHeader } from "./warnings.ts";

const log = loggerFor("apiserver", "http");

/** Returns the answer to a request whose handling threw. */
export function refusalAnswer(
  error: unknown,
  request: { method?: string; url?: string },
  accept: string | undefined,
): Answer {
  if (!(error instanceof Refusal)) {
    log.error("Cannot answer a request: {error}", { method: request.method, path: request.url?.split("?")[0], error });
    error = new Refusal(500, "InternalError", `Internal error occurred: ${messageOf(error)}`);
  }
  const refusal = error as Refusal;
  const retryAfter = refusal.details?.retryAfterSeconds;
  return encode(JSON.stringify(refusal.toStatus()), { view: { encoding: encodingOfStatus(accept) } }, {
    code: refusal.code,
    ...(retryAfter === undefined ? {} : { headers: { "retry-after": String(retryAfter) } }),
  });
}

/** Returns all headers of an answer but its length. */
export function headersOf(answer: Answer, warnings: readonly string[]): Record<string, string> {
  const warning = warningHeader(warnings);
  return {
    ...answer.headers,
    ...answer.contentType !== undefined && { "content-type": answer.contentType },
    ...warning !== undefined && { warning },
    // The rest of a body that was not read would be taken for the next request.
    ...answer.code === 413 && { connection: "close" },
    // Deno would compress what it can, which takes longer than the way over loopback.
    "cache-control": "no-cache, private, no-transform",
  };
}
