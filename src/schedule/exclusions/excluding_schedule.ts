import { DerivedSchedule } from "../derived_schedule.ts";
import { type EpochMs, FIRST_INSTANT, LAST_INSTANT } from "../../base/epoch_ms.ts";
import { countTimes, type Schedule } from "../schedule.ts";
import { DAY_MS } from "../month.ts";
import type { ExcludedTimes } from "./excluded_times.ts";
import type { OnExcluded } from "./exclusion.ts";
import type { Span } from "./span.ts";

/** A search looks at so many excluded stretches in a row: at each minute of a month, or at each day of a century. */
const MOST_STRETCHES = 40_000;
/** Where stretches are long, as from one clock change to the next, it looks at so many, and at those of a century. */
const LONG_STRETCHES = 100;
const CENTURY_MS = 100 * 366 * DAY_MS;

/**
 * A schedule without the times that are excluded. Under `RunAfter` the end of an excluded stretch that held a time is one;
 * a time that is there anyway is not there twice.
 */
export class ExcludingSchedule extends DerivedSchedule implements Schedule {
  readonly #excluded: ExcludedTimes;
  readonly #onExcluded: OnExcluded;
  /** Searches that begin in it, or come to it, find nothing. */
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
    if (this.#onExcluded === "RunAfter") {
      const end = this.#excluded.endAt(after);
      if (end !== undefined && this.#holdsTime(after)) return existing(end);
    }
    if (isIn(this.#emptyAfter, after)) return undefined;
    let time = this.base.next(after);
    for (let stretches = 0; time !== undefined; stretches++) {
      const end = this.#excluded.endAt(time);
      if (end === undefined) return time;
      if (this.#onExcluded === "RunAfter" || end > LAST_INSTANT) return existing(end);
      const known = isIn(this.#emptyAfter, time) ? this.#emptyAfter : undefined;
      if (known || stretches === MOST_STRETCHES || (stretches >= LONG_STRETCHES && end - after > CENTURY_MS)) {
        this.#emptyAfter = { start: after, end: known?.end ?? after + DAY_MS };
        return undefined;
      }
      time = this.base.next(end - 1);
    }
    return undefined;
  }

  previous(before: EpochMs): EpochMs | undefined {
    if (isIn(this.#emptyBefore, before - 1)) return undefined;
    let time = this.base.previous(before);
    for (let stretches = 0; time !== undefined; stretches++) {
      const end = this.#excluded.endAt(time);
      if (end === undefined || (this.#onExcluded === "RunAfter" && end < before)) return end ?? time;
      const start = this.#excluded.startAt(time)!;
      if (start === -Infinity) return undefined;
      const known = isIn(this.#emptyBefore, time) ? this.#emptyBefore : undefined;
      if (known || stretches === MOST_STRETCHES) {
        this.#emptyBefore = { start: known?.start ?? before - DAY_MS, end: before };
        return undefined;
      }
      time = this.base.previous(start);
    }
    return undefined;
  }

  *between(from: EpochMs, to: EpochMs): Generator<EpochMs> {
    for (let time = this.next(from); time !== undefined && time <= to; time = this.next(time)) yield time;
  }

  count(from: EpochMs, to: EpochMs, most?: number): number {
    return countTimes(this.between(from, to), most);
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

function isIn(span: Span | undefined, instant: EpochMs): boolean {
  return span !== undefined && span.start <= instant && instant < span.end;
}
