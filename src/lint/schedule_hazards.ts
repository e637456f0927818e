import type { CronJobManifest } from "../manifest_files/cron_job.ts";
import { CalendarSchedule } from "../schedule/calendar_schedule.ts";
import { touchedClockChanges } from "../schedule/clock_changes.ts";
import type { EpochMs } from "../schedule/epoch_ms.ts";
import type { Schedule } from "../schedule/schedule.ts";
import { whyNever } from "../schedule/why_never.ts";
import { type Finding, finding } from "./finding.ts";
import { unevenSteps } from "./uneven_steps.ts";

/** One of the schedules of a CronJob, and the field in which it stands. */
export interface ScheduleHazardInput {
  readonly cronJob: CronJobManifest;
  readonly schedule: Schedule;
  readonly path: string;
  readonly now: EpochMs;
}

type Rule = (input: ScheduleHazardInput) => Finding[];

const RULES: readonly Rule[] = [
  neverRuns,
  everyMinute,
  shortMonth,
  dayOrWeekday,
  numberedWeekday,
  insideClockChanges,
  noTimeZone,
];

/** Finds what a schedule says and people regret. */
export function scheduleHazards(input: ScheduleHazardInput): Finding[] {
  return [...unevenSteps(input.schedule, input.path), ...RULES.flatMap((rule) => rule(input))];
}

function neverRuns({ schedule, path }: ScheduleHazardInput): Finding[] {
  return schedule.neverRuns ? [finding("never-runs", path, whyNever(schedule))] : [];
}

/** `* 2 * * *` means two o'clock to those who write it; minutes of neighbouring hours are a span that is meant. */
function everyMinute({ schedule, path }: ScheduleHazardInput): Finding[] {
  if (!(schedule instanceof CalendarSchedule)) return [];
  const { minute, hour } = schedule.fields;
  const isSpan = hour.some((one) => hour.includes((one + 1) % 24));
  if (minute.length < 60 || hour.length === 0 || isSpan) return [];
  const [first] = hour;
  const clock = String(first).padStart(2, "0");
  const message = `runs at every minute from ${clock}:00 to ${clock}:59: write 0 for the minute to run once`;
  return [finding("every-minute", path, message)];
}

const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const MONTHS = "January February March April May June July August September October November December".split(" ");

/** Ranges that end at 31 mean the end of each month, and 29 February alone means leap years. */
function shortMonth({ cronJob, schedule, path }: ScheduleHazardInput): Finding[] {
  if (!(schedule instanceof CalendarSchedule) || schedule.neverRuns) return [];
  const { dayOfMonth, dayOfWeekStarred, month, monthDays } = schedule.fields;
  const latest = dayOfMonth.at(-1) ?? 0;
  const isAlone = dayOfMonth.every((day) => !dayOfMonth.includes(day + 1)) && dayOfMonth.length <= 3;
  const short = month.filter((one) => DAYS_IN_MONTH[one - 1]! < latest);
  if (!isAlone || !dayOfWeekStarred || monthDays !== undefined || short.length === 0) return [];
  if (latest === 29 && month.length === 1) return [];
  const months = short.map((one) => one === 2 && latest === 29 ? "February of most years" : MONTHS[one - 1]).join(", ");
  const last = cronJob.api.extrasIn === "spec"
    ? "write L for the last day"
    : "the annotation cronjob-controller.dev/schedule takes L for the last day";
  return [finding("short-month", path, `there is no day ${latest} in ${months}, and no run on it: ${last}`)];
}

/** Schedules that run every hour of every day are the same in nearly all zones. */
function noTimeZone({ cronJob, schedule, path }: ScheduleHazardInput): Finding[] {
  if (!(schedule instanceof CalendarSchedule) || schedule.text.includes("TZ=")) return [];
  const { hour, dayOfMonth, dayOfWeek, month } = schedule.fields;
  const isAlways = hour.length === 24 && dayOfMonth.length === 31 && dayOfWeek.length === 7 && month.length === 12;
  const { timeZone, schedules } = cronJob.object.spec;
  const entry = /^spec\.schedules\[(\d+)\]/.exec(path)?.[1];
  if (isAlways || (timeZone ?? null) !== null || (schedules?.[Number(entry)]?.timeZone ?? null) !== null) return [];
  const message = "these are times of UTC: set spec.timeZone, such as Europe/Berlin, or UTC to say that it is meant";
  return [finding("no-time-zone", path, message)];
}

/** Two day fields are joined by AND only if one of them is a star. */
function dayOrWeekday({ schedule, path }: ScheduleHazardInput): Finding[] {
  if (!(schedule instanceof CalendarSchedule)) return [];
  const { dayOfMonth, dayOfMonthStarred, dayOfWeek, dayOfWeekStarred, monthDays } = schedule.fields;
  const namesDates = dayOfMonth.length > 0 || (monthDays?.dayOfMonth.length ?? 0) > 0;
  const namesWeekdays = dayOfWeek.length > 0 || (monthDays?.dayOfWeek.length ?? 0) > 0;
  const restricts = dayOfMonth.length < 31 || dayOfWeek.length < 7;
  if (dayOfMonthStarred || dayOfWeekStarred || !namesDates || !namesWeekdays || !restricts) return [];
  return [finding(
    "day-or-weekday",
    path,
    "runs on days that match day-of-month OR day-of-week; for one of them alone write * for the other, and to need both " +
      "let the Job check the date",
  )];
}

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/** `5#2` and `5L` come from Quartz, in whose documentation 5 is a Thursday. */
function numberedWeekday({ schedule, path }: ScheduleHazardInput): Finding[] {
  if (!(schedule instanceof CalendarSchedule) || schedule.fields.monthDays === undefined) return [];
  const match = /(?<=[\s,])\+?0*([0-7])(#\+?0*[1-5]|L)(?![^\s,])/i.exec(schedule.text);
  if (match === null) return [];
  const [item, number, place = ""] = match;
  const weekday = WEEKDAYS[Number(number) % 7]!;
  const inQuartz = WEEKDAYS[Number(number) - 1] ?? "no weekday";
  const named = weekday.slice(0, 3).toUpperCase() + place.toUpperCase();
  return [finding(
    "numbered-weekday",
    path,
    `the ${number} of ${item} is ${weekday}, as everywhere in cron (0 and 7 are Sunday), but ${inQuartz} in Quartz, which ` +
      `counts from 1 = Sunday; ${named} is the same for both`,
  )];
}

const TWO_YEARS_MS = 2 * 366 * 86_400_000;

/** Schedules that run every hour lose nothing: their runs follow the time that passes. */
function insideClockChanges({ cronJob, schedule, path, now }: ScheduleHazardInput): Finding[] {
  if (!(schedule instanceof CalendarSchedule) || schedule.fields.hour.length === 24) return [];
  const { gap, overlap } = schedule.clockChangePolicy;
  const changes = [...touchedClockChanges(schedule, now, now + TWO_YEARS_MS)];
  const skipped = gap === "Skip" ? changes.find(({ kind }) => kind === "gap") : undefined;
  const repeated = overlap === "Both" ? changes.find(({ kind }) => kind === "overlap") : undefined;
  const remedy = cronJob.api.extrasIn === "spec"
    ? "choose another time, UTC, or spec.clockChangePolicy"
    : "choose another time, or UTC";
  const at = (wall: number) => new Date(wall).toISOString().slice(0, 16).replace("T", " ");
  const span = (first: number, end: number) => `from ${at(first)} to ${at(end).slice(11)} in ${schedule.timeZone}`;
  return [
    ...(skipped
      ? [finding(
        "clock-change-gap",
        path,
        `the clocks skip the time ${span(skipped.firstWall, skipped.endWall)}, and with it ${runs(skipped.matches)}: ` +
          remedy,
      )]
      : []),
    ...(repeated
      ? [finding(
        "clock-change-overlap",
        path,
        `the clocks repeat the time ${span(repeated.firstWall, repeated.endWall)}, and so ${runs(repeated.matches)}: ` +
          remedy,
      )]
      : []),
  ];
}

function runs(count: number): string {
  return count === 1 ? "a run" : `${count} runs`;
}
