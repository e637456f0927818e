import type { CalendarFields } from "./grammar.ts";
import type { WallMs } from "./time_zone.ts";

export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;
/** The Gregorian calendar, weekdays included, repeats every 400 years. */
const CYCLE_DAYS = 146_097;

const LONGEST_MONTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether no date and time can ever match, as with `0 0 31 2 *`. */
export function neverMatches(fields: CalendarFields): boolean {
  const { minute, hour, dayOfMonth, month, dayOfWeek, dayOfMonthStarred, dayOfWeekStarred } = fields;
  if (minute.length === 0 || hour.length === 0 || month.length === 0) return true;
  const dateExists = month.some((m) => dayOfMonth.some((day) => day <= LONGEST_MONTHS[m - 1]));
  const weekdayExists = dayOfWeek.length > 0;
  return dayOfMonthStarred || dayOfWeekStarred ? !(dateExists && weekdayExists) : !(dateExists || weekdayExists);
}

/** How many wall-clock times match in `from <= t < to`. */
export function countMatches(fields: CalendarFields, from: WallMs, to: WallMs): number {
  if (from >= to) return 0;
  const firstDay = Math.floor(from / DAY_MS);
  const lastDay = Math.floor(to / DAY_MS);
  const firstPart = timesBefore(fields, from - firstDay * DAY_MS);
  const lastPart = timesBefore(fields, to - lastDay * DAY_MS);
  const days = dayCounter(fields);
  return days(firstDay, lastDay) * fields.minute.length * fields.hour.length -
    days(firstDay, firstDay + 1) * firstPart + days(lastDay, lastDay + 1) * lastPart;
}

/** How many of a matching day's times lie before `wallMs`, counted from its midnight. */
function timesBefore({ minute, hour }: CalendarFields, wallMs: number): number {
  const wholeMinutes = Math.ceil(wallMs / MINUTE_MS);
  const lastHour = Math.floor(wholeMinutes / 60);
  let count = 0;
  for (const h of hour) {
    if (h < lastHour) count += minute.length;
    else if (h === lastHour) count += minute.filter((m) => m < wholeMinutes % 60).length;
  }
  return count;
}

/** Gives a function that counts the matching days in `from <= day < to`, days being counted from 1970-01-01. */
function dayCounter(fields: CalendarFields): (from: number, to: number) => number {
  const { dayOfMonthStarred, dayOfWeekStarred } = fields;
  const isDay = included(fields.dayOfMonth);
  const isMonth = included(fields.month);
  const isWeekday = included(fields.dayOfWeek);
  const both = dayOfMonthStarred || dayOfWeekStarred;
  const matches = (day: number, weekday: number) =>
    both ? isDay[day] && isWeekday[weekday] : isDay[day] || isWeekday[weekday];

  function visit(from: number, to: number): number {
    let { year, month, day } = dateOf(from);
    let weekday = weekdayOf(from);
    let length = monthLength(year, month);
    let matching = 0;
    for (let left = to - from; left > 0; left--) {
      if (isMonth[month] && matches(day, weekday)) matching++;
      weekday = weekday === 6 ? 0 : weekday + 1;
      if (day < length) {
        day++;
        continue;
      }
      day = 1;
      month = month === 12 ? 1 : month + 1;
      if (month === 1) year++;
      length = monthLength(year, month);
    }
    return matching;
  }

  return (from, to) => {
    const cycles = Math.floor((to - from) / CYCLE_DAYS);
    const whole = cycles > 0 ? cycles * visit(from, from + CYCLE_DAYS) : 0;
    return whole + visit(from + cycles * CYCLE_DAYS, to);
  };
}

function included(values: readonly number[]): boolean[] {
  const flags: boolean[] = new Array(32).fill(false);
  for (const value of values) flags[value] = true;
  return flags;
}

/** 1970-01-01 was a Thursday. */
function weekdayOf(epochDay: number): number {
  return (((epochDay + 4) % 7) + 7) % 7;
}

function dateOf(epochDay: number): { year: number; month: number; day: number } {
  // Whole cycles are taken off first, as the far ends of the count lie beyond what a Date can hold.
  const cycles = Math.floor(epochDay / CYCLE_DAYS);
  const date = new Date((epochDay - cycles * CYCLE_DAYS) * DAY_MS);
  return { year: date.getUTCFullYear() + cycles * 400, month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

function monthLength(year: number, month: number): number {
  if (month !== 2) return LONGEST_MONTHS[month - 1];
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}
