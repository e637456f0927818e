import { ownValue } from "../base/own_value.ts";
import { FIELD_RULES, type FieldName } from "../schedule/field_item.ts";
import { DESCRIPTORS } from "../schedule/grammar.ts";
import { CrontabError } from "./crontab_error.ts";

/**
 * When cron runs an entry, read by cron's own rules (Debian's cron, which is Vixie's). Except for the limits of fields and
 * their names, nothing here knows how Kubernetes reads a schedule, so that the two readings can prove each other.
 */
export interface CronTimes {
  /** Rising; Sunday is 0. */
  readonly fields: Readonly<Record<FieldName, readonly number[]>>;
  /** Both day fields must match as soon as one of them begins with a star, also with a step behind it; else one suffices. */
  readonly days: "Both" | "Either";
  /** Whether the minute or the hour begins with a star: such an entry goes by the wall clock through clock changes. */
  readonly isWildcard: boolean;
}

/** Sunday may be 7. */
const RULES = FIELD_RULES.Extended;
export const CRON_FIELDS = Object.keys(RULES) as readonly FieldName[];

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
  const texts = text.split(" ");
  const [isMinuteStarred, isHourStarred, isDateStarred, , isWeekdayStarred] = texts.map((each) => each.startsWith("*"));
  const fields = CRON_FIELDS.map((field, i) => [field, readField(field, texts[i] ?? "")]);
  return {
    fields: Object.fromEntries(fields),
    days: isDateStarred || isWeekdayStarred ? "Both" : "Either",
    isWildcard: Boolean(isMinuteStarred || isHourStarred),
  };
}

function readNickname(text: string): CronTimes {
  const meaning = ownValue(DESCRIPTORS, text);
  if (meaning !== undefined) return readCronTimes(meaning);
  const known = Object.keys(DESCRIPTORS).join(", ");
  const reason = FOREIGN_NICKNAMES[text.toLowerCase()] ?? `cron knows ${known}, in lower case`;
  throw new CrontabError(`${text}: ${reason}`);
}

/** A star, a number or name, or a range of them, then a step; other text may follow. */
const ITEM = /(?:(\*)|([a-z0-9]+)(?:-([a-z0-9]+))?)(?:\/([a-z0-9]+))?/iy;

/** Returns the values, rising, each once; none for a range from a larger one, which cron accepts and never runs. */
function readField(field: FieldName, text: string): number[] {
  const { min, largest } = RULES[field];
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
      const range = `${firstText}-${largest}/${stepText}`;
      throw wrong(field, text, `cron takes a step after a star or a range only: write ${range}`);
    }
    const first = star ? min : readValue(field, firstText, text);
    const last = star ? largest : lastText === undefined ? first : readValue(field, lastText, text);
    const step = stepText === undefined ? 1 : readStep(field, stepText, text);
    for (let value = first; value <= last; value += step) values.add(field === "day-of-week" ? value % 7 : value);
  } while (text[at++] === ",");
  const ignored = text.slice(at - 1);
  if (ignored !== "") throw wrong(field, text, ignoredRemedy(ignored));
  return [...values].sort((a, b) => a - b);
}

function readValue(field: FieldName, text: string, whole: string): number {
  const { min, largest, names } = RULES[field];
  const named = names.indexOf(text.toLowerCase());
  const value = named >= 0 ? named + min : /^\d+$/.test(text) ? Number(text) : NaN;
  if (value >= min && value <= largest) return value;
  throw wrong(field, whole, allowed(field));
}

function readStep(field: FieldName, text: string, whole: string): number {
  if (/^\d+$/.test(text) && Number(text) > 0) return Number(text);
  throw wrong(field, whole, 'the step after "/" must be a number from 1');
}

function allowed(field: FieldName): string {
  const { min, largest, names } = RULES[field];
  const named = names.length > 0 ? ` or ${names[0]}-${names.at(-1)}` : "";
  return `must be ${min}-${largest}${named}`;
}

/** cron skips such text without a word, though its author meant something. */
function ignoredRemedy(ignored: string): string {
  if (ignored.startsWith("~")) {
    return `"${ignored}" is cronie's random time, which Debian's cron ignores: write H in the CronJob's extended schedule`;
  }
  return `cron ignores "${ignored}": say what is meant`;
}

function wrong(field: FieldName, text: string, remedy: string): CrontabError {
  return new CrontabError(`${field} "${text}": ${remedy}`);
}
