import { ownValue } from "../base/own_value.ts";
import { parseDuration } from "./duration.ts";
import { type FieldValues, parseField } from "./field.ts";
import type { FieldName, Grammar } from "./field_item.ts";
import type { MonthDay } from "./month_day.ts";
import { ScheduleError } from "./schedule_error.ts";
import { checkTimeZone } from "./check_time_zone.ts";

/** The values at which a calendar schedule runs, each list rising and without repetition. A list may be empty. */
export interface CalendarFields {
  readonly minute: readonly number[];
  readonly hour: readonly number[];
  readonly dayOfMonth: readonly number[];
  readonly month: readonly number[];
  readonly dayOfWeek: readonly number[];
  /** A starred field holds `*` or `?` without a step. If either day field is starred both must match, else one of them. */
  readonly dayOfMonthStarred: boolean;
  readonly dayOfWeekStarred: boolean;
  /** The days that the day fields name beside these values; undefined for none. */
  readonly monthDays?: MonthDays;
}

/** The days of each day field whose dates depend on the month. */
export interface MonthDays {
  readonly dayOfMonth: readonly MonthDay[];
  readonly dayOfWeek: readonly MonthDay[];
}

/** The two things that a schedule can mean, and the zone of its `TZ=` prefix if it has one. */
export type ParsedSchedule =
  & { readonly zone?: string }
  & (
    | { readonly kind: "calendar"; readonly fields: CalendarFields }
    | { readonly kind: "every"; readonly everyMs: number }
  );

/** Unicode's White_Space, which is not JavaScript's `\s`: that one lacks U+0085 and has U+FEFF. */
const BLANKS = "\\u0009-\\u000d\\u0020\\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const BETWEEN_FIELDS = new RegExp(`[${BLANKS}]+`, "u");
const LEADING_BLANKS = new RegExp(`^[${BLANKS}]+`, "u");
const BLANK = new RegExp(`[${BLANKS}]`, "u");

/** The nicknames of schedules, by the fields that they stand for. */
export const DESCRIPTORS: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};
const EVERY = "@every ";
const SHORTEST_INTERVAL_MS = 1_000;

/** Extensions of Kubernetes' grammar. */
export interface GrammarOptions {
  /** @default {"Kubernetes"} */
  readonly grammar?: Grammar | undefined;
  /** The text that `H` is spread by, such as `namespace/name`; without it `H` is refused. */
  readonly hashKey?: string | undefined;
}

/**
 * Reads a schedule exactly as Kubernetes does (robfig/cron v3 `ParseStandard`): `[TZ=zone ] ( @descriptor | five fields )`.
 * Kubernetes refuses the syntax that the options add: no schedule of Kubernetes' changes its meaning by them.
 *
 * @throws {ScheduleError} for everything else.
 */
export function parseGrammar(text: string, options: GrammarOptions = {}): ParsedSchedule {
  if (text === "") throw new ScheduleError("schedule", text, `is empty; ${FIVE_FIELDS}`);
  if (!text.startsWith("TZ=") && !text.startsWith("CRON_TZ=")) return parseBare(text, options);
  const blank = text.indexOf(" ");
  if (blank < 0) {
    throw new ScheduleError("schedule", text, "there must be a space and a schedule after the time zone");
  }
  const name = text.slice(text.indexOf("=") + 1, blank);
  const zone = name === "" ? "UTC" : name;
  if (zone !== "Local") checkTimeZone(zone);
  return { ...parseBare(trimBlanks(text.slice(blank)), options), zone };
}

function parseBare(text: string, options: GrammarOptions): ParsedSchedule {
  if (!text.startsWith("@")) return { kind: "calendar", fields: parseFields(text, options) };
  const descriptor = ownValue(DESCRIPTORS, text);
  if (descriptor !== undefined) return { kind: "calendar", fields: parseFields(descriptor, {}) };
  if (!text.startsWith(EVERY)) throw new ScheduleError("descriptor", text, descriptorRemedy(text));
  const intervalMs = Number(parseDuration(text.slice(EVERY.length)) / 1_000_000_000n) * 1_000;
  return { kind: "every", everyMs: Math.max(SHORTEST_INTERVAL_MS, intervalMs) };
}

function parseFields(text: string, { hashKey, grammar = "Kubernetes" }: GrammarOptions): CalendarFields {
  const parts = text.split(BETWEEN_FIELDS).filter((part) => part !== "");
  if (parts.length !== 5) throw new ScheduleError("schedule", text, fieldCountRemedy(parts.length));
  const [minute = "", hour = "", dayOfMonth = "", month = "", dayOfWeek = ""] = parts;
  const read = (field: FieldName, text: string): FieldValues => parseField(field, text, hashKey, grammar);
  const days = read("day-of-month", dayOfMonth);
  const weekdays = read("day-of-week", dayOfWeek);
  const fields = {
    minute: read("minute", minute).values,
    hour: read("hour", hour).values,
    dayOfMonth: days.values,
    month: read("month", month).values,
    dayOfWeek: weekdays.values,
    dayOfMonthStarred: days.starred,
    dayOfWeekStarred: weekdays.starred,
  };
  if (days.monthDays.length === 0 && weekdays.monthDays.length === 0) return fields;
  return { ...fields, monthDays: { dayOfMonth: days.monthDays, dayOfWeek: weekdays.monthDays } };
}

const FIVE_FIELDS = 'must be five fields, "minute hour day-of-month month day-of-week", or a descriptor such as @daily';

function fieldCountRemedy(count: number): string {
  const extra = count === 6 || count === 7 ? "; Kubernetes has no field for seconds or years" : "";
  return `has ${count} field${count === 1 ? "" : "s"}; ${FIVE_FIELDS}${extra}`;
}

function descriptorRemedy(text: string): string {
  const known = `must be ${Object.keys(DESCRIPTORS).join(", ")} or "@every DURATION"`;
  const plain = trimBlanks(text).toLowerCase();
  if (plain === "@reboot") return `${known}; nothing runs at start-up, create a Job for that`;
  if (plain.startsWith("@every")) return `${known}, with one space, such as "@every 1h30m"`;
  if (Object.hasOwn(DESCRIPTORS, plain)) return `write "${plain}", in lower case and with nothing around it`;
  return known;
}

/** Works from both ends, as a pattern anchored at the end would look at every run of blanks in the middle. */
function trimBlanks(text: string): string {
  let end = text.length;
  while (end > 0 && BLANK.test(text.charAt(end - 1))) end--;
  return text.slice(0, end).replace(LEADING_BLANKS, "");
}
