import type { Clock } from "../runtime/clock.ts";
import type { Lane } from "./client.ts";

/** Every lane, the most urgent first. */
export const LANES: readonly Lane[] = ["lease", "run", "status", "read", "housekeeping", "event"];

/**
 * How far the whole client may already be loaded (as a share of what may be in flight) when a request of a lane starts.
 * What is left over is room that a more urgent lane finds free at once, however much work the lower lanes have.
 */
const LOAD_LIMIT: Record<Lane, number> = {
  lease: Infinity,
  run: 1,
  status: 0.75,
  read: 0.75,
  housekeeping: 0.5,
  event: 0.25,
};

/** After waiting this long, a lane that has nothing in flight gets the next free place: no lane is starved for ever. */
export const STARVING_MS = 5_000;

export interface RequestLanesOptions {
  clock: Clock;
  /** @default {64} */
  maxInFlight?: number;
  /** Requests a second over all lanes but that of leases, in the long run. @default none */
  qps?: number;
  /** Requests that may leave at once before `qps` holds. @default {2 * qps} */
  burst?: number;
}

interface Waiter {
  readonly since: number;
  readonly start: () => void;
  readonly giveUp: (reason: unknown) => void;
}

/**
 * Decides which request leaves next. At most `maxInFlight` are on their way; among those that wait, the most urgent lane
 * goes first, and within a lane the oldest.
 *
 * Leases wait for neither: they are few, and who renews late stops leading just when there is much to do.
 */
export class RequestLanes {
  readonly #clock: Clock;
  readonly #maxInFlight: number;
  readonly #waiting = perLane(() => new Set<Waiter>());
  readonly #inFlight = perLane(() => 0);
  /** Monotonic time before which nothing of the lane leaves. */
  readonly #pausedUntil = perLane(() => 0);
  readonly #bucket: TokenBucket | undefined;
  #total = 0;
  #wakeAt = Infinity;
  #wake: AbortController | undefined;

  constructor(options: RequestLanesOptions) {
    this.#clock = options.clock;
    this.#maxInFlight = options.maxInFlight ?? 64;
    if (!(this.#maxInFlight >= 1)) {
      throw new RangeError(
        `Cannot limit requests: 'maxInFlight' must be at least 1, current value is ${this.#maxInFlight}`,
      );
    }
    if (options.qps !== undefined) {
      this.#bucket = new TokenBucket(options.qps, options.burst ?? Math.max(1, 2 * options.qps), options.clock);
    }
  }

  /** How many requests wait. */
  get waiting(): number {
    return LANES.reduce((sum, lane) => sum + this.#waiting[lane].size, 0);
  }

  get inFlight(): number {
    return this.#total;
  }

  /** Resolves when a request of this lane may leave; the caller then owes one {@linkcode release}. */
  async acquire(lane: Lane, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.#waiting[lane].size === 0 && this.#mayStart(lane) && this.#takeToken(lane)) return this.#count(lane);
    await new Promise<void>((resolve, reject) => {
      const abort = () => {
        this.#waiting[lane].delete(waiter);
        reject(signal!.reason);
      };
      const waiter: Waiter = {
        since: this.#clock.monotonic(),
        start: () => {
          signal?.removeEventListener("abort", abort);
          resolve();
        },
        giveUp: (reason) => {
          signal?.removeEventListener("abort", abort);
          reject(reason);
        },
      };
      this.#waiting[lane].add(waiter);
      signal?.addEventListener("abort", abort, { once: true });
      this.#pump();
    });
  }

  release(lane: Lane): void {
    this.#inFlight[lane]--;
    this.#total--;
    this.#pump();
  }

  /** Holds a lane back, as `Retry-After` asks. */
  pause(lane: Lane, delayMs: number): void {
    this.#pausedUntil[lane] = Math.max(this.#pausedUntil[lane], this.#clock.monotonic() + delayMs);
  }

  /** Turns away everything that waits. */
  close(reason: unknown): void {
    this.#wake?.abort();
    for (const lane of LANES) {
      for (const waiter of this.#waiting[lane]) waiter.giveUp(reason);
      this.#waiting[lane].clear();
    }
  }

  #pump(): void {
    for (;;) {
      const lane = this.#next();
      if (lane === undefined) break;
      if (!this.#takeToken(lane)) break;
      const [waiter] = this.#waiting[lane];
      this.#waiting[lane].delete(waiter);
      this.#count(lane);
      waiter.start();
    }
    this.#setTimer();
  }

  #next(): Lane | undefined {
    const now = this.#clock.monotonic();
    const hasWork = (lane: Lane) => this.#waiting[lane].size > 0 && this.#pausedUntil[lane] <= now;
    if (hasWork("lease")) return "lease";
    if (this.#total >= this.#maxInFlight) return undefined;
    let starving: { lane: Lane; since: number } | undefined;
    for (const lane of LANES) {
      if (!hasWork(lane) || this.#inFlight[lane] > 0) continue;
      const [{ since }] = this.#waiting[lane];
      if (now - since >= STARVING_MS && since < (starving?.since ?? Infinity)) starving = { lane, since };
    }
    return starving?.lane ?? LANES.find((lane) => hasWork(lane) && this.#mayStart(lane));
  }

  #mayStart(lane: Lane): boolean {
    return this.#total < Math.max(1, this.#maxInFlight * LOAD_LIMIT[lane]) &&
      this.#pausedUntil[lane] <= this.#clock.monotonic();
  }

  #takeToken(lane: Lane): boolean {
    return lane === "lease" || this.#bucket === undefined || this.#bucket.take();
  }

  #count(lane: Lane): void {
    this.#inFlight[lane]++;
    this.#total++;
  }

  /** Only a pause or the token bucket can hold requests back while nothing is in flight that would pump on its end. */
  #setTimer(): void {
    if (this.waiting === 0) return;
    const now = this.#clock.monotonic();
    let at = this.#bucket && !this.#bucket.hasToken() ? this.#bucket.nextTokenAt() : Infinity;
    for (const lane of LANES) {
      if (this.#waiting[lane].size > 0 && this.#pausedUntil[lane] > now) at = Math.min(at, this.#pausedUntil[lane]);
    }
    if (at === Infinity || at >= this.#wakeAt) return;
    this.#wake?.abort();
    const wake = this.#wake = new AbortController();
    this.#wakeAt = at;
    this.#clock.sleep(Math.max(1, at - now), wake.signal).then(() => {
      this.#wakeAt = Infinity;
      this.#pump();
    }, () => {/* replaced by an earlier one, or closed */});
  }
}

/** Fills at `rate` tokens a second up to `burst`. */
class TokenBucket {
  readonly #rate: number;
  readonly #burst: number;
  readonly #clock: Clock;
  #tokens: number;
  #at: number;

  constructor(rate: number, burst: number, clock: Clock) {
    if (!(rate > 0)) throw new RangeError(`Cannot limit requests: 'qps' must be above 0, current value is ${rate}`);
    if (!(burst >= 1)) {
      throw new RangeError(`Cannot limit requests: 'burst' must be at least 1, current value is ${burst}`);
    }
    this.#rate = rate;
    this.#burst = burst;
    this.#clock = clock;
    this.#tokens = burst;
    this.#at = clock.monotonic();
  }

  hasToken(): boolean {
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#at) * this.#rate / 1000);
    this.#at = now;
    // A hair below one is one: the sum of many small refills never quite gets there.
    return this.#tokens >= 1 - 1e-9;
  }

  take(): boolean {
    if (!this.hasToken()) return false;
    this.#tokens -= 1;
    return true;
  }

  nextTokenAt(): number {
    return this.#at + (1 - this.#tokens) * 1000 / this.#rate;
  }
}

function perLane<V>(make: () => V): Record<Lane, V> {
  return { lease: make(), run: make(), status: make(), read: make(), housekeeping: make(), event: make() };
}
