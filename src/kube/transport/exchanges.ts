import type { Clock } from "../../base/clock.ts";
import type { Pool } from "./connections.ts";

export interface ExchangesOptions {
  clock: Clock;
  /** Ends the timer when the client is closed. */
  closed: AbortSignal;
  /** How long an answer may take, its body included. */
  timeoutMs: number;
  /** How long a stream may stay silent before it is ended with an error. */
  watchIdleMs: number;
  /** Sends a small request. Rejects if nothing answers. */
  probe(signal: AbortSignal): Promise<void>;
  /** The connections of this pool may be dead. */
  abandon(pool: Pool): void;
}

/** How long no request may be answered while streams are open: then a small one finds out whether the connections work. */
const SILENCE_MS = 30_000;
/** For how long that request waits. */
const PROBE_MS = 10_000;
/** A request that its caller ends after so long without an answer is as bad a sign as one that timed out. */
const SIGN_MS = 5_000;
const SWEEP_MS = 1_000;

type End = "timed out" | "abandoned";

/**
 * Exchanges that are under way and end together: a stream, or all requests that began within the same second under the
 * same signal of their callers. One abort controller and one listener serve them all, because each costs as much as a
 * third of a request.
 */
export class Exchange {
  readonly #abort = new AbortController();
  readonly pool: Pool;
  readonly begunAt: number;
  deadline: number;
  /** Requests that still have no answer, or whose answer is being read. */
  members = 1;
  /** When a stream last gave bytes. Undefined for all else. */
  lastBytesAt: number | undefined;
  end: End | undefined;
  /** Stops listening to the callers' signal. */
  readonly unlisten: () => void;
  /** Waiters for a part of it. */
  readonly #waiting = new Set<(reason: unknown) => void>();

  constructor(
    { pool, now, deadline, signal, onCallerAbort }: {
      pool: Pool;
      now: number;
      deadline: number;
      signal: AbortSignal | undefined;
      onCallerAbort: (exchange: Exchange) => void;
    },
  ) {
    this.pool = pool;
    this.begunAt = now;
    this.deadline = deadline;
    const abort = () => {
      onCallerAbort(this);
      this.abort(signal!.reason);
    };
    signal?.addEventListener("abort", abort, { once: true });
    this.unlisten = () => signal?.removeEventListener("abort", abort);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  abort(reason: unknown, end?: End): void {
    this.end ??= end;
    this.#abort.abort(reason);
    for (const reject of this.#waiting) reject(reason);
    this.#waiting.clear();
  }

  /** Settles as `part` does, or rejects as soon as this is aborted: an aborted `fetch` sometimes leaves its body pending. */
  until<R>(part: Promise<R>): Promise<R> {
    if (this.signal.aborted) {
      part.catch(() => {/* its caller has left */});
      return Promise.reject(this.signal.reason);
    }
    return new Promise((resolve, reject) => {
      this.#waiting.add(reject);
      part.then(
        (result) => {
          this.#waiting.delete(reject);
          resolve(result);
        },
        (error) => {
          this.#waiting.delete(reject);
          reject(error);
        },
      );
    });
  }
}

/**
 * Watches over what is under way, with one timer for all.
 *
 * A connection can be dead without a sign (a lost route, a forgotten NAT entry): nothing comes, and nothing fails. A request
 * without an answer shows it; where none is answered for {@linkcode SILENCE_MS}, a probe is sent. It leaves an idle
 * connection behind on which the next one meets the same fate as the streams. After such a sign no request uses the same pool
 * any more, and each stream that has been silent since that request began ends, for its reader to open it anew. A stream
 * works again 45 s after the break at the latest; one that broke before the first probe, after `watchIdleMs`.
 */
export class Exchanges {
  readonly #options: ExchangesOptions;
  readonly #clock: Clock;
  readonly #open = new Set<Exchange>();
  /** The requests of the last second, which others may still join: by their callers' signal, and those without one. */
  readonly #latest = new WeakMap<AbortSignal, Exchange>();
  #latestAlone: Exchange | undefined;
  #lastAnswerAt: number;
  #nextProbeAt = -Infinity;
  #probe: { readonly begunAt: number; readonly abort: AbortController } | undefined;
  #sweeping = false;

  constructor(options: ExchangesOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#lastAnswerAt = this.#clock.monotonic();
  }

  /** A request begins. Its caller owes a {@linkcode leave}. */
  join(pool: Pool, signal: AbortSignal | undefined): Exchange {
    const now = this.#clock.monotonic();
    const latest = signal ? this.#latest.get(signal) : this.#latestAlone;
    if (latest?.pool === pool && now - latest.begunAt < SWEEP_MS && !latest.signal.aborted) {
      latest.members++;
      return latest;
    }
    // The last one to join has the whole time as well.
    const exchange = this.#begin(pool, signal, SWEEP_MS + this.#options.timeoutMs);
    if (signal) this.#latest.set(signal, exchange);
    else this.#latestAlone = exchange;
    return exchange;
  }

  /** A stream begins. Its caller owes a {@linkcode close}. */
  stream(pool: Pool, signal: AbortSignal | undefined): Exchange {
    return this.#begin(pool, signal, this.#options.timeoutMs);
  }

  /** The request is over. What others began with it goes on. */
  leave(exchange: Exchange): void {
    exchange.members--;
  }

  /** The stream is over, or left to its caller, who then ends it by its own signal. */
  close(exchange: Exchange, { leftToCaller = false } = {}): void {
    if (!leftToCaller) exchange.unlisten();
    this.#open.delete(exchange);
  }

  /** The server has answered a request. */
  answered(): void {
    this.#lastAnswerAt = this.#clock.monotonic();
  }

  /** Bytes of a stream came. */
  touch(stream: Exchange): void {
    const now = this.#clock.monotonic();
    stream.lastBytesAt = now;
    stream.deadline = now + this.#options.watchIdleMs;
  }

  abortAll(reason: unknown): void {
    for (const exchange of this.#open) {
      exchange.unlisten();
      exchange.abort(reason);
    }
    this.#open.clear();
  }

  #begin(pool: Pool, signal: AbortSignal | undefined, timeoutMs: number): Exchange {
    const now = this.#clock.monotonic();
    const onCallerAbort = (exchange: Exchange) => {
      const isUnanswered = exchange.members > 0 && exchange.lastBytesAt === undefined;
      if (isUnanswered && this.#clock.monotonic() - now >= SIGN_MS) this.#suspect(pool, now);
    };
    const exchange = new Exchange({ pool, now, deadline: now + timeoutMs, signal, onCallerAbort });
    this.#open.add(exchange);
    if (!this.#sweeping) this.#sweep();
    return exchange;
  }

  /** Runs only while something is under way. */
  async #sweep(): Promise<void> {
    this.#sweeping = true;
    try {
      while (this.#open.size > 0) {
        await this.#clock.sleep(SWEEP_MS, this.#options.closed);
        this.#check(this.#clock.monotonic());
      }
    } catch {
      // The client was closed.
    } finally {
      this.#sweeping = false;
    }
  }

  #check(now: number): void {
    let hasStream = false;
    for (const exchange of this.#open) {
      if (exchange.members === 0) {
        if (now - exchange.begunAt >= SWEEP_MS) this.close(exchange);
      } else if (exchange.deadline <= now) {
        exchange.abort(new DOMException("Timed out", "TimeoutError"), "timed out");
        if (exchange.lastBytesAt === undefined) this.#suspect(exchange.pool, exchange.begunAt);
        this.close(exchange);
      } else if (exchange.lastBytesAt !== undefined) {
        hasStream = true;
      }
    }
    if (this.#probe) {
      if (now - this.#probe.begunAt >= PROBE_MS) this.#probe.abort.abort(new DOMException("Timed out", "TimeoutError"));
    } else if (hasStream && now - this.#lastAnswerAt >= SILENCE_MS && now >= this.#nextProbeAt) {
      this.#sendProbe(now);
    }
  }

  async #sendProbe(now: number): Promise<void> {
    const abort = new AbortController();
    this.#nextProbeAt = now + SILENCE_MS;
    this.#probe = { begunAt: now, abort };
    try {
      await this.#options.probe(abort.signal);
    } catch {
      // That it has no answer counts where it is ended: see SIGN_MS. One that fails at once says nothing of other connections.
    } finally {
      this.#probe = undefined;
    }
  }

  /** A request sent at `since` got no answer: what else is silent since then is likely to be dead as well. */
  #suspect(pool: Pool, since: number): void {
    this.#options.abandon(pool);
    for (const exchange of this.#open) {
      if (exchange.lastBytesAt === undefined || exchange.lastBytesAt >= since) continue;
      exchange.abort(new DOMException("Its connection may be dead", "AbortError"), "abandoned");
      this.close(exchange);
    }
  }
}
