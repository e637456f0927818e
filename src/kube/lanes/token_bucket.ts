import type { Clock } from "../../runtime/clock.ts";

/** Fills at `rate` tokens a second up to `burst`. */
export class TokenBucket {
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
