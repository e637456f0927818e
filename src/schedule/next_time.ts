import { Cron } from "croner";
import { CYCLE_MS } from "./calendar.ts";
import type { CalendarFields } from "./grammar.ts";
import type { WallMs } from "./time_zone.ts";

/**
 * The nearest wall-clock times that match, searched by croner.
 *
 * croner sees neither the schedule's text, which it reads differently in places, nor its zone, whose clock changes it
 * treats differently: it gets a pattern rewritten from the values, and searches on a wall clock without clock changes, UTC's.
 * Dates move by whole cycles of the calendar into the years in which croner is at home, so that any distance works.
 */
export class WallClockSearch {
  readonly #pattern: string;

  /** `fields` must match at least one time: see `neverMatches`. */
  constructor(fields: CalendarFields) {
    this.#pattern = cronerPattern(fields);
  }

  /** The first match strictly after `after`. */
  next(after: WallMs): WallMs {
    const shift = cycleShift(after);
    // A match falls on a whole minute, so nothing lies between `after` and the second that it is cut to.
    const found = cronFor(this.#pattern).nextRun(new Date(Math.floor((after - shift) / 1000) * 1000));
    return found!.getTime() + shift;
  }

  /** The last match strictly before `before`. */
  previous(before: WallMs): WallMs {
    const shift = cycleShift(before);
    const [found] = cronFor(this.#pattern).previousRuns(1, new Date(Math.ceil((before - shift) / 1000) * 1000));
    return found.getTime() + shift;
  }
}

/** Searches start in the years 2000 to 2399. */
function cycleShift(wall: WallMs): number {
  return Math.floor((wall - Date.UTC(2000, 0, 1)) / CYCLE_MS) * CYCLE_MS;
}

/**
 * croner takes a day field for starred only when it is exactly `*`, and then wants both day fields to match, else one of
 * them; every other field is written as its list. An empty day field beside one that is not starred leaves that alone.
 */
function cronerPattern(fields: CalendarFields): string {
  const { dayOfMonth, dayOfWeek } = fields;
  const days = fields.dayOfMonthStarred || dayOfMonth.length === 0 ? "*" : dayOfMonth.join();
  const weekdays = fields.dayOfWeekStarred || dayOfWeek.length === 0 ? "*" : dayOfWeek.join();
  return [fields.minute.join(), fields.hour.join(), days, fields.month.join(), weekdays].join(" ");
}

/** A Cron holds about 81 KiB, so a few are kept for the patterns in use, and none by a schedule. */
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
