import type { Clock } from "../base/clock.ts";

/** How long a write may take effect after its caller has left: API servers end requests after a minute. */
const LINGERING_MS = 60_000;

/** Knows whether writes that have left may still take effect. */
export class OpenWrites {
  readonly #clock: Clock;
  #open = 0;
  #lostAt = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether no write is under way, nor one that was abandoned lately. */
  get areOver(): boolean {
    return this.#open === 0 && this.#clock.monotonic() - this.#lostAt >= LINGERING_MS;
  }

  /** Called when a write leaves. The result is called with whether it was answered. */
  begin(): (answered: boolean) => void {
    this.#open++;
    return (answered) => {
      this.#open--;
      if (!answered) this.#lostAt = this.#clock.monotonic();
    };
  }
}
