import { ownValue } from "../base/own_value.ts";
import { CrontabError } from "./crontab_error.ts";

/**
 * When cron runs an entry, read by cron's own rules (Debian's cron, which is Vixie's). Nothing here knows how Kubernetes reads
 * a schedule, so that the two readings can prove each other.
 */
export interface CronTimes {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly daysOfMonth: readonly number[];
  /** 1 is January. */
  readonly months: readonly number[];
  /** 0 is Sunday. */
  readonly daysOfWeek: readonly number[];
  /** Both day fields must match as soon as one of them begins with a star, also with a step behind it; else one suffices. */
  readonly days: "Both" | "Either";
  /** Whether the minute or the hour begins with a star: such an entry goes by the wall clock through clock changes. */
  readonly isWildcard: boolean;
}

export const CRON_FIELDS = ["minute", "hour", "day-of-month", "month", "day-of-week"] as const;
export type CronField = (typeof CRON_FIELDS)[number];

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

interface Bounds {
  readonly low: number;
  readonly high: number;
  readonly names: readonly string[];
}

const BOUNDS: Readonly<Record<CronField, Bounds>> = {
  "minute": { low: 0, high: 59, names: [] },
  "hour": { low: 0, high: 23, names: [] },
  "day-of-month": { low: 1, high: 31, names: [] },
  "month": { low: 1, high: 12, names: MONTHS },
  "day-of-week": { low: 0, high: 7, names: WEEKDAYS },
};

/** The nicknames, by the fields that they stand for. */
const NICKNAMES: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

/** Nicknames that other crons know beside these. */
const FOREIGN_NICKNAMES: Readonly<Record<string, string>> = {
  "@reboot":
    "nothing runs at start-up in Kubernetes: leave it to cron, or use a service of systemd or launchd, on a cluster a Deployment",
  "@every_minute": "FreeBSD's: write * * * * *",
  "@every_second": "FreeBSD's: a CronJob runs once a minute at most; let the command loop",
};

/** @param text five fields with single blanks between them, or a nickname */
export function readCronTimes(text: string): CronTimes {
  if (text.startsWith("@")) return readNickname(text);
  const [minute = "", hour = "", dayOfMonth = "", month = "", dayOfWeek = ""] = text.split(" ");
  const someStarts = (...fields: string[]) => fields.some((field) => field.startsWith("*"));
  return {
    minutes: readField("minute", minute),
    hours: readField("hour", hour),
    daysOfMonth: readField("day-of-month", dayOfMonth),
    months: readField("month", month),
    // Sunday has two numbers.
    daysOfWeek: [...new Set(readField("day-of-week", dayOfWeek).map((day) => day % 7))].sort((a, b) => a - b),
    days: someStarts(dayOfMonth, dayOfWeek) ? "Both" : "Either",
    isWildcard: someStarts(minute, hour),
  };
}

function readNickname(text: string): CronTimes {
  const meaning = ownValue(NICKNAMES, text);
  if (meaning !== undefined) return readCronTimes(meaning);
  const known = Object.keys(NICKNAMES).join(", ");
  const reason = FOREIGN_NICKNAMES[text.toLowerCase()] ?? `cron knows ${known}, in lower case`;
  throw new CrontabError(`${text}: ${reason}`);
}

/** A star, a number or name, or a range of them, then a step. What follows is not looked at. */
const ITEM = /(?:(\*)|([a-z0-9]+)(?:-([a-z0-9]+))?)(?:\/([a-z0-9]+))?/iy;

/** Rising, each once. Empty where the ends of a range are the wrong way round: cron takes that, and runs nothing. */
function readField(field: CronField, text: string): number[] {
  const { low, high } = BOUNDS[field];
  const values = new Set<number>();
  let at = 0;
  do {
    ITEM.lastIndex = at;
    const match = ITEM.exec(text);
    if (match === null) throw wrong(field, text, allowed(field));
    const [item, star, firstText = "", lastText, stepText] = match;
    at += item.length;
    const next = text[at];
    if (stepText === undefined && next === "/") throw wrong(field, text, 'the step after "/" must be a number');
    if (lastText === undefined && next === "-" && !star) throw wrong(field, text, "a range must have two ends");
    if (stepText !== undefined && lastText === undefined && !star) {
      throw wrong(
        field,
        text,
        `cron takes a step after a star or a range only: write ${firstText}-${high}/${stepText}`,
      );
    }
    const first = star ? low : readValue(field, firstText, text);
    const last = star ? high : lastText === undefined ? first : readValue(field, lastText, text);
    const step = stepText === undefined ? 1 : readStep(field, stepText, text);
    for (let value = first; value <= last; value += step) values.add(value);
  } while (text[at++] === ",");
  const ignored = text.slice(at - 1);
  if (ignored !== "") throw wrong(field, text, ignoredRemedy(ignored));
  return [...values].sort((a, b) => a - b);
}

function readValue(field: CronField, text: string, whole: string): number {
  const { low, high, names } = BOUNDS[field];
  const named = names.indexOf(text.toLowerCase());
  const value = named >= 0 ? named + low : /^\d+$/.test(text) ? Number(text) : NaN;
  if (value >= low && value <= high) return value;
  throw wrong(field, whole, allowed(field));
}

function readStep(field: CronField, text: string, whole: string): number {
  if (/^\d+$/.test(text) && Number(text) > 0) return Number(text);
  throw wrong(field, whole, 'the step after "/" must be a number from 1');
}

function allowed(field: CronField): string {
  const { low, high, names } = BOUNDS[field];
  const named = names.length > 0 ? ` or ${names[0]}-${names.at(-1)}` : "";
  return `must be ${low}-${high}${named}`;
}

/** cron skips such text without a word; who wrote it meant something. */
function ignoredRemedy(ignored: string): string {
  if (ignored.startsWith("~")) {
    return `"${ignored}" is cronie's random time, which Debian's cron ignores: write H in the CronJob's extended schedule`;
  }
  return `cron ignores "${ignored}": say what is meant`;
}

function wrong(field: CronField, text: string, remedy: string): CrontabError {
  return new CrontabError(`${field} "${text}": ${remedy}`);
}
