import type { Clock } from "../../base/clock.ts";

/** Lets `burst` through at once, and `perSecond` a second in the long run. */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #burst: number;
  readonly #perSecond: number;
  #tokens: number;
  #at: number;

  constructor({ clock, burst, perSecond }: { clock: Clock; burst: number; perSecond: number }) {
    this.#clock = clock;
    this.#burst = burst;
    this.#perSecond = perSecond;
    this.#tokens = burst;
    this.#at = clock.monotonic();
  }

  hasToken(): boolean {
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#at) * this.#perSecond / 1000);
    this.#at = now;
    // A hair below one is one: the sum of many small refills never quite gets there.
    return this.#tokens >= 1 - 1e-9;
  }

  /** Returns whether one more may pass now, and counts it. */
  take(): boolean {
    if (!this.hasToken()) return false;
    this.#tokens -= 1;
    return true;
  }

  nextTokenAt(): number {
    return this.#at + (1 - this.#tokens) * 1000 / this.#perSecond;
  }
}
