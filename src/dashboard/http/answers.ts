import { ApiError } from "../../kube/api_error.ts";
import { UnreachableError } from "../../kube/unreachable_error.ts";
import { firstLineOf } from "../../telemetry/message_of.ts";
import type { Failure } from "../wire.ts";

/** The page's request cannot be done. */
export class RequestError extends Error {
  override readonly name = "RequestError";

  constructor(readonly code: number, readonly reason: string, message: string) {
    super(message);
  }
}

/** Returns an answer that says why there is none; the page shows its message. */
export function failureAnswer({ code, reason, message }: { code: number } & Failure, headers?: HeadersInit): Response {
  return Response.json({ reason, message } satisfies Failure, { status: code, headers: headers ?? {} });
}

/** Returns what becomes of an error: refusals are passed on as they are, a fault of the program goes to the log alone. */
export function answerTo(error: unknown): Response | undefined {
  // The rest of an unfinished request would be taken for the next one.
  if (error instanceof RequestError) return failureAnswer(error, error.code === 408 ? { connection: "close" } : {});
  if (error instanceof ApiError) {
    const { code, reason } = error;
    return failureAnswer({ code: code >= 400 ? code : 502, reason, message: firstLineOf(error) });
  }
  if (error instanceof UnreachableError) {
    // Where it is is no stranger's business.
    return failureAnswer({ code: 502, reason: "Unreachable", message: "The API server gives no answer" });
  }
  return undefined;
}
