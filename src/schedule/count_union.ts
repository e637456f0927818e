import { CalendarSchedule } from "./calendar_schedule.ts";
import { DayMinutes } from "./day_minutes.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import { DAY_MS, type EpochDay } from "./month.ts";
import { RunDays } from "./run_days.ts";
import type { Schedule } from "./schedule.ts";
import type { TimeZone } from "./time_zone.ts";

/** More times than this are not distinguished where they have to be looked at one by one. */
const COUNTED_ONE_BY_ONE = 200_000;
/** So far from a change of the clocks a day is like any other. */
const FAR_MS = 3 * DAY_MS;

/** Yields the times in `(from, to]` at which one of the schedules runs, in order. */
export function* timesOfUnion(parts: readonly Schedule[], from: EpochMs, to: EpochMs): Generator<EpochMs> {
  const nexts = parts.map((part) => part.next(from) ?? Infinity);
  for (let run = Math.min(...nexts); run <= to; run = Math.min(...nexts)) {
    yield run;
    for (const [i, part] of parts.entries()) if (nexts[i] === run) nexts[i] = part.next(run) ?? Infinity;
  }
}

/** Returns how many these are: exact where all are calendars of one zone; else no more than 200,000 are distinguished. */
export function countUnion(parts: readonly Schedule[], from: EpochMs, to: EpochMs): number {
  const calendars = parts.filter((part) => part instanceof CalendarSchedule);
  const zone = calendars[0]?.zone;
  const isByDay = calendars.length === parts.length && calendars.every((calendar) => calendar.zone === zone);
  return isByDay && zone ? countByDay(zone, calendars, from, to) : countOneByOne(parts, from, to);
}

function countOneByOne(parts: readonly Schedule[], from: EpochMs, to: EpochMs): number {
  let count = 0;
  if (from >= to) return count;
  for (const _ of timesOfUnion(parts, from, to)) if (++count === COUNTED_ONE_BY_ONE) break;
  return count;
}

/** Days that are like any other are counted as wholes. */
function countByDay(zone: TimeZone, calendars: readonly CalendarSchedule[], from: EpochMs, to: EpochMs): number {
  const days = new DayCounter(calendars);
  let [count, countedTo] = [0, from];
  for (let at = from; at <= to;) {
    const { start, end, offsetMs } = zone.periodAt(at);
    const firstDay = Math.ceil((Math.max(Math.floor(from) + 1, start + FAR_MS) + offsetMs) / DAY_MS);
    const endDay = Math.floor((Math.min(to + 1, end - FAR_MS + DAY_MS) + offsetMs) / DAY_MS);
    if (firstDay < endDay) {
      count += countOneByOne(calendars, countedTo, firstDay * DAY_MS - offsetMs - 1) + days.count(firstDay, endDay);
      countedTo = endDay * DAY_MS - offsetMs - 1;
    }
    at = end;
  }
  return count + countOneByOne(calendars, countedTo, to);
}

/** Counts whole days. The times of one depend only on which of the schedules have it: each combination is worked out once. */
class DayCounter {
  readonly #days: RunDays;
  readonly #times: readonly DayMinutes[];
  /** How many times each combination has. */
  readonly #counts = new Map<string, number>();

  constructor(calendars: readonly CalendarSchedule[]) {
    this.#days = new RunDays(calendars.map(({ fields }) => fields));
    this.#times = calendars.map(({ fields }) => DayMinutes.of(fields));
  }

  /** The times of `from <= day < to`. */
  count(from: EpochDay, to: EpochDay): number {
    let count = 0;
    for (let day = from; day < to; day++) count += this.#countOn(day);
    return count;
  }

  #countOn(day: EpochDay): number {
    const runs = this.#times.map((_, i) => this.#days.has(i, day));
    const key = runs.map(Number).join("");
    const times = () => DayMinutes.union(this.#times.filter((_, i) => runs[i]));
    return this.#counts.getOrInsertComputed(key, () => times().countWithout(DayMinutes.none()));
  }
}
