/** A day whose date depends on its month. A workday is one of Monday to Friday; weekdays count from Sunday, 0. */
export type MonthDay =
  /** `L`, the last day, or `L-3`, three days before it. */
  | { readonly kind: "fromEnd"; readonly daysBefore: number }
  /** `LW`. */
  | { readonly kind: "lastWorkday" }
  /** `15W`: the workday nearest to that date, never in another month. */
  | { readonly kind: "nearestWorkday"; readonly date: number }
  /** `FRI#2`. */
  | { readonly kind: "nthWeekday"; readonly weekday: number; readonly nth: number }
  /** `FRIL`. */
  | { readonly kind: "lastWeekday"; readonly weekday: number };

/** All that the dates of a month depend on. */
export interface MonthShape {
  readonly length: number;
  readonly firstWeekday: number;
}

const SUNDAY = 0;
const SATURDAY = 6;

/** Returns the date in the month; undefined where the month has no such day. */
export function dateIn(month: MonthShape, day: MonthDay): number | undefined {
  switch (day.kind) {
    case "fromEnd":
      return existing(month, month.length - day.daysBefore);
    case "lastWorkday":
      return nearestWorkday(month, month.length);
    case "nearestWorkday":
      return existing(month, day.date) && nearestWorkday(month, day.date);
    case "nthWeekday":
      return existing(month, firstDate(month, day.weekday) + 7 * (day.nth - 1));
    case "lastWeekday":
      return existing(month, firstDate(month, day.weekday) + 28) ?? firstDate(month, day.weekday) + 21;
  }
}

function existing(month: MonthShape, date: number): number | undefined {
  return date >= 1 && date <= month.length ? date : undefined;
}

function nearestWorkday(month: MonthShape, date: number): number {
  const weekday = (month.firstWeekday + date - 1) % 7;
  if (weekday === SATURDAY) return date > 1 ? date - 1 : date + 2;
  if (weekday === SUNDAY) return date < month.length ? date + 1 : date - 2;
  return date;
}

/** Returns the date of the month's first such weekday. */
function firstDate({ firstWeekday }: MonthShape, weekday: number): number {
  return 1 + (weekday - firstWeekday + 7) % 7;
}
