import type { MonthShape } from "./month_day.ts";

export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;
/** Days are counted from 1970-01-01. */
export type EpochDay = number;

/** A month of a year, between its neighbours. */
export interface Month extends MonthShape {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  readonly firstDay: EpochDay;
}

export const MONTH_NAMES = "January February March April May June July August September October November December"
  .split(" ");
const LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Returns the month that holds the day. */
export function monthOf(day: EpochDay): Month {
  const date = new Date(day * DAY_MS);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth() + 1;
  const firstDay = day - date.getUTCDate() + 1;
  return { year, month, firstDay, length: monthLength(year, month), firstWeekday: weekdayOf(firstDay) };
}

/** Returns the month after this one. */
export function monthAfter({ year, month, firstDay, length, firstWeekday }: Month): Month {
  const next = month === 12 ? { year: year + 1, month: 1 } : { year, month: month + 1 };
  return {
    ...next,
    firstDay: firstDay + length,
    length: monthLength(next.year, next.month),
    firstWeekday: (firstWeekday + length) % 7,
  };
}

/** Returns the month before this one. */
export function monthBefore({ year, month, firstDay, firstWeekday }: Month): Month {
  const previous = month === 1 ? { year: year - 1, month: 12 } : { year, month: month - 1 };
  const length = monthLength(previous.year, previous.month);
  return { ...previous, firstDay: firstDay - length, length, firstWeekday: (firstWeekday + 35 - length) % 7 };
}

/** 1970-01-01 was a Thursday. */
function weekdayOf(day: EpochDay): number {
  return (((day + 4) % 7) + 7) % 7;
}

function monthLength(year: number, month: number): number {
  if (month !== 2) return LENGTHS[month - 1]!;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}
