import { CalendarSchedule } from "../calendar_schedule.ts";
import { parseDuration } from "../duration.ts";
import { type EpochMs, parseTime } from "../../base/epoch_ms.ts";
import { DAY_MS } from "../month.ts";
import { parseSchedule } from "../parse_schedule.ts";
import { ScheduleError } from "../schedule_error.ts";
import { type TimeZone, timeZone } from "../time_zone.ts";
import { daySpan, midnightOf, type YearlyDate } from "./dates.ts";
import { ExcludedTimes } from "./excluded_times.ts";
import type { Exclusion } from "./exclusion.ts";
import type { Span } from "./span.ts";
import type { Window } from "./windows.ts";

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const YEARLY = /^--(\d\d)-(\d\d)$/;
const LOCAL_TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d):(\d\d)$/;
const MINUTE_NS = 60_000_000_000n;
/** The CRD's limit. */
const MOST_ENTRIES = 1_000;
const LONGEST_WINDOW_MS = 31 * DAY_MS;
/** A leap year, in which there is a 29 February. */
const LEAP_YEAR = 2000;

/** The most characters of keys in `known`; beyond it all are dropped. */
const KEPT = 2_000_000;
const known = new Map<string, ExcludedTimes>();
let kept = 0;

/**
 * Reads the exclusions of a CronJob, by the wall clock of its zone. CronJobs with the same exclusions share one object.
 *
 * @throws {ScheduleError} whose message says which entry is wrong, the text there, and the remedy.
 */
export function readExclusions(exclude: readonly Exclusion[], zoneName: string): ExcludedTimes {
  const key = `${zoneName} ${JSON.stringify(exclude)}`;
  const before = known.get(key);
  if (before) return before;
  if (exclude.length > MOST_ENTRIES) {
    refuse("exclude", `${exclude.length} entries`, `must have at most ${MOST_ENTRIES}`);
  }
  const zone = timeZone(zoneName);
  const fixed: Span[] = [];
  const yearly: YearlyDate[] = [];
  const windows: Window[] = [];
  for (const [i, entry] of exclude.entries()) {
    const at = `exclude[${i}]` as const;
    const form = formOf(entry, at);
    if (form === "dates") {
      for (const [k, text] of entry.dates!.entries()) {
        const field = `${at}.dates[${k}]` as const;
        const date = readYearly(text);
        if (date) yearly.push(date);
        else fixed.push(daySpan(zone, readDate(text) ?? refuse(field, text, DATE_REMEDY)));
      }
    } else if (form === "span") fixed.push(readSpan(entry, zone, at));
    else windows.push(readWindow(entry, zone, at));
  }
  const excluded = new ExcludedTimes(zone, { fixed, yearly, windows });
  kept += key.length;
  if (kept > KEPT) {
    known.clear();
    kept = key.length;
  }
  known.set(key, excluded);
  return excluded;
}

const DATE_REMEDY = "must be a date such as 2026-12-25, or --12-31 for each year";
const TIME_REMEDY = "must be a date such as 2026-12-24, a local time such as 2026-12-24T18:00, or a time such as " +
  "2026-12-24T18:00:00Z, in whole minutes";
const FORM_REMEDY =
  "must have either dates, or from and to, or schedule and, if it lasts longer than a minute, duration";

function formOf(entry: Exclusion, at: `exclude[${number}]`): "dates" | "span" | "window" {
  const isObject = typeof entry === "object" && entry !== null && !Array.isArray(entry);
  const names = isObject
    ? Object.keys(entry).filter((name) => entry[name as keyof Exclusion] !== undefined).sort()
    : [];
  switch (names.join()) {
    case "dates":
      if (Array.isArray(entry.dates)) return "dates";
      break;
    case "from,to":
      return "span";
    case "schedule":
    case "duration,schedule":
      return "window";
  }
  return refuse(at, JSON.stringify(entry) ?? String(entry), FORM_REMEDY);
}

function readSpan({ from, to }: Exclusion, zone: TimeZone, at: `exclude[${number}]`): Span {
  const start = readBound(from, zone, "start") ?? refuse(`${at}.from`, String(from), TIME_REMEDY);
  const end = readBound(to, zone, "end") ?? refuse(`${at}.to`, String(to), TIME_REMEDY);
  // A zone may lack a whole day.
  const isEmpty = start === end && from === to && readDate(to) !== undefined;
  if (start < end || isEmpty) return { start, end };
  return refuse(`${at}.to`, String(to), `must be after from, which is ${from}`);
}

function readBound(text: string | undefined, zone: TimeZone, bound: "start" | "end"): EpochMs | undefined {
  const date = readDate(text);
  if (date !== undefined) return daySpan(zone, date)[bound];
  const [, day, hours, minutes] = (typeof text === "string" && LOCAL_TIME.exec(text)) || [];
  const midnight = readDate(day);
  if (midnight !== undefined && Number(hours) < 24 && Number(minutes) < 60) {
    const wall = midnight + (Number(hours) * 60 + Number(minutes)) * 60_000;
    // A time that comes twice counts as the instant that excludes more.
    return bound === "start" ? zone.firstInstantAt(wall) : zone.lastInstantAt(wall);
  }
  const time = parseTime(text);
  return time !== undefined && time % 60_000 === 0 ? time : undefined;
}

function readDate(text: string | undefined): number | undefined {
  const [, year, month, day] = (typeof text === "string" && DATE.exec(text)) || [];
  return year === undefined ? undefined : midnightOf({ year: Number(year), month: Number(month), day: Number(day) });
}

function readYearly(text: string): YearlyDate | undefined {
  const [, month, day] = (typeof text === "string" && YEARLY.exec(text)) || [];
  const date = { month: Number(month), day: Number(day) };
  return month !== undefined && midnightOf({ year: LEAP_YEAR, ...date }) !== undefined ? date : undefined;
}

const NO_MONTH_DAYS = { dayOfMonth: [], dayOfWeek: [] };

function readWindow({ schedule: text, duration }: Exclusion, zone: TimeZone, at: `exclude[${number}]`): Window {
  const durationMs = duration === undefined ? 60_000 : readDuration(duration, at);
  try {
    const schedule = parseSchedule(String(text), {
      timeZone: zone.name,
      grammar: "Extended",
      // A window begins whenever the clock shows its time, and after a gap that held it.
      clockChangePolicy: { gap: "RunAfter", overlap: "Both" },
    });
    if (schedule instanceof CalendarSchedule && !schedule.neverRuns) {
      const { fields, clockChangePolicy } = schedule;
      // Searched month by month: of croner's searches only some are kept, and there may be many windows.
      const searched = { ...fields, monthDays: fields.monthDays ?? NO_MONTH_DAYS };
      return { schedule: new CalendarSchedule(schedule.text, searched, zone, clockChangePolicy), durationMs };
    }
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
    refuse(`${at}.schedule`, String(text), error.message);
  }
  return refuse(`${at}.schedule`, String(text), "must be five fields that name a time, such as 0 22 * * 5");
}

function readDuration(text: string, at: `exclude[${number}]`): number {
  let ns = 0n;
  try {
    ns = parseDuration(String(text));
  } catch (error) {
    if (!(error instanceof ScheduleError)) throw error;
  }
  const ms = Number(ns / 1_000_000n);
  if (ns > 0n && ns % MINUTE_NS === 0n && ms <= LONGEST_WINDOW_MS) return ms;
  return refuse(`${at}.duration`, String(text), "must be whole minutes, from 1m to 744h, such as 90m");
}

function refuse(field: `exclude${string}`, text: unknown, remedy: string): never {
  throw new ScheduleError(field, String(text), remedy);
}
