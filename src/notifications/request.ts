import { Stage } from "../base/abort.ts";
import { after, type Clock } from "../base/clock.ts";
import { messageOf } from "../telemetry/message_of.ts";

/** A request to an address that the operator has set. */
export interface OutgoingRequest {
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** Absent: there is none. */
  readonly body?: string | null;
}

/** How long an answer may take. */
const TIMEOUT_MS = 5_000;

/** The answer was not of the 200s. */
export class AnswerError extends Error {
  constructor({ origin }: URL, readonly status: number) {
    const isRedirect = status >= 300 && status < 400;
    super(
      `Cannot send to ${origin}: the answer is ${status}${isRedirect ? ", a redirect, which is not followed" : ""}`,
    );
  }

  /** Whether the same request may be answered differently later. */
  get mayPass(): boolean {
    return this.status < 400 || this.status >= 500 || this.status === 408 || this.status === 429;
  }

  /** Whether the receiver refuses what the request says, and not its address or its credentials, which a person may mend. */
  get isOfContent(): boolean {
    return this.status === 400 || this.status === 413 || this.status === 422;
  }
}

/**
 * Sends a request once, and follows no redirect: it could lead anywhere.
 *
 * @throws {AnswerError} for an answer that is not of the 200s
 * @throws {Error} for none. Both name the address's origin alone: a path may be a secret.
 */
export async function sendOnce(
  { url, headers = {}, body = null }: OutgoingRequest,
  { clock, signal, timeoutMs = TIMEOUT_MS }: {
    readonly clock: Clock;
    readonly signal: AbortSignal;
    readonly timeoutMs?: number | undefined;
  },
): Promise<void> {
  using stage = new Stage(signal);
  using _timer = after(clock, timeoutMs, () => stage.abort(new Error(`no answer within ${timeoutMs / 1_000} s`)));
  let status: number;
  try {
    const response = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal: stage.signal });
    await response.body?.cancel();
    if (response.ok) return;
    status = response.status;
  } catch (error) {
    // No cause: fetch names the whole address, and not always as it was given.
    throw new Error(`Cannot send to ${url.origin}: ${messageOf(error).replaceAll(/https?:\/\/[^\s)]*/g, url.origin)}`);
  }
  throw new AnswerError(url, status);
}
