import { Cron } from "croner";
import { MINUTE_MS } from "./calendar.ts";
import type { CalendarFields } from "./grammar.ts";
import { MatchingDays } from "./matching_days.ts";
import { CYCLE_DAYS, DAY_MS, type EpochDay } from "./month.ts";
import type { WallMs } from "./time_zone.ts";

const MINUTES_A_DAY = 1_440;

/** The nearest wall-clock times that match. Times of day are searched in the fields' own lists. */
export class WallClockSearch {
  readonly #fields: CalendarFields;
  readonly #days: DaySearch;

  /** `fields` must match at least one time: see `neverMatches`. */
  constructor(fields: CalendarFields) {
    this.#fields = fields;
    this.#days = daySearch(fields);
  }

  /** The first match strictly after `after`. */
  next(after: WallMs): WallMs {
    const candidate = Math.floor(after / MINUTE_MS) + 1;
    const today = Math.floor(candidate / MINUTES_A_DAY);
    const day = this.#days.onOrAfter(today);
    const time = day === today ? this.#timeFrom(candidate - today * MINUTES_A_DAY) : this.#timeFrom(0);
    return time !== undefined
      ? day * DAY_MS + time * MINUTE_MS
      : this.#days.onOrAfter(today + 1) * DAY_MS + this.#timeFrom(0)! * MINUTE_MS;
  }

  /** The last match strictly before `before`. */
  previous(before: WallMs): WallMs {
    const candidate = Math.ceil(before / MINUTE_MS) - 1;
    const today = Math.floor(candidate / MINUTES_A_DAY);
    const day = this.#days.onOrBefore(today);
    const time = this.#timeUpTo(day === today ? candidate - today * MINUTES_A_DAY : MINUTES_A_DAY - 1);
    return time !== undefined
      ? day * DAY_MS + time * MINUTE_MS
      : this.#days.onOrBefore(today - 1) * DAY_MS + this.#timeUpTo(MINUTES_A_DAY - 1)! * MINUTE_MS;
  }

  /** The first matching minute of a day at or after `from`. */
  #timeFrom(from: number): number | undefined {
    const { hour, minute } = this.#fields;
    const fromHour = Math.floor(from / 60);
    for (const h of hour) {
      if (h < fromHour) continue;
      const m = h > fromHour ? minute[0] : minute.find((m) => m >= from % 60);
      if (m !== undefined) return h * 60 + m;
    }
    return undefined;
  }

  /** The last matching minute of a day at or before `upTo`. */
  #timeUpTo(upTo: number): number | undefined {
    const { hour, minute } = this.#fields;
    const lastHour = Math.floor(upTo / 60);
    for (const h of hour.toReversed()) {
      if (h > lastHour) continue;
      const m = h < lastHour ? minute.at(-1) : minute.findLast((m) => m <= upTo % 60);
      if (m !== undefined) return h * 60 + m;
    }
    return undefined;
  }
}

const YEAR_2000: EpochDay = 10_957;

/** The nearest days that match. */
interface DaySearch {
  onOrAfter(day: EpochDay): EpochDay;
  onOrBefore(day: EpochDay): EpochDay;
}

/** croner searches what it understands; of days that depend on their month it lacks some (`L-3`), searched here. */
function daySearch(fields: CalendarFields): DaySearch {
  return fields.monthDays === undefined ? new CronerDaySearch(fields) : new MatchingDays(fields);
}

/**
 * The days of plain values.
 *
 * croner sees neither the schedule's text, which it reads differently in places, nor its zone, whose clock changes it
 * treats differently: it gets a pattern rewritten from the values, and searches the midnights of UTC. Days move by whole
 * cycles of the calendar into the years in which croner is at home, so that any distance works.
 */
class CronerDaySearch implements DaySearch {
  readonly #pattern: string;
  /** The last answers: no matching day lies between `asked` and `found`. */
  #after = { asked: NaN, found: NaN };
  #before = { asked: NaN, found: NaN };

  constructor(fields: CalendarFields) {
    this.#pattern = dayPattern(fields);
  }

  onOrAfter(day: EpochDay): EpochDay {
    if (this.#pattern === EVERY_DAY) return day;
    if (!(this.#after.asked <= day && day <= this.#after.found)) {
      const shift = cycleShift(day);
      const found = cronFor(this.#pattern).nextRun(new Date((day - shift) * DAY_MS - 1000));
      this.#after = { asked: day, found: found!.getTime() / DAY_MS + shift };
    }
    return this.#after.found;
  }

  onOrBefore(day: EpochDay): EpochDay {
    if (this.#pattern === EVERY_DAY) return day;
    if (!(this.#before.found <= day && day <= this.#before.asked)) {
      const shift = cycleShift(day);
      const [found] = cronFor(this.#pattern).previousRuns(1, new Date((day - shift) * DAY_MS + 1000));
      this.#before = { asked: day, found: found!.getTime() / DAY_MS + shift };
    }
    return this.#before.found;
  }
}

/** Searches start in the years 2000 to 2399. */
function cycleShift(day: EpochDay): number {
  return Math.floor((day - YEAR_2000) / CYCLE_DAYS) * CYCLE_DAYS;
}

const EVERY_DAY = "0 0 * * *";

/**
 * croner takes a day field for starred only when it is exactly `*`, and then wants both day fields to match, else one of
 * them; any other field is written as its list. An empty day field beside one that is not starred leaves that alone.
 */
function dayPattern(fields: CalendarFields): string {
  const { dayOfMonth, month, dayOfWeek } = fields;
  const days = fields.dayOfMonthStarred || dayOfMonth.length === 0 ? "*" : dayOfMonth.join();
  const weekdays = fields.dayOfWeekStarred || dayOfWeek.length === 0 ? "*" : dayOfWeek.join();
  return `0 0 ${days} ${month.length === 12 ? "*" : month.join()} ${weekdays}`;
}

/** A Cron holds about 81 KiB, so those of the day patterns in use are kept, and none by a schedule. */
const KEPT_CRONS = 32;
const crons = new Map<string, Cron>();

function cronFor(pattern: string): Cron {
  let cron = crons.get(pattern);
  if (cron !== undefined) {
    crons.delete(pattern);
  } else {
    cron = new Cron(pattern, { mode: "5-part", utcOffset: 0, paused: true });
    if (crons.size >= KEPT_CRONS) crons.delete(crons.keys().next().value!);
  }
  crons.set(pattern, cron);
  return cron;
}
