import { quote, ScheduleError } from "./schedule_error.ts";

/** `Kubernetes` is what `batch/v1` takes; `Extended` adds days that depend on their month, and 7 for Sunday. */
export type Grammar = "Kubernetes" | "Extended";

/** The values that a field allows: the least, the greatest, and the names (lower case) that stand for some. */
export interface FieldRule {
  readonly min: number;
  readonly max: number;
  /** The greatest number that may be written. Beyond `max` the values begin again: 7 is Sunday, as 0 is. */
  readonly largest: number;
  readonly names: readonly string[];
  /** As an error message says it. */
  readonly allowed: string;
}

export type FieldName = "minute" | "hour" | "day-of-month" | "month" | "day-of-week";

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const KUBERNETES_RULES: Readonly<Record<FieldName, FieldRule>> = {
  "minute": { min: 0, max: 59, largest: 59, names: [], allowed: "0-59" },
  "hour": { min: 0, max: 23, largest: 23, names: [], allowed: "0-23" },
  "day-of-month": { min: 1, max: 31, largest: 31, names: [], allowed: "1-31" },
  "month": { min: 1, max: 12, largest: 12, names: MONTHS, allowed: "1-12 or JAN-DEC" },
  "day-of-week": { min: 0, max: 6, largest: 6, names: WEEKDAYS, allowed: "0-6 or SUN-SAT; Sunday is 0" },
};

/** The five fields in each grammar. `names[i]` stands for `min + i`. */
export const FIELD_RULES: Readonly<Record<Grammar, Readonly<Record<FieldName, FieldRule>>>> = {
  Kubernetes: KUBERNETES_RULES,
  Extended: {
    ...KUBERNETES_RULES,
    "day-of-month": { ...KUBERNETES_RULES["day-of-month"], allowed: "1-31, L, L-3, LW or 15W" },
    "day-of-week": {
      ...KUBERNETES_RULES["day-of-week"],
      largest: 7,
      allowed: "0-7 or SUN-SAT (0 and 7 are Sunday), FRI#2 or FRIL",
    },
  },
};

/** Some values of a field, evenly spaced: `first`, `first + step` … up to `last`. */
export interface FieldItem {
  readonly first: number;
  readonly last: number;
  readonly step: number;
  readonly starred: boolean;
}

const LARGEST_NUMBER = "9223372036854775807";

/** Reads the parts of one item, and words the errors. */
export class ItemReader {
  readonly rule: FieldRule;

  constructor(
    readonly field: FieldName,
    readonly text: string,
    readonly fieldText: string,
    readonly grammar: Grammar,
  ) {
    this.rule = FIELD_RULES[grammar][field];
  }

  /** A number or a name inside the field's limits. */
  value(text: string): number {
    const value = this.valueIn(text);
    if (value !== undefined) return value;
    throw this.error(readNumber(text) === undefined ? this.valueRemedy(text) : `must be ${this.rule.allowed}`);
  }

  /** The same, but undefined where there is none. */
  valueIn(text: string): number | undefined {
    const named = this.rule.names.indexOf(lowerCase(text));
    return named >= 0 ? this.rule.min + named : this.numberIn(text, this.rule.min, this.rule.largest);
  }

  numberIn(text: string, min: number, max: number): number | undefined {
    const value = readNumber(text);
    return value !== undefined && value >= min && value <= max ? value : undefined;
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
    if (/^H\b/.test(text)) return `${allowed}; ${this.#hashRemark()}`;
    if (/^(L|LW|\d+[LW]|[a-z]{3}L)$/i.test(text) || text.includes("#")) return `${allowed}; ${this.#monthDayRemark()}`;
    return allowed;
  }

  wrapRemedy(first: string, last: string, step: string | undefined): string {
    const { min, max, names } = this.rule;
    const show = (value: number) => /[a-z]/i.test(first) ? names[value - min]?.toUpperCase() ?? value : value;
    const upper = this.value(first) >= max ? first : `${first}-${show(max)}`;
    const lower = this.value(last) === min ? last : `${show(min)}-${last}`;
    const advice = step === undefined ? `; write ${upper},${lower}` : "";
    return `a range must rise${advice}`;
  }

  error(remedy: string): ScheduleError {
    const where = this.text === this.fieldText ? "" : `in ${quote(this.fieldText)}: `;
    return new ScheduleError(this.field, this.text, where + remedy);
  }

  #hashRemark(): string {
    return this.grammar === "Kubernetes" ? "Kubernetes has no H" : "H needs the name of a CronJob to spread by";
  }

  #monthDayRemark(): string {
    return this.grammar === "Kubernetes"
      ? "Kubernetes has no L, W or # (pick days such as 28-31, and let the Job check the date)"
      : "L, W and # stand in day-of-month and day-of-week";
  }
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
