import { anchoredFrom, floats } from "../anchored_from.ts";
import { DerivedSchedule } from "../derived_schedule.ts";
import { type EpochMs, FIRST_INSTANT, LAST_INSTANT } from "../../base/epoch_ms.ts";
import type { Schedule } from "../schedule.ts";
import { DAY_MS } from "../month.ts";
import { countOutside, countsByDay } from "./count_outside.ts";
import type { ExcludedTimes } from "./excluded_times.ts";
import type { OnExcluded } from "./exclusion.ts";
import type { Span } from "./span.ts";

/** After so many excluded stretches in a row they are no longer looked at one by one. */
const STEPS = 100;
/** So long a search goes on after that: ten years, or about so many stretches where they are counted one by one. */
const LONGEST_SEARCH_MS = 10 * 366 * DAY_MS;
const COUNTED_STRETCHES = 40_000;

/**
 * A schedule without the times that are excluded. Under `RunAfter` the end of an excluded stretch that held a time is one;
 * a time that is there anyway is not there twice.
 */
export class ExcludingSchedule extends DerivedSchedule implements Schedule {
  readonly #excluded: ExcludedTimes;
  readonly #onExcluded: OnExcluded;
  /** Searched from there, nothing was found. */
  #emptyAfter: Span | undefined;
  #emptyBefore: Span | undefined;

  constructor(base: Schedule, excluded: ExcludedTimes, onExcluded: OnExcluded) {
    super(base);
    this.#excluded = excluded;
    this.#onExcluded = onExcluded;
  }

  /** The excluded stretches that hold an instant of `[from, to)`, as far as they lie in it. */
  stretches(from: EpochMs, to: EpochMs): Iterable<Span> {
    return this.#excluded.stretches(from, to);
  }

  next(after: EpochMs): EpochMs | undefined {
    if (this.#onExcluded === "RunAfter" && !floats(this.base)) {
      const end = this.#excluded.endAt(after);
      if (end !== undefined && this.#holdsTime(after)) return existing(end);
    }
    let steps = 0;
    for (let time = this.base.next(after); time !== undefined;) {
      const end = this.#excluded.endAt(time);
      if (end === undefined) return time;
      if (this.#onExcluded === "RunAfter" || end > LAST_INSTANT) return existing(end);
      if (++steps > STEPS) return this.#farNext(time);
      time = this.base.next(end - 1);
    }
    return undefined;
  }

  previous(before: EpochMs): EpochMs | undefined {
    let steps = 0;
    for (let time = this.base.previous(before); time !== undefined;) {
      const end = this.#excluded.endAt(time);
      if (end === undefined || (this.#onExcluded === "RunAfter" && end < before)) return end ?? time;
      const start = this.#excluded.startAt(time)!;
      if (start === -Infinity) return undefined;
      if (++steps > STEPS) return this.#farPrevious(time);
      time = this.base.previous(start);
    }
    return undefined;
  }

  /** Where many times in a row are excluded one by one, whole stretches are counted until one holds a time that is not. */
  #farNext(after: EpochMs): EpochMs | undefined {
    const horizon = after + this.#horizonFrom(after);
    if (this.#emptyAfter && this.#emptyAfter.start <= after && after < this.#emptyAfter.end) return undefined;
    for (let from = after, length = DAY_MS; from < horizon; from += length, length *= 2) {
      let to = Math.min(from + length, horizon);
      if (this.count(from, to) === 0) continue;
      let empty = from;
      while (to - empty > 1_000) {
        const middle = Math.floor((empty + to) / 2);
        if (this.count(empty, middle) > 0) to = middle;
        else empty = middle;
      }
      return this.base.next(empty);
    }
    this.#emptyAfter = { start: after, end: after + DAY_MS };
    return undefined;
  }

  #farPrevious(before: EpochMs): EpochMs | undefined {
    const horizon = before - this.#horizonFrom(before);
    if (this.#emptyBefore && this.#emptyBefore.start < before && before <= this.#emptyBefore.end) return undefined;
    for (let to = before - 1, length = DAY_MS; to > horizon; to -= length, length *= 2) {
      let from = Math.max(to - length, horizon);
      if (this.count(from, to) === 0) continue;
      let empty = to;
      while (empty - from > 1_000) {
        const middle = Math.floor((empty + from) / 2);
        if (this.count(middle, empty) > 0) from = middle;
        else empty = middle;
      }
      return this.base.previous(empty + 1);
    }
    this.#emptyBefore = { start: before - DAY_MS, end: before };
    return undefined;
  }

  /** Where stretches are counted one by one, fewer days if these have many. */
  #horizonFrom(instant: EpochMs): number {
    if (countsByDay(this.base, this.#excluded)) return LONGEST_SEARCH_MS;
    const aDay = [...this.#excluded.stretches(instant, instant + DAY_MS)].length;
    return Math.min(LONGEST_SEARCH_MS, COUNTED_STRETCHES / Math.max(1, aDay) * DAY_MS);
  }

  *between(from: EpochMs, to: EpochMs): Generator<EpochMs> {
    const grid = anchoredFrom(this, from);
    for (let time = grid.next(from); time !== undefined && time <= to; time = grid.next(time)) yield time;
  }

  count(from: EpochMs, to: EpochMs): number {
    const countsEnds = this.#onExcluded === "RunAfter";
    return countOutside(anchoredFrom(this.base, from), this.#excluded, { from, to, countsEnds });
  }

  anchoredAt(anchor: EpochMs): Schedule {
    const base = this.base.anchoredAt(anchor);
    return base === this.base ? this : new ExcludingSchedule(base, this.#excluded, this.#onExcluded);
  }

  /** Whether the excluded stretch around this instant holds a time of the base. */
  #holdsTime(instant: EpochMs): boolean {
    const start = Math.max(this.#excluded.startAt(instant)!, FIRST_INSTANT);
    const time = this.base.next(start - 1);
    return time !== undefined && time < this.#excluded.endAt(instant)!;
  }
}

const known = new WeakMap<ExcludedTimes, WeakMap<Schedule, Map<OnExcluded, ExcludingSchedule>>>();

/**
 * Returns the schedule without the excluded times: one object for each, as what it has searched in vain is worth
 * remembering.
 */
export function without(schedule: Schedule, excluded: ExcludedTimes, onExcluded: OnExcluded): ExcludingSchedule {
  return known.getOrInsertComputed(excluded, () => new WeakMap())
    .getOrInsertComputed(schedule, () => new Map())
    .getOrInsertComputed(onExcluded, () => new ExcludingSchedule(schedule, excluded, onExcluded));
}

function existing(time: EpochMs): EpochMs | undefined {
  return time <= LAST_INSTANT ? time : undefined;
}
