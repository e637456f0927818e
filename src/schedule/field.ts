import { FIELD_RULES, type FieldItem, type FieldName, type Grammar, ItemReader } from "./field_item.ts";
import { parseHashItem } from "./hash_item.ts";
import type { MonthDay } from "./month_day.ts";
import { isMonthDayItem, parseMonthDayItem } from "./month_day_item.ts";
import { stableHash } from "./stable_hash.ts";

/** The values of a field. */
export interface FieldValues {
  /** Rising. */
  readonly values: readonly number[];
  /** The items of a day field whose date depends on the month. */
  readonly monthDays: readonly MonthDay[];
  /** Whether one of the items is `*` or `?` without a step. */
  readonly starred: boolean;
}

const NO_MONTH_DAYS: readonly MonthDay[] = [];

/** The values of `*`, shared by all schedules that have it, as most fields hold it. */
const EVERY_VALUE: Readonly<Record<FieldName, FieldValues>> = {
  "minute": everyValue("minute"),
  "hour": everyValue("hour"),
  "day-of-month": everyValue("day-of-month"),
  "month": everyValue("month"),
  "day-of-week": everyValue("day-of-week"),
};

function everyValue(field: FieldName): FieldValues {
  const { min, max } = FIELD_RULES.Kubernetes[field];
  const values = Array.from({ length: max - min + 1 }, (_, i) => min + i);
  return { values, monthDays: NO_MONTH_DAYS, starred: true };
}

/**
 * Reads one of the five fields of a schedule.
 *
 * @param hashKey what `H` is spread by; without it `H` is refused
 * @throws {ScheduleError} that names the field, its text and the remedy
 */
export function parseField(field: FieldName, text: string, hashKey: string | undefined, grammar: Grammar): FieldValues {
  if (text === "*") return EVERY_VALUE[field];
  const { min, max, largest } = FIELD_RULES[grammar][field];
  const included = new Uint8Array(largest + 1);
  const hash = hashKey === undefined || !text.includes("H") ? undefined : stableHash(`${hashKey}\n${field}`);
  let monthDays: MonthDay[] | undefined;
  let starred = false;
  for (const itemText of text.split(",")) {
    if (itemText === "") continue;
    const reader = new ItemReader(field, itemText, text, grammar);
    const hashed = hash !== undefined && itemText.startsWith("H");
    if (!hashed && isMonthDayItem(reader)) {
      (monthDays ??= []).push(parseMonthDayItem(reader));
      continue;
    }
    const item = hashed ? parseHashItem(reader, hash) : parseItem(reader);
    for (let value = item.first; value <= item.last; value += item.step) included[value] = 1;
    starred ||= item.starred;
  }
  for (let value = max + 1; value <= largest; value++) included[value - max - 1 + min]! |= included[value]!;
  const values: number[] = [];
  for (let value = min; value <= max; value++) if (included[value] === 1) values.push(value);
  return { values, monthDays: monthDays ?? NO_MONTH_DAYS, starred };
}

function parseItem(reader: ItemReader): FieldItem {
  const { min, max } = reader.rule;
  const [range = "", stepText, ...moreSteps] = reader.text.split("/");
  if (moreSteps.length > 0) throw reader.error('must have one "/" at most');
  const [firstText = "", lastText, ...moreEnds] = range.split("-");
  const step = stepText === undefined ? 1 : reader.step(stepText);
  if (firstText === "*" || firstText === "?") return { first: min, last: max, step, starred: step === 1 };
  if (moreEnds.length > 0) throw reader.error('a range must have one "-", such as 1-5');
  const first = reader.value(firstText);
  const last = lastText !== undefined ? reader.value(lastText) : stepText === undefined ? first : Math.max(first, max);
  if (first > last) throw reader.error(reader.wrapRemedy(firstText, lastText!, stepText));
  return { first, last, step, starred: false };
}
