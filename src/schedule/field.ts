import { parseHashItem } from "./hash_item.ts";
import { ScheduleError } from "./schedule_error.ts";
import { stableHash } from "./stable_hash.ts";

/** What a field may hold: its least and greatest value, and the names (lower case) that stand for some. */
export interface FieldRule {
  readonly min: number;
  readonly max: number;
  readonly names: readonly string[];
  /** As an error message says it. */
  readonly allowed: string;
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/** The five fields. `names[i]` stands for `min + i`. */
export const FIELD_RULES = {
  "minute": { min: 0, max: 59, names: [], allowed: "0-59" },
  "hour": { min: 0, max: 23, names: [], allowed: "0-23" },
  "day-of-month": { min: 1, max: 31, names: [], allowed: "1-31" },
  "month": { min: 1, max: 12, names: MONTHS, allowed: "1-12 or JAN-DEC" },
  "day-of-week": { min: 0, max: 6, names: WEEKDAYS, allowed: "0-6 or SUN-SAT; Sunday is 0" },
} as const satisfies Readonly<Record<string, FieldRule>>;

export type FieldName = keyof typeof FIELD_RULES;

/** A field's values, rising, and whether one of its items is `*` or `?` without a step. */
export interface FieldValues {
  readonly values: readonly number[];
  readonly starred: boolean;
}

/** Some values of a field, evenly spaced: `first`, `first + step` … up to `last`. */
export interface FieldItem {
  readonly first: number;
  readonly last: number;
  readonly step: number;
  readonly starred: boolean;
}

/** What `*` stands for, shared by all schedules that have it: it is what most fields hold. */
const EVERY_VALUE: Readonly<Record<FieldName, FieldValues>> = {
  "minute": everyValue("minute"),
  "hour": everyValue("hour"),
  "day-of-month": everyValue("day-of-month"),
  "month": everyValue("month"),
  "day-of-week": everyValue("day-of-week"),
};

function everyValue(field: FieldName): FieldValues {
  const { min, max } = FIELD_RULES[field];
  return { values: Array.from({ length: max - min + 1 }, (_, i) => min + i), starred: true };
}

const LARGEST_NUMBER = "9223372036854775807";

/**
 * @param hashKey what `H` is spread by; without it `H` is refused.
 * @throws {ScheduleError}
 */
export function parseField(field: FieldName, text: string, hashKey: string | undefined): FieldValues {
  if (text === "*") return EVERY_VALUE[field];
  const { min, max } = FIELD_RULES[field];
  const included = new Uint8Array(max + 1);
  const hash = hashKey === undefined || !text.includes("H") ? undefined : stableHash(`${hashKey}\n${field}`);
  let starred = false;
  for (const itemText of text.split(",")) {
    if (itemText === "") continue;
    const reader = new ItemReader(field, itemText, text);
    const item = hash !== undefined && itemText.startsWith("H") ? parseHashItem(reader, hash) : parseItem(reader);
    for (let value = item.first; value <= item.last; value += item.step) included[value] = 1;
    starred ||= item.starred;
  }
  const values: number[] = [];
  for (let value = min; value <= max; value++) if (included[value] === 1) values.push(value);
  return { values, starred };
}

function parseItem(reader: ItemReader): FieldItem {
  const { min, max } = reader.rule;
  const [range, stepText, ...moreSteps] = reader.text.split("/");
  if (moreSteps.length > 0) throw reader.error('must have one "/" at most');
  const [firstText, lastText, ...moreEnds] = range.split("-");
  const step = stepText === undefined ? 1 : reader.step(stepText);
  if (firstText === "*" || firstText === "?") return { first: min, last: max, step, starred: step === 1 };
  if (moreEnds.length > 0) throw reader.error('a range must have one "-", such as 1-5');
  const first = reader.value(firstText);
  const last = lastText !== undefined ? reader.value(lastText) : stepText === undefined ? first : max;
  if (first > last) throw reader.error(reader.wrapRemedy(firstText, lastText!, stepText));
  return { first, last, step, starred: false };
}

/** Reads the parts of one item, and words the errors. */
export class ItemReader {
  readonly rule: FieldRule;

  constructor(readonly field: FieldName, readonly text: string, readonly fieldText: string) {
    this.rule = FIELD_RULES[field];
  }

  /** A number or a name inside the field's limits. */
  value(text: string): number {
    const named = this.rule.names.indexOf(lowerCase(text));
    if (named >= 0) return this.rule.min + named;
    const value = readNumber(text);
    if (value === undefined) throw this.error(this.valueRemedy(text));
    if (value < this.rule.min || value > this.rule.max) throw this.error(`must be ${this.rule.allowed}`);
    return value;
  }

  step(text: string): number {
    const step = readNumber(text);
    if (step === undefined) throw this.error('the step after "/" must be a number');
    if (step === 0) throw this.error('the step after "/" must be 1 or more');
    return step;
  }

  valueRemedy(text: string): string {
    const allowed = `must be ${this.rule.allowed}`;
    if (/^-?\d+$/.test(text)) return allowed;
    if (text === "") return `${allowed}; a number is missing`;
    if (/^H\b/.test(text)) return `${allowed}; H needs the name of a CronJob to spread by`;
    if (/^(L|LW|\d+[LW]|[a-z]{3}L)$/i.test(text) || text.includes("#")) {
      return `${allowed}; Kubernetes has no L, W or # (pick days such as 28-31, and let the Job check the date)`;
    }
    return allowed;
  }

  wrapRemedy(first: string, last: string, step: string | undefined): string {
    const { min, max, names } = this.rule;
    const show = (value: number) => names.length > 0 && /[a-z]/i.test(first) ? names[value - min].toUpperCase() : value;
    const upper = this.value(first) === max ? first : `${first}-${show(max)}`;
    const lower = this.value(last) === min ? last : `${show(min)}-${last}`;
    const advice = step === undefined ? `; write ${upper},${lower}` : "";
    return `a range must rise${advice}`;
  }

  error(remedy: string): ScheduleError {
    const where = this.text === this.fieldText ? "" : `in ${JSON.stringify(shorten(this.fieldText))}: `;
    return new ScheduleError(this.field, this.text, where + remedy);
  }
}

function shorten(text: string): string {
  return text.length > 60 ? text.slice(0, 60) + "…" : text;
}

/** Undefined for anything but digits with an optional `+`, and for what does not fit into 63 bits. */
function readNumber(text: string): number | undefined {
  if (!/^\+?\d+$/.test(text)) return undefined;
  const digits = text.replace(/^\+?0*/, "");
  if (digits.length > LARGEST_NUMBER.length) return undefined;
  if (digits.length === LARGEST_NUMBER.length && digits > LARGEST_NUMBER) return undefined;
  return Number(digits);
}

/** Rune by rune, as Go does: JavaScript turns U+0130 into two characters. */
function lowerCase(text: string): string {
  return text.replaceAll("İ", "i").toLowerCase();
}
