import type { Clock } from "../base/clock.ts";
import { Controller, type ReconcileResult } from "../runtime/controller.ts";
import type { Runnable } from "../runtime/runnable.ts";
import { loggerFor } from "../telemetry/logging.ts";
import { withoutSecrets } from "../telemetry/redact.ts";
import { messageOf } from "../telemetry/message_of.ts";
import type { NotificationObserver } from "./channel.ts";
import { type Ping, type PingServer, pingUrl } from "./ping_address.ts";
import { AnswerError, sendOnce } from "./request.ts";

export interface PingQueueOptions {
  readonly clock: Clock;
  readonly server: PingServer;
  readonly userAgent: string;
  /** The slug of the check whose pings go before all others: whether this program is well is not to wait for its runs. */
  readonly firstSlug?: string | undefined;
  readonly observer?: NotificationObserver;
  /** @default {5_000} */
  readonly timeoutMs?: number;
}

/** How many pings are sent at a time, so that the server of the checks is not flooded. */
const IN_FLIGHT = 2;
/** How many pings may wait; of more, the oldest are dropped. */
const MOST_WAITING = 1_000;
/** The pauses between the attempts of one ping. */
const RETRY_AFTER_MS = [1_000, 4_000];
/** The shortest time between two warnings. */
const WARN_EVERY_MS = 60_000;

const logger = loggerFor("notifications");

/**
 * Sends pings, those of one check in their order, and at most {@linkcode IN_FLIGHT} at a time besides those of the first check.
 * Checks take turns, so that a check that the server does not have holds up no other. A ping that cannot be sent is dropped.
 */
export class PingQueue implements Runnable {
  readonly name = "pings";
  readonly #options: PingQueueOptions;
  readonly #controller: Controller;
  /** The oldest first. */
  readonly #waiting: Ping[] = [];
  #lost = 0;
  #warnedAt = -Infinity;

  constructor(options: PingQueueOptions) {
    this.#options = options;
    const { clock, firstSlug } = options;
    this.#controller = new Controller({
      name: this.name,
      clock,
      concurrency: IN_FLIGHT,
      isStrict: true,
      isAwaited: (slug) => slug === firstSlug,
      reconcile: (slug, _tooLate, { ending }) => this.#sendNext(slug, ending),
    });
  }

  /** Has a ping sent, after earlier ones of the same check. Never waits. */
  add(ping: Ping): void {
    if (this.#waiting.length >= MOST_WAITING) {
      this.#waiting.shift();
      this.#lose(`more than ${MOST_WAITING} wait`);
    }
    this.#waiting.push(ping);
    this.#controller.enqueue(ping.slug);
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#controller.run(signal);
  }

  async #sendNext(slug: string, signal: AbortSignal): Promise<ReconcileResult> {
    const isOfCheck = (ping: Ping) => ping.slug === slug;
    const next = this.#waiting.findIndex(isOfCheck);
    if (next < 0) return {};
    const [ping] = this.#waiting.splice(next, 1);
    await this.#send(ping!, signal);
    return { again: this.#waiting.some(isOfCheck) };
  }

  async #send(ping: Ping, signal: AbortSignal): Promise<void> {
    const { clock, server, userAgent, observer, timeoutMs } = this.#options;
    const request = { url: pingUrl(server, ping), headers: { "user-agent": userAgent } };
    for (const retryAfterMs of [...RETRY_AFTER_MS, undefined]) {
      try {
        await sendOnce(request, { clock, signal, timeoutMs });
        return observer?.notified("ping", "sent");
      } catch (error) {
        if (signal.aborted) return;
        observer?.notified("ping", "failed");
        const mayPass = !(error instanceof AnswerError) || error.mayPass;
        if (retryAfterMs === undefined || !mayPass) return this.#lose(error);
        await clock.sleep(retryAfterMs, signal).catch(() => {/* aborted: the next attempt ends at once */});
      }
    }
  }

  #lose(error: unknown): void {
    const { clock, server, observer } = this.#options;
    observer?.notified("ping", "dropped");
    this.#lost++;
    if (clock.monotonic() - this.#warnedAt < WARN_EVERY_MS) return;
    logger.warn("Cannot send pings ({count}): {error}", {
      count: this.#lost,
      error: withoutSecrets(messageOf(error), [server.key]),
    });
    this.#warnedAt = clock.monotonic();
    this.#lost = 0;
  }
}
