import type { ItemReader } from "./field_item.ts";
import type { MonthDay } from "./month_day.ts";

/** A text that can't be, and what to say of it. */
type Fault = readonly [pattern: RegExp, remedy: string | ((text: string) => string)];

/** How a day field writes days that depend on their month. */
interface MonthDayGrammar {
  /** Text that is meant as such a day, rightly or wrongly. A star is none, whatever stands behind it. */
  readonly meant: RegExp;
  readonly read: (reader: ItemReader) => MonthDay | undefined;
  /** The first that matches is the error of what `read` could not read. */
  readonly faults: readonly Fault[];
}

const MONTH_DAY_GRAMMARS: Readonly<Partial<Record<ItemReader["field"], MonthDayGrammar>>> = {
  "day-of-month": {
    meant: /^(?![*?]).*[LW#]/is,
    read: readDate,
    faults: [
      [/#|^(\d|[a-z]{3})L$/i, "weekdays stand in day-of-week, such as FRI#2 or FRIL"],
      [/\//, "L and W take no step; list the days, such as 1W,15W"],
      [/^W$/i, "W needs a date before it, such as 15W; LW is the last weekday, Monday to Friday, of the month"],
      [/^\+?\d+W$/i, "the date before W must be 1-31"],
      [/^L-\+?0+$/i, "the number after L- must be 1-30; the last day itself is L"],
      [/^L-\+?\d+$/i, "the number after L- must be 1-30"],
      [/^\d\d?-L$/i, (text) => `a range cannot end with L; write ${text.slice(0, -1)}31, which ends with every month`],
      [/-/, "L and W take no range; list the days, such as 1W,15W"],
    ],
  },
  "day-of-week": {
    // WED holds a W, too.
    meant: /^(?![*?]).*[L#]|^\+?\d*W$/is,
    read: readWeekday,
    faults: [
      [/^(L|\+?\d*)W$|^L-\+?\d+$/i, "dates stand in day-of-month, such as 15W, LW or L-3"],
      [/^L$/i, "L needs a weekday before it, such as FRIL; the last day of the month is L in day-of-month"],
      [/\//, "# and L take no step; list the weekdays, such as FRI#1,FRI#3"],
      [/^[a-z\d]{1,3}#L$/i, (text) => `write ${text.slice(0, -2)}L`],
      [/^[^#]*-/, "# and L take no range; list the weekdays, such as MON#1,TUE#1"],
      [/^(sun|mon|tue|wed|thu|fri|sat|\+?0*[0-7])#/i, "the number after # must be 1-5; the last one is FRIL"],
      [/#/, "the weekday before # must be 0-7 or SUN-SAT"],
      [/L$/i, "the weekday before L must be 0-7 or SUN-SAT"],
    ],
  },
};

/** Returns whether the item is meant as a day that depends on its month, such as `L`, `15W` or `FRI#2`. */
export function isMonthDayItem({ field, text, grammar }: ItemReader): boolean {
  return grammar === "Extended" && (MONTH_DAY_GRAMMARS[field]?.meant.test(text) ?? false);
}

/** @throws {ScheduleError} */
export function parseMonthDayItem(reader: ItemReader): MonthDay {
  const { read, faults } = MONTH_DAY_GRAMMARS[reader.field]!;
  const day = read(reader);
  if (day !== undefined) return day;
  const remedy = faults.find(([pattern]) => pattern.test(reader.text))?.[1] ?? `must be ${reader.rule.allowed}`;
  throw reader.error(typeof remedy === "string" ? remedy : remedy(reader.text));
}

/** `L`, `L-3`, `LW` or `15W`. */
function readDate(reader: ItemReader): MonthDay | undefined {
  const text = reader.text.toUpperCase();
  if (text === "L") return { kind: "fromEnd", daysBefore: 0 };
  if (text === "LW") return { kind: "lastWorkday" };
  if (text.startsWith("L-")) {
    const daysBefore = reader.numberIn(text.slice(2), 1, 30);
    return daysBefore === undefined ? undefined : { kind: "fromEnd", daysBefore };
  }
  const date = text.endsWith("W") ? reader.numberIn(text.slice(0, -1), 1, 31) : undefined;
  return date === undefined ? undefined : { kind: "nearestWorkday", date };
}

/** `FRI#2`, `5#2`, `FRIL` or `5L`. */
function readWeekday(reader: ItemReader): MonthDay | undefined {
  const [, weekdayText = "", nthText] = /^([^#]*)(?:#([^#]*)|L)$/is.exec(reader.text) ?? [];
  const value = reader.valueIn(weekdayText);
  if (value === undefined) return undefined;
  const weekday = value % 7;
  if (nthText === undefined) return { kind: "lastWeekday", weekday };
  const nth = reader.numberIn(nthText, 1, 5);
  return nth === undefined ? undefined : { kind: "nthWeekday", weekday, nth };
}
