import { Cron } from "croner";
import type { CalendarFields } from "./grammar.ts";
import type { MatchingDays } from "./matching_days.ts";
import { DAY_MS, type EpochDay } from "./month.ts";

const YEAR_2000: EpochDay = 10_957;
/** In 400 years all dates fall on the same weekdays again. */
const CYCLE_DAYS = 146_097;

/** The nearest days that match. There must be one. */
export type DaySearch = Pick<MatchingDays, "onOrAfter" | "onOrBefore">;

/** Returns the search by croner where it has all the days: it lacks some that depend on their month, such as `L-3`. */
export function daySearch(fields: CalendarFields, days: MatchingDays): DaySearch {
  const pattern = dayPattern(fields);
  return fields.monthDays !== undefined || pattern === EVERY_DAY ? days : new CronerDaySearch(pattern);
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

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  onOrAfter(day: EpochDay): EpochDay {
    if (!(this.#after.asked <= day && day <= this.#after.found)) {
      const shift = cycleShift(day);
      const found = cronFor(this.#pattern).nextRun(new Date((day - shift) * DAY_MS - 1000));
      this.#after = { asked: day, found: found!.getTime() / DAY_MS + shift };
    }
    return this.#after.found;
  }

  onOrBefore(day: EpochDay): EpochDay {
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
  return `0 0 ${days} ${month.join()} ${weekdays}`;
}

/** A Cron holds about 81 KiB, so schedules share those of the day patterns in use. */
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
