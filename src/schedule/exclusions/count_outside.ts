import { CalendarSchedule } from "../calendar_schedule.ts";
import { DayMinutes } from "../day_minutes.ts";
import { type EpochMs, FIRST_INSTANT } from "../../base/epoch_ms.ts";
import { DAY_MS } from "../month.ts";
import { RunDays } from "../run_days.ts";
import type { Schedule } from "../schedule.ts";
import type { TimeZone } from "../time_zone.ts";
import type { ExcludedTimes } from "./excluded_times.ts";
import type { Chunk, Windows } from "./windows.ts";

export interface CountOptions {
  /** Times in `(from, to]` count. */
  readonly from: EpochMs;
  readonly to: EpochMs;
  /** Whether the end of an excluded stretch that holds a time counts as well, unless it is one. */
  readonly countsEnds: boolean;
}

/**
 * Returns whether counting takes no longer the more is excluded of each day: whole days are counted at once, or have no
 * windows.
 */
export function countsByDay(schedule: Schedule, { windows, zone }: ExcludedTimes): boolean {
  return !windows || isCalendarOf(zone, schedule);
}

function isCalendarOf(zone: TimeZone, schedule: Schedule): schedule is CalendarSchedule {
  return schedule instanceof CalendarSchedule && schedule.zone === zone;
}

/** Returns how many times of a schedule are not excluded. */
export function countOutside(schedule: Schedule, excluded: ExcludedTimes, options: CountOptions): number {
  const { from, to, countsEnds } = options;
  if (from >= to) return 0;
  const { windows, zone } = excluded;
  if (!windows || !isCalendarOf(zone, schedule)) return countByStretches(schedule, excluded, options);
  const days = new DayCounter(schedule, excluded, countsEnds);
  let count = 0;
  let countedTo = from;
  for (let at = Math.floor(from) + 1; at <= to;) {
    const chunk = windows.chunkAt(at);
    if (chunk.start > from && chunk.end <= to + 1 && days.isPlain(chunk, windows)) {
      count += countByStretches(schedule, excluded, { ...options, from: countedTo, to: chunk.start - 1 });
      count += days.count(chunk);
      countedTo = chunk.end - 1;
    }
    at = chunk.end;
  }
  return count + countByStretches(schedule, excluded, { ...options, from: countedTo });
}

function countByStretches(schedule: Schedule, excluded: ExcludedTimes, { from, to, countsEnds }: CountOptions): number {
  if (from >= to) return 0;
  const first = Math.floor(from) + 1;
  const end = Math.floor(to) + 1;
  let count = schedule.count(from, to);
  for (const stretch of excluded.stretches(first, end)) count -= schedule.count(stretch.start - 1, stretch.end - 1);
  if (!countsEnds) return count;
  for (const stretch of excluded.stretches(first - 1, end)) {
    if (stretch.end === end) break;
    const start = stretch.start === first - 1 ? beginOf(excluded, stretch.start)! : stretch.start;
    if (schedule.count(start - 1, stretch.end - 1) > 0 && schedule.count(stretch.end - 1, stretch.end) === 0) count++;
  }
  return count;
}

/** Returns when the excluded stretch that holds an instant began, as far back as anything can be counted. */
function beginOf(excluded: ExcludedTimes, instant: EpochMs): EpochMs | undefined {
  const start = excluded.startAt(instant);
  return start === undefined ? undefined : Math.max(start, FIRST_INSTANT);
}

/** Counts whole days on which the wall clock runs evenly, and on which windows alone exclude something. */
class DayCounter {
  readonly #schedule: CalendarSchedule;
  readonly #excluded: ExcludedTimes;
  readonly #countsEnds: boolean;
  readonly #days: RunDays;
  readonly #times: DayMinutes;
  readonly #free = new Map<DayMinutes, number>();
  /** The end of the counted day before it: no exclusion, or one that holds a time or none. */
  #last: { readonly end: EpochMs; readonly open: "nothing" | "empty" | "holds a time" } | undefined;

  constructor(schedule: CalendarSchedule, excluded: ExcludedTimes, countsEnds: boolean) {
    this.#schedule = schedule;
    this.#excluded = excluded;
    this.#countsEnds = countsEnds;
    this.#days = new RunDays([schedule.fields]);
    this.#times = DayMinutes.of(schedule.fields);
  }

  isPlain({ start, end, midnight }: Chunk, windows: Windows): boolean {
    const { dates, zone } = this.#excluded;
    return start === midnight && end === midnight + DAY_MS && windows.isRegular(zone.periodAt(start), midnight) &&
      dates.between(start, end).next().done === true;
  }

  count(chunk: Chunk): number {
    const times = this.#runsOn(chunk) ? this.#times : undefined;
    let count = times === undefined ? 0 : this.#freeOf(chunk.minutes);
    if (!this.#countsEnds) return count;
    let open = this.#last?.end === chunk.start ? this.#last.open : this.#openBefore(chunk.start);
    const ends = (minute: number) => {
      if (open === "holds a time" && !times?.has(minute)) count++;
      open = "nothing";
    };
    const runs = chunk.minutes.runs();
    for (const [from, to] of runs) {
      if (from > 0) ends(0);
      if (open !== "holds a time") open = times?.someIn(from, to) ? "holds a time" : "empty";
      if (to < DayMinutes.LENGTH) ends(to);
    }
    if (runs.length === 0) ends(0);
    this.#last = { end: chunk.end, open };
    return count;
  }

  #runsOn({ midnight, start }: Chunk): boolean {
    const day = Math.round((midnight + this.#excluded.zone.periodAt(start).offsetMs) / DAY_MS);
    return this.#days.has(0, day);
  }

  #freeOf(minutes: DayMinutes): number {
    return this.#free.getOrInsertComputed(minutes, () => this.#times.countWithout(minutes));
  }

  #openBefore(instant: EpochMs): "nothing" | "empty" | "holds a time" {
    const start = beginOf(this.#excluded, instant - 1);
    if (start === undefined) return "nothing";
    return this.#schedule.count(start - 1, instant - 1) > 0 ? "holds a time" : "empty";
  }
}
