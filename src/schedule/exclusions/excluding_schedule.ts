import { type EpochMs, FIRST_INSTANT, LAST_INSTANT } from "../epoch_ms.ts";
import type { Schedule } from "../schedule.ts";
import { countOutside } from "./count_outside.ts";
import type { ExcludedTimes } from "./excluded_times.ts";
import type { Span } from "./span.ts";

/** What becomes of times that are excluded: nothing, or one run at the end of each stretch that held one at least. */
export type OnExcluded = "Skip" | "RunAfter";

/** So long nothing but excluded times are followed: a hundred years. */
const LONGEST_SEARCH_MS = 100 * 366 * 86_400_000;

/**
 * A schedule without the times that are excluded. Under `RunAfter` the end of an excluded stretch that held a time is one;
 * a time that is there anyway is not there twice.
 */
export class ExcludingSchedule implements Schedule {
  readonly #base: Schedule;
  readonly #excluded: ExcludedTimes;
  readonly #onExcluded: OnExcluded;

  constructor(base: Schedule, excluded: ExcludedTimes, onExcluded: OnExcluded) {
    this.#base = base;
    this.#excluded = excluded;
    this.#onExcluded = onExcluded;
  }

  get text() {
    return this.#base.text;
  }

  get timeZone() {
    return this.#base.timeZone;
  }

  get everyMs() {
    return this.#base.everyMs;
  }

  get anchor() {
    return this.#base.anchor;
  }

  get clockChangePolicy() {
    return this.#base.clockChangePolicy;
  }

  get neverRuns() {
    return this.#base.neverRuns;
  }

  /** The schedule that nothing is left out of. */
  get base(): Schedule {
    return this.#base;
  }

  /** The excluded stretches that hold an instant of `[from, to)`, as far as they lie in it. */
  stretches(from: EpochMs, to: EpochMs): Iterable<Span> {
    return this.#excluded.stretches(from, to);
  }

  next(after: EpochMs): EpochMs | undefined {
    if (this.#onExcluded === "RunAfter" && !this.#floats) {
      const end = this.#excluded.endAt(after);
      if (end !== undefined && this.#holdsTime(after)) return existing(end);
    }
    const first = this.#base.next(after);
    for (let time = first; time !== undefined && time - first! < LONGEST_SEARCH_MS;) {
      const end = this.#excluded.endAt(time);
      if (end === undefined) return time;
      if (this.#onExcluded === "RunAfter" || end > LAST_INSTANT) return existing(end);
      time = this.#base.next(end - 1);
    }
    return undefined;
  }

  previous(before: EpochMs): EpochMs | undefined {
    const last = this.#base.previous(before);
    for (let time = last; time !== undefined && last! - time < LONGEST_SEARCH_MS;) {
      const end = this.#excluded.endAt(time);
      if (end === undefined || (this.#onExcluded === "RunAfter" && end < before)) return end ?? time;
      const start = this.#excluded.startAt(time)!;
      if (start === -Infinity) return undefined;
      time = this.#base.previous(start);
    }
    return undefined;
  }

  *between(from: EpochMs, to: EpochMs): Generator<EpochMs> {
    const grid = this.#floats ? this.anchoredAt(from) : this;
    for (let time = grid.next(from); time !== undefined && time <= to; time = grid.next(time)) yield time;
  }

  count(from: EpochMs, to: EpochMs): number {
    const grid = this.#floats ? this.#base.anchoredAt(from) : this.#base;
    return countOutside(grid, this.#excluded, { from, to, countsEnds: this.#onExcluded === "RunAfter" });
  }

  anchoredAt(anchor: EpochMs): Schedule {
    const base = this.#base.anchoredAt(anchor);
    return base === this.#base ? this : new ExcludingSchedule(base, this.#excluded, this.#onExcluded);
  }

  /** Whether the excluded stretch around this instant holds a time of the base. */
  #holdsTime(instant: EpochMs): boolean {
    const start = Math.max(this.#excluded.startAt(instant)!, FIRST_INSTANT);
    const time = this.#base.next(start - 1);
    return time !== undefined && time < this.#excluded.endAt(instant)!;
  }

  get #floats(): boolean {
    return this.#base.everyMs !== undefined && this.#base.anchor === undefined;
  }
}

function existing(time: EpochMs): EpochMs | undefined {
  return time <= LAST_INSTANT ? time : undefined;
}
