import type { Clock } from "../base/clock.ts";

/** By less than this a wall clock may be set back unnoticed: machines that keep time are set by fractions of a second. */
const CLOCK_STEP_MS = 10_000;

/** Compares the wall clock with the monotonic clock, which cannot be set. */
export class ClockWatch {
  readonly #clock: Pick<Clock, "now" | "monotonic">;
  /** How far the wall clock is ahead of the monotonic clock, whose origin means nothing, at the last look. */
  #ahead: number;
  /** The largest lead since it was last found to be set back: small steps add up. */
  #furthestSince: number;
  /** The largest lead ever. */
  #furthest: number;

  constructor(clock: Pick<Clock, "now" | "monotonic">) {
    this.#clock = clock;
    this.#ahead = this.#furthestSince = this.#furthest = clock.now() - clock.monotonic();
  }

  /** Looks at both clocks. Returns whether the wall clock was set back since that was last found. */
  look(): boolean {
    this.#ahead = this.#clock.now() - this.#clock.monotonic();
    this.#furthest = Math.max(this.#furthest, this.#ahead);
    this.#furthestSince = Math.max(this.#furthestSince, this.#ahead);
    if (!this.#isBehind(this.#furthestSince)) return false;
    this.#furthestSince = this.#ahead;
    return true;
  }

  /** Whether the wall clock has been ahead of what it says now. */
  get wentBack(): boolean {
    return this.#isBehind(this.#furthest);
  }

  #isBehind(ahead: number): boolean {
    return ahead - this.#ahead >= CLOCK_STEP_MS;
  }
}
