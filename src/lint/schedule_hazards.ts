import type { CronJobManifest } from "../manifest_files/cron_job.ts";
import { CalendarSchedule } from "../schedule/calendar_schedule.ts";
import { type TouchedClockChange, touchedClockChanges } from "../schedule/clock_changes.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import { MONTH_NAMES } from "../schedule/month.ts";
import type { Schedule } from "../schedule/schedule.ts";
import { whyNever } from "../schedule/why_never.ts";
import { type Finding, finding } from "./finding.ts";
import type { RuleId } from "./rules.ts";

/** One of the schedules of a CronJob, and the field in which it stands. */
export interface ScheduleHazardInput<S = Schedule> {
  readonly cronJob: CronJobManifest;
  readonly schedule: S;
  readonly path: string;
  readonly now: EpochMs;
}

/** Returns messages about a calendar schedule: an interval has none of these hazards. */
type Check = (input: ScheduleHazardInput<CalendarSchedule>) => readonly string[];

const CHECKS: { readonly [rule in RuleId]?: Check } = {
  "uneven-step": (input) => [...unevenSteps(input), ...daySteps(input)],
  "never-runs": ({ schedule }) => schedule.neverRuns ? [whyNever(schedule)] : [],
  "every-minute": everyMinute,
  "short-month": shortMonth,
  "day-or-weekday": dayOrWeekday,
  "clock-change-gap": (input) =>
    input.schedule.clockChangePolicy.gap === "Skip" ? changeOf("gap", input, ["skip", "with it"]) : [],
  "clock-change-overlap": (input) =>
    input.schedule.clockChangePolicy.overlap === "Both" ? changeOf("overlap", input, ["repeat", "so"]) : [],
  "no-time-zone": noTimeZone,
};

/** Finds schedules that do not mean what their authors think. */
export function scheduleHazards({ schedule, path, ...input }: ScheduleHazardInput): Finding[] {
  if (!(schedule instanceof CalendarSchedule)) return [];
  return Object.entries(CHECKS).flatMap(([rule, check]) =>
    check({ ...input, schedule, path }).map((message) => finding(rule as RuleId, path, message))
  );
}

/** The first two fields of a schedule, and the larger unit in which their values come round. */
const STEPPED = [
  { name: "minute", unit: "minutes", values: 60, around: "hour" },
  { name: "hour", unit: "hours", values: 24, around: "day" },
] as const;

/** The first and the last value of the first three fields. */
const LIMITS = [[0, 59], [0, 23], [1, 31]] as const;

/** Steps of 40 minutes or 7 hours, whose times begin anew with each hour or day. */
function unevenSteps({ schedule: { text, fields } }: { readonly schedule: CalendarSchedule }): string[] {
  if (text.startsWith("@")) return [];
  return STEPPED.flatMap(({ name, unit, values, around }, i) => {
    const { field, step } = stepAt(text, i);
    if (values % step === 0) return [];
    const times = fields[name];
    if (times.length === 1) return [`${field} is ${name} ${times[0]} alone: the step is longer than the ${around}`];
    const last = (times.at(-1) ?? 0) - (times[0] ?? 0);
    return [
      `${field} does not divide the ${around} evenly: ${name} ${times.join(", ")}, and then after ` +
      `${values - last} ${unit} ${name} ${times[0]} again`,
    ];
  });
}

/** Returns one of the first fields of a schedule, and the step that it takes through all values; 1 where it takes none. */
function stepAt(text: string, position: number): { field: string; step: number } {
  const field = text.trim().split(/\s+/).slice(-5)[position] ?? "";
  const [first, last] = LIMITS[position]!;
  const [, from = "", step] = /^([^/,]+)\/(\d+)$/.exec(field) ?? [];
  return { field, step: ["*", "H", `${first}`, `${first}-${last}`].includes(from) ? Number(step) : 1 };
}

/** The position of the field of the days of the month. */
const DAY = 2;

/** Steps of 14 days, which begin anew with each month. */
function daySteps({ schedule: { text, fields } }: { readonly schedule: CalendarSchedule }): string[] {
  const { dayOfMonth, dayOfWeek } = fields;
  const { step } = stepAt(text, DAY);
  const [first, last] = [dayOfMonth[0], dayOfMonth.at(-1)];
  if (step === 1 || first === undefined || last === undefined || dayOfWeek.length < 7) return [];
  if (first === last) return [`the step of ${step} days is longer than the month: it is day ${first} alone`];
  const days = dayOfMonth.length > 4 ? `${dayOfMonth.slice(0, 3).join(", ")}, ... ${last}` : dayOfMonth.join(", ");
  return [
    `the step of ${step} days begins anew with each month: days ${days}, and in a month of 31 after ` +
    `${31 - last + first} d day ${first} again; @every ${step * 24}h keeps the distance`,
  ];
}

/** The author of `* 2 * * *` means two o'clock; every minute of neighbouring hours is meant as a span. */
function everyMinute({ schedule: { fields: { minute, hour } } }: ScheduleHazardInput<CalendarSchedule>): string[] {
  const isSpan = hour.some((one) => hour.includes((one + 1) % 24));
  if (minute.length < 60 || hour.length === 0 || isSpan) return [];
  const [first] = hour;
  const clock = String(first).padStart(2, "0");
  return [`runs at every minute from ${clock}:00 to ${clock}:59: write 0 for the minute to run once`];
}

const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Ranges that end at 31 mean the end of each month, and 29 February alone means leap years. */
function shortMonth({ cronJob, schedule }: ScheduleHazardInput<CalendarSchedule>): string[] {
  if (schedule.neverRuns) return [];
  const { dayOfMonth, dayOfWeekStarred, month, monthDays } = schedule.fields;
  const latest = dayOfMonth.at(-1) ?? 0;
  // `uneven-step` reports a step.
  if (stepAt(schedule.text, DAY).step > 1) return [];
  const isAlone = dayOfMonth.every((day) => !dayOfMonth.includes(day + 1)) && dayOfMonth.length <= 3;
  const short = month.filter((one) => DAYS_IN_MONTH[one - 1]! < latest);
  if (!isAlone || !dayOfWeekStarred || monthDays !== undefined || short.length === 0) return [];
  if (latest === 29 && month.length === 1) return [];
  const nameOf = (one: number) => one === 2 && latest === 29 ? "February of most years" : MONTH_NAMES[one - 1];
  const last = cronJob.api.extrasIn === "spec"
    ? "write L for the last day"
    : "the annotation cronjob-controller.dev/schedule takes L for the last day";
  return [`there is no day ${latest} in ${short.map(nameOf).join(", ")}, and no run on it: ${last}`];
}

/** Schedules that run every hour of every day are the same in nearly all zones. */
function noTimeZone({ cronJob, schedule, path }: ScheduleHazardInput<CalendarSchedule>): string[] {
  if (schedule.text.includes("TZ=")) return [];
  const { hour, dayOfMonth, dayOfWeek, month } = schedule.fields;
  const isAlways = hour.length === 24 && dayOfMonth.length === 31 && dayOfWeek.length === 7 && month.length === 12;
  const { timeZone, schedules } = cronJob.object.spec;
  const entry = /^spec\.schedules\[(\d+)\]/.exec(path)?.[1];
  if (isAlways || (timeZone ?? null) !== null || (schedules?.[Number(entry)]?.timeZone ?? null) !== null) return [];
  return ["these are times of UTC: set spec.timeZone, such as Europe/Berlin, or UTC to say that it is meant"];
}

/** Two day fields are joined by AND only if one of them is a star. */
function dayOrWeekday({ schedule }: ScheduleHazardInput<CalendarSchedule>): string[] {
  const { dayOfMonth, dayOfMonthStarred, dayOfWeek, dayOfWeekStarred, monthDays } = schedule.fields;
  const namesDates = dayOfMonth.length > 0 || (monthDays?.dayOfMonth.length ?? 0) > 0;
  const namesWeekdays = dayOfWeek.length > 0 || (monthDays?.dayOfWeek.length ?? 0) > 0;
  const restricts = dayOfMonth.length < 31 || dayOfWeek.length < 7;
  if (dayOfMonthStarred || dayOfWeekStarred || !namesDates || !namesWeekdays || !restricts) return [];
  return [
    "runs on days that match day-of-month OR day-of-week; for one of them alone write * for the other, and to need both " +
    "let the Job check the date",
  ];
}

const TWO_YEARS_MS = 2 * 366 * 86_400_000;

/** Schedules that run every hour lose nothing: their runs follow the time that passes. */
function changeOf(
  wanted: TouchedClockChange["kind"],
  { cronJob, schedule, now }: ScheduleHazardInput<CalendarSchedule>,
  [change, how]: readonly [change: string, how: string],
): string[] {
  if (schedule.fields.hour.length === 24) return [];
  const found = touchedClockChanges(schedule, now, now + TWO_YEARS_MS).find(({ kind }) => kind === wanted);
  if (found === undefined) return [];
  const { firstWall, endWall, matches } = found;
  const at = (wall: number) => new Date(wall).toISOString().slice(0, 16).replace("T", " ");
  const time = `from ${at(firstWall)} to ${at(endWall).slice(11)} in ${schedule.timeZone}`;
  const own = cronJob.api.extrasIn === "spec" ? ", UTC, or spec.clockChangePolicy" : ", or UTC";
  const runs = matches === 1 ? "a run" : `${matches} runs`;
  return [`the clocks ${change} the time ${time}, and ${how} ${runs}: choose another time${own}`];
}
