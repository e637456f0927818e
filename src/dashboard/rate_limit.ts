import type { Clock } from "../runtime/clock.ts";

/** Lets a few through at once, and then so many a second. */
export class RateLimit {
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

  /** Whether one more may pass now. */
  take(): boolean {
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#at) / 1_000 * this.#perSecond);
    this.#at = now;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}
