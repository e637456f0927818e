import { type EpochMs, LAST_INSTANT } from "../base/epoch_ms.ts";
import type { Schedule } from "./schedule.ts";

const SECOND_MS = 1_000;

/**
 * `@every D`: run k is `anchor + k * D`, with k from 1. It knows no zone and no calendar. Runs fall on whole seconds, so the
 * anchor is cut to one.
 */
export class IntervalSchedule implements Schedule {
  readonly neverRuns = false;
  readonly #anchor: EpochMs;

  constructor(readonly text: string, readonly everyMs: number, readonly timeZone: string, anchor: EpochMs = 0) {
    this.#anchor = Math.floor(anchor / SECOND_MS) * SECOND_MS;
  }

  next(after: EpochMs): EpochMs | undefined {
    const run = this.#anchor + (this.#runsUntil(after) + 1) * this.everyMs;
    return run <= LAST_INSTANT ? run : undefined;
  }

  previous(before: EpochMs): EpochMs | undefined {
    const k = Math.ceil((before - this.#anchor) / this.everyMs) - 1;
    return k >= 1 ? this.#anchor + k * this.everyMs : undefined;
  }

  *between(from: EpochMs, to: EpochMs): Generator<EpochMs> {
    for (let run = this.next(from); run !== undefined && run <= to; run = this.next(run)) yield run;
  }

  count(from: EpochMs, to: EpochMs): number {
    return from < to ? this.#runsUntil(to) - this.#runsUntil(from) : 0;
  }

  anchoredAt(anchor: EpochMs): IntervalSchedule {
    return new IntervalSchedule(this.text, this.everyMs, this.timeZone, anchor);
  }

  /** How many runs lie at or before an instant. */
  #runsUntil(instant: EpochMs): number {
    return Math.max(0, Math.floor((instant - this.#anchor) / this.everyMs));
  }
}
