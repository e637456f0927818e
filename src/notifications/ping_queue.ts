import { onAbort } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import type { Runnable } from "../runtime/runnable.ts";
import { loggerFor } from "../telemetry/logging.ts";
import { withoutSecrets } from "../telemetry/redact.ts";
import { messageOf } from "../telemetry/message_of.ts";
import type { NotificationObserver } from "./channel.ts";
import { type PingServer, type PingSignal, pingUrl } from "./ping_address.ts";
import { AnswerError, sendOnce } from "./request.ts";

/** A signal for a check. */
export interface Ping {
  readonly slug: string;
  readonly signal: PingSignal;
  readonly runId?: string;
}

export interface PingQueueOptions {
  readonly clock: Clock;
  readonly server: PingServer;
  readonly userAgent: string;
  /** The slug of the check whose pings go before all others: whether this program is well is not to wait for its runs. */
  readonly firstSlug?: string;
  readonly observer?: NotificationObserver;
  /** @default {5_000} */
  readonly timeoutMs?: number;
}

const IN_FLIGHT = 2;
/** How many may wait; of more, those of the check whose turn is next are dropped, the oldest first. */
const MOST_WAITING = 1_000;
/** Between the attempts of one ping. */
const RETRY_AFTER_MS = [1_000, 4_000];
/** At least so long between two warnings. */
const WARN_EVERY_MS = 60_000;

const logger = loggerFor("notifications");

/**
 * Sends pings, those of one check in their order, and at most {@linkcode IN_FLIGHT} at a time. Checks take turns, so that those
 * that the server does not have hold up no others. Forgets what it cannot send.
 */
export class PingQueue implements Runnable {
  readonly name = "pings";
  readonly #options: PingQueueOptions;
  /** By slug, whose turn is next first; the pings of each oldest first. */
  readonly #waiting = new Map<string, Ping[]>();
  readonly #busy = new Set<string>();
  #count = 0;
  #wake: (() => void)[] = [];
  #lost = 0;
  #warnedAt = -Infinity;

  constructor(options: PingQueueOptions) {
    this.#options = options;
  }

  /** Has a ping sent, after those of the same check. Never waits. */
  add(ping: Ping): void {
    if (this.#count >= MOST_WAITING) this.#dropOldest();
    this.#waiting.getOrInsertComputed(ping.slug, () => []).push(ping);
    this.#count++;
    this.#awaken();
  }

  async run(signal: AbortSignal): Promise<void> {
    using _ending = onAbort(signal, () => this.#awaken());
    await Promise.all(Array.from({ length: IN_FLIGHT }, () => this.#work(signal)));
  }

  async #work(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const ping = this.#take();
      if (!ping) {
        await new Promise<void>((resolve) => this.#wake.push(resolve));
        continue;
      }
      try {
        await this.#send(ping, signal);
      } finally {
        this.#busy.delete(ping.slug);
        // More of the same check may wait.
        this.#awaken();
      }
    }
  }

  #take(): Ping | undefined {
    const slug = this.#nextSlug();
    if (slug === undefined) return undefined;
    const [ping, ...later] = this.#waiting.get(slug)!;
    // A replaced entry moves to the end.
    this.#waiting.delete(slug);
    if (later.length > 0) this.#waiting.set(slug, later);
    this.#busy.add(slug);
    this.#count--;
    return ping;
  }

  #nextSlug(): string | undefined {
    const { firstSlug } = this.#options;
    const isFree = (slug: string) => !this.#busy.has(slug);
    if (firstSlug !== undefined && this.#waiting.has(firstSlug) && isFree(firstSlug)) return firstSlug;
    return this.#waiting.keys().find(isFree);
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
        await clock.sleep(retryAfterMs, signal).catch(() => {/* it ends */});
      }
    }
  }

  #dropOldest(): void {
    const [slug, pings] = this.#waiting.entries().next().value!;
    pings.shift();
    if (pings.length === 0) this.#waiting.delete(slug);
    this.#count--;
    this.#lose(`more than ${MOST_WAITING} wait`);
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

  #awaken(): void {
    const wake = this.#wake;
    this.#wake = [];
    for (const resolve of wake) resolve();
  }
}
