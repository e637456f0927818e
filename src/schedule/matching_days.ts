import type { CalendarFields } from "./grammar.ts";
import { type EpochDay, type Month, monthAfter, monthBefore, monthOf } from "./month.ts";
import { dateIn, type MonthDay, type MonthShape } from "./month_day.ts";

/** Some days of a month: bit 0 is the 1st. */
type DayBits = number;

/** The 1st, the 8th, the 15th, the 22nd and the 29th. */
const WEEKLY: DayBits = 0x10204081;

const YEAR_2000: EpochDay = 10_957;
/** In 28 years each month begins on each weekday, February in leap years too. */
const ALL_SHAPES_MONTHS = 28 * 12;

interface MonthRuns {
  readonly month: Month;
  readonly days: DayBits;
}

/**
 * The days on which a schedule runs. What a month has of them depends on its name, its length and its first weekday alone, so
 * months are counted and searched as wholes.
 */
export class MatchingDays {
  readonly #fields: CalendarFields;
  readonly #months: DayBits;
  readonly #dates: DayBits;
  /** The month that was asked about last: the next question is mostly about the same. */
  #last: MonthRuns | undefined;

  constructor(fields: CalendarFields) {
    this.#fields = fields;
    this.#months = bitsOf(fields.month);
    this.#dates = bitsOf(fields.dayOfMonth);
  }

  /** Whether no month of any year has one, as with `0 0 31 2 *`. */
  get areNone(): boolean {
    let month = monthOf(YEAR_2000);
    for (let months = 0; months < ALL_SHAPES_MONTHS; months++, month = monthAfter(month)) {
      if (this.#in(month) !== 0) return false;
    }
    return true;
  }

  has(day: EpochDay): boolean {
    const { month, days } = this.#around(day);
    return (days & 1 << (day - month.firstDay)) !== 0;
  }

  /** How many there are in `first <= day < end`. */
  count(first: EpochDay, end: EpochDay): number {
    if (first >= end) return 0;
    let count = 0;
    for (let month = monthOf(first); month.firstDay < end; month = monthAfter(month)) {
      let days = this.#in(month);
      if (days === 0) continue;
      if (month.firstDay < first) days &= bitsFrom(first - month.firstDay);
      if (month.firstDay + month.length > end) days &= ~bitsFrom(end - month.firstDay);
      count += bitCount(days);
    }
    return count;
  }

  /** The first on or after the day. There must be one: see {@linkcode areNone}. */
  onOrAfter(day: EpochDay): EpochDay {
    let { month, days } = this.#around(day);
    days &= bitsFrom(day - month.firstDay);
    while (days === 0) {
      month = monthAfter(month);
      days = this.#in(month);
    }
    return month.firstDay + 31 - Math.clz32(days & -days);
  }

  /** The last on or before the day. There must be one: see {@linkcode areNone}. */
  onOrBefore(day: EpochDay): EpochDay {
    let { month, days } = this.#around(day);
    days &= ~bitsFrom(day - month.firstDay + 1);
    while (days === 0) {
      month = monthBefore(month);
      days = this.#in(month);
    }
    return month.firstDay + 31 - Math.clz32(days);
  }

  #around(day: EpochDay): MonthRuns {
    const { month } = this.#last ?? {};
    if (month && month.firstDay <= day && day < month.firstDay + month.length) return this.#last!;
    const around = monthOf(day);
    return this.#last = { month: around, days: this.#in(around) };
  }

  /** The days of one month. */
  #in(month: Month): DayBits {
    if ((this.#months & bit(month.month)) === 0) return 0;
    const { dayOfMonthStarred, dayOfWeek, dayOfWeekStarred, monthDays } = this.#fields;
    let byDate = this.#dates;
    let byWeekday = 0;
    for (const weekday of dayOfWeek) byWeekday |= WEEKLY << ((weekday - month.firstWeekday + 7) % 7);
    if (monthDays !== undefined) {
      byDate |= bitsIn(month, monthDays.dayOfMonth);
      byWeekday |= bitsIn(month, monthDays.dayOfWeek);
    }
    const days = dayOfMonthStarred || dayOfWeekStarred ? byDate & byWeekday : byDate | byWeekday;
    return days & ~bitsFrom(month.length);
  }
}

function bitsIn(shape: MonthShape, days: readonly MonthDay[]): DayBits {
  let bits = 0;
  for (const day of days) {
    const date = dateIn(shape, day);
    if (date !== undefined) bits |= bit(date);
  }
  return bits;
}

function bitsOf(values: readonly number[]): DayBits {
  let bits = 0;
  for (const value of values) bits |= bit(value);
  return bits;
}

/** Returns the bit of a date, or of the number of a month. */
function bit(value: number): DayBits {
  return 1 << (value - 1);
}

/** Returns all bits but the lowest `count`, which is at most 31. */
function bitsFrom(count: number): DayBits {
  return -1 << count;
}

function bitCount(bits: DayBits): number {
  let count = 0;
  for (let left = bits; left !== 0; left &= left - 1) count++;
  return count;
}
