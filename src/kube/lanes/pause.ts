import type { Clock } from "../../base/clock.ts";

/** A span of time in which nothing leaves, and how long all such spans have lasted. */
export class Pause {
  readonly #clock: Clock;
  #until = -Infinity;
  /** All spans up to their ends. */
  #totalMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The monotonic time at which the last span ends, or ended; -Infinity where there was none. */
  get until(): number {
    return this.#until;
  }

  /** How long all spans have lasted until now; where two overlap, the time counts once. */
  get lastedMs(): number {
    return this.#totalMs - this.#leftMs;
  }

  get #leftMs(): number {
    return Math.max(0, this.#until - this.#clock.monotonic());
  }

  /** Goes on for `delayMs` at least. */
  extend(delayMs: number): void {
    this.#totalMs += Math.max(0, delayMs - this.#leftMs);
    this.#until = Math.max(this.#until, this.#clock.monotonic() + delayMs);
  }

  end(): void {
    this.#totalMs -= this.#leftMs;
    this.#until = Math.min(this.#until, this.#clock.monotonic());
  }
}
