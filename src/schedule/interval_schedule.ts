import { type EpochMs, FIRST_INSTANT, LAST_INSTANT } from "../base/epoch_ms.ts";
import type { Schedule } from "./schedule.ts";

const SECOND_MS = 1_000;

/**
 * `@every D`: run k is `anchor + k * D`, with k from 1. It knows no zone and no calendar. Without an anchor each question
 * counts from the instant that it asks about. Runs fall on whole seconds, so the anchor is cut to one.
 */
export class IntervalSchedule implements Schedule {
  readonly neverRuns = false;
  readonly anchor: EpochMs | undefined;

  constructor(readonly text: string, readonly everyMs: number, readonly timeZone: string, anchor?: EpochMs) {
    this.anchor = anchor === undefined ? undefined : Math.floor(anchor / SECOND_MS) * SECOND_MS;
  }

  next(after: EpochMs): EpochMs | undefined {
    const anchor = this.anchor ?? Math.floor(after / SECOND_MS) * SECOND_MS;
    const run = anchor + Math.max(1, this.#runsUntil(after, anchor) + 1) * this.everyMs;
    return run <= LAST_INSTANT ? run : undefined;
  }

  previous(before: EpochMs): EpochMs | undefined {
    if (this.anchor === undefined) {
      const run = Math.ceil(before / SECOND_MS) * SECOND_MS - this.everyMs;
      return run >= FIRST_INSTANT ? run : undefined;
    }
    const k = Math.ceil((before - this.anchor) / this.everyMs) - 1;
    return k >= 1 ? this.anchor + k * this.everyMs : undefined;
  }

  *between(from: EpochMs, to: EpochMs): Generator<EpochMs> {
    const grid = this.anchor === undefined ? this.anchoredAt(from) : this;
    for (let run = grid.next(from); run !== undefined && run <= to; run = grid.next(run)) yield run;
  }

  count(from: EpochMs, to: EpochMs): number {
    if (from >= to) return 0;
    const anchor = this.anchor ?? Math.floor(from / SECOND_MS) * SECOND_MS;
    return Math.max(0, this.#runsUntil(to, anchor)) - Math.max(0, this.#runsUntil(from, anchor));
  }

  anchoredAt(anchor: EpochMs): IntervalSchedule {
    return new IntervalSchedule(this.text, this.everyMs, this.timeZone, anchor);
  }

  #runsUntil(instant: EpochMs, anchor: EpochMs): number {
    return Math.floor((instant - anchor) / this.everyMs);
  }
}
