// A calendar made by hand, and what days such as `L`, `15W` and `FRI#2` mean on it, by looking at every day. Nothing here
// comes from src/schedule, nor from Date.

export interface CalendarDay {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  /** From 1. */
  readonly date: number;
  /** Sunday is 0. */
  readonly weekday: number;
}

/** An item of a day field: how it is written, and whether a day is such a day. */
export interface ModelDay {
  readonly text: string;
  readonly isOn: (day: CalendarDay) => boolean;
}

/** Every day from 1970 to 2100, a Thursday first. */
export function allDays(): CalendarDay[] {
  const days: CalendarDay[] = [];
  for (let year = 1970; year <= 2100; year++) {
    for (let month = 1; month <= 12; month++) {
      const length = lengthOf({ year, month });
      for (let date = 1; date <= length; date++) days.push({ year, month, date, weekday: (4 + days.length) % 7 });
    }
  }
  return days;
}

function lengthOf({ year, month }: Pick<CalendarDay, "year" | "month">): number {
  if (month === 2) return year % 400 === 0 || (year % 4 === 0 && year % 100 !== 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** `L`, `L-3`. */
export function fromEnd(daysBefore: number): ModelDay {
  const text = daysBefore === 0 ? "L" : `L-${daysBefore}`;
  return { text, isOn: (day) => day.date === lengthOf(day) - daysBefore };
}

/** `LW`. */
export const LAST_WORKDAY: ModelDay = {
  text: "LW",
  isOn: (day) => day.date > 25 && day.date === workdaysOf(day).at(-1),
};

/** `15W`. */
export function nearestWorkday(wanted: number): ModelDay {
  return {
    text: `${wanted}W`,
    isOn(day) {
      if (wanted > lengthOf(day) || Math.abs(day.date - wanted) > 3) return false;
      const distances = workdaysOf(day).map((date) => Math.abs(date - wanted));
      return isWorkday(day.weekday) && Math.abs(day.date - wanted) === Math.min(...distances);
    },
  };
}

/** `FRI#2`. */
export function nthWeekday(weekdayText: string, weekday: number, nth: number): ModelDay {
  return {
    text: `${weekdayText}#${nth}`,
    isOn: (day) => day.weekday === weekday && day.date > 7 * (nth - 1) && day.date <= 7 * nth,
  };
}

/** `FRIL`. */
export function lastWeekday(weekdayText: string, weekday: number): ModelDay {
  return { text: `${weekdayText}L`, isOn: (day) => day.weekday === weekday && day.date + 7 > lengthOf(day) };
}

/** The dates of the day's month that are Monday to Friday. */
function workdaysOf(day: CalendarDay): number[] {
  const dates: number[] = [];
  for (let date = 1; date <= lengthOf(day); date++) {
    if (isWorkday((day.weekday + 35 + date - day.date) % 7)) dates.push(date);
  }
  return dates;
}

function isWorkday(weekday: number): boolean {
  return weekday >= 1 && weekday <= 5;
}

const WEEKDAYS: readonly (readonly [text: string, weekday: number])[] = [
  ["SUN", 0],
  ["1", 1],
  ["Tue", 2],
  ["3", 3],
  ["thu", 4],
  ["5", 5],
  ["sAT", 6],
  ["7", 0],
];

/** Every such item of day-of-month. */
export const DATES: readonly ModelDay[] = [
  ...Array.from({ length: 31 }, (_, i) => fromEnd(i)),
  LAST_WORKDAY,
  ...Array.from({ length: 31 }, (_, i) => nearestWorkday(i + 1)),
];

/** Every such item of day-of-week. */
export const WEEKDAY_DATES: readonly ModelDay[] = WEEKDAYS.flatMap(([text, weekday]) => [
  ...[1, 2, 3, 4, 5].map((nth) => nthWeekday(text, weekday, nth)),
  lastWeekday(text, weekday),
]);
