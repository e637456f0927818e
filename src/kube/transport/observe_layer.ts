import type { Clock } from "../../base/clock.ts";
import { loggerFor } from "../../telemetry/logging.ts";
import type { Answer } from "../sockets/answer.ts";
import type { Call } from "./call.ts";
import type { RequestObserver, TransportRequest } from "./request.ts";

const logger = loggerFor("client");

/** Reports exchanges to metrics and the log. */
export class ObserveLayer {
  readonly #clock: Clock;
  readonly #host: string;
  readonly #observer: RequestObserver | undefined;

  constructor({ clock, host, observer }: { clock: Clock; host: string; observer: RequestObserver | undefined }) {
    this.#clock = clock;
    this.#host = host;
    this.#observer = observer;
  }

  begins(call: Call): void {
    call.startedAt = this.#clock.monotonic();
  }

  answered(call: Call, answer: Answer): void {
    this.#report(call, answer.status);
  }

  /** Called when the server has given no answer. */
  unanswered(call: Call): void {
    if (!call.isWithheld && !isWithdrawn(call.request)) this.#report(call, 0);
  }

  #report({ request, startedAt }: Call, code: number): void {
    const { verb, resource, method, action } = request;
    const durationMs = this.#clock.monotonic() - startedAt;
    if (logger.isEnabledFor("debug")) {
      logger.debug("Request: {action}: {code}", { action, code, durationMs: Math.round(durationMs) });
    }
    this.#observer?.onRequest?.({ verb, resource, method, host: this.#host, code, durationMs });
  }
}

/** Returns whether the answer is not wanted any more, as at the end or where all is listed anew: nothing is wrong then. */
function isWithdrawn({ signal }: TransportRequest): boolean {
  const reason: unknown = signal?.aborted ? signal.reason : undefined;
  return reason instanceof DOMException && reason.name === "AbortError";
}
