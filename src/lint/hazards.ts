import type { Settings } from "../cronjob/api/settings.ts";
import { type CronJobManifest, exclusionsPath, schedulePath } from "../manifest_files/cron_job.ts";
import { CalendarSchedule } from "../schedule/calendar_schedule.ts";
import { touchedClockChanges } from "../schedule/clock_changes.ts";
import type { EpochMs } from "../schedule/epoch_ms.ts";
import type { Schedule } from "../schedule/schedule.ts";
import { type Finding, warningFinding } from "./finding.ts";

/** All that the rules below look at. */
export interface HazardInput {
  readonly cronJob: CronJobManifest;
  readonly settings: Settings;
  /** The schedule that the controller follows. */
  readonly asked: Schedule;
  /** The same before anything is excluded. */
  readonly base: Schedule;
  /** The schedules that the base is the union of. */
  readonly parts: readonly Schedule[];
  readonly now: EpochMs;
}

/** One of the schedules, and the field in which it stands. */
interface PartInput extends HazardInput {
  readonly schedule: Schedule;
  readonly path: string;
}

type Rule<Input> = (input: Input) => Finding[];

const RULES: readonly Rule<HazardInput>[] = [everythingExcluded, pastExclusions, allowPilesUp, keepsAllJobs];
const PART_RULES: readonly Rule<PartInput>[] = [neverRuns, dayOrWeekday, numberedWeekday, insideClockChanges];

/** What the API server takes and people regret. */
export function hazards(input: HazardInput): Finding[] {
  const ofParts = input.parts.flatMap((schedule, i) => {
    const path = schedulePath(input.cronJob, i);
    return PART_RULES.flatMap((rule) => rule({ ...input, schedule, path }));
  });
  return [...ofParts, ...RULES.flatMap((rule) => rule(input))];
}

function neverRuns({ schedule, path }: PartInput): Finding[] {
  return schedule.neverRuns ? [warningFinding("never-runs", path, "no date matches: it never runs")] : [];
}

function everythingExcluded({ cronJob, asked, base, now }: HazardInput): Finding[] {
  if (base.next(now) === undefined || asked.anchoredAt(now).next(now) !== undefined) return [];
  return [warningFinding("everything-excluded", exclusionsPath(cronJob), "excludes every time: it never runs")];
}

/** What is over excludes nothing any more; yearly dates and windows come again. */
function pastExclusions({ cronJob, settings, now }: HazardInput): Finding[] {
  const today = new Date(now).toISOString().slice(0, 10);
  return settings.exclude.flatMap(({ dates, to }, i) => {
    const path = exclusionsPath(cronJob, `[${i}]`);
    const past = dates?.filter((date) => !date.startsWith("--") && date < today) ?? [];
    if (past.length > 0) return [warningFinding("past-exclusion", path, `lies in the past: ${past.join(", ")}`)];
    return to !== undefined && to < today ? [warningFinding("past-exclusion", path, `lies in the past: to ${to}`)] : [];
  });
}

/** Two day fields are joined by AND only if one of them is a star. */
function dayOrWeekday({ schedule, path }: PartInput): Finding[] {
  if (!(schedule instanceof CalendarSchedule)) return [];
  const { dayOfMonth, dayOfMonthStarred, dayOfWeek, dayOfWeekStarred, monthDays } = schedule.fields;
  const namesDates = dayOfMonth.length > 0 || (monthDays?.dayOfMonth.length ?? 0) > 0;
  const namesWeekdays = dayOfWeek.length > 0 || (monthDays?.dayOfWeek.length ?? 0) > 0;
  const restricts = dayOfMonth.length < 31 || dayOfWeek.length < 7;
  if (dayOfMonthStarred || dayOfWeekStarred || !namesDates || !namesWeekdays || !restricts) return [];
  return [warningFinding(
    "day-or-weekday",
    path,
    "runs on days that match day-of-month OR day-of-week; for one of them alone write * for the other, and to need both " +
      "let the Job check the date",
  )];
}

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/** `5#2` and `5L` come from Quartz, in whose documentation 5 is a Thursday. */
function numberedWeekday({ schedule, path }: PartInput): Finding[] {
  if (!(schedule instanceof CalendarSchedule) || schedule.fields.monthDays === undefined) return [];
  const match = /(?<=[\s,])\+?0*([0-7])(#\+?0*[1-5]|L)(?![^\s,])/i.exec(schedule.text);
  if (match === null) return [];
  const [item, number, place] = match;
  const weekday = WEEKDAYS[Number(number) % 7];
  const inQuartz = WEEKDAYS[Number(number) - 1] ?? "no weekday";
  const named = weekday.slice(0, 3).toUpperCase() + place.toUpperCase();
  return [warningFinding(
    "numbered-weekday",
    path,
    `the ${number} of ${item} is ${weekday}, as everywhere in cron (0 and 7 are Sunday), but ${inQuartz} in Quartz, which ` +
      `counts from 1 = Sunday; ${named} is the same for both`,
  )];
}

const TWO_YEARS_MS = 2 * 366 * 86_400_000;

/** Schedules that run every hour lose nothing: their runs follow the time that passes. */
function insideClockChanges({ cronJob, schedule, path, now }: PartInput): Finding[] {
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
      ? [warningFinding(
        "clock-change-gap",
        path,
        `the clocks skip the time ${span(skipped.firstWall, skipped.endWall)}, and with it ${runs(skipped.matches)}: ` +
          remedy,
      )]
      : []),
    ...(repeated
      ? [warningFinding(
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

function allowPilesUp({ cronJob, settings, base }: HazardInput): Finding[] {
  if (settings.policy !== "Allow" || Number.isFinite(settings.maxActive) || base.neverRuns) return [];
  const { spec } = cronJob.object;
  if (settings.latenessMs !== undefined || (spec.jobTemplate?.spec?.activeDeadlineSeconds ?? null) !== null) return [];
  return [warningFinding(
    "allow-without-deadline",
    spec.concurrencyPolicy === undefined ? "spec" : "spec.concurrencyPolicy",
    "concurrencyPolicy Allow without a deadline lets slow or late runs pile up: set startingDeadlineSeconds, " +
      "jobTemplate.spec.activeDeadlineSeconds, or another concurrencyPolicy",
  )];
}

function keepsAllJobs({ cronJob, settings }: HazardInput): Finding[] {
  const unlimited = [
    ...(settings.successfulLimit === undefined ? ["successfulJobsHistoryLimit"] : []),
    ...(settings.failedLimit === undefined ? ["failedJobsHistoryLimit"] : []),
  ];
  const expires = (cronJob.object.spec.jobTemplate?.spec?.ttlSecondsAfterFinished ?? null) !== null;
  if (unlimited.length === 0 || expires) return [];
  const limits = unlimited.join(" and ");
  return [warningFinding("no-history-limit", "spec", `keeps every finished Job: set ${limits}`)];
}

const CROWD = 5;

/** The CronJobs that all start at the top of the hour, if they are many. Sub-hourly ones cannot do otherwise. */
export function topOfTheHour(cronJobs: readonly (readonly Schedule[])[]): number[] {
  const crowd = cronJobs.flatMap((parts, i) => parts.some(isOnTheHour) ? [i] : []);
  return crowd.length >= CROWD ? crowd : [];
}

function isOnTheHour(schedule: Schedule): boolean {
  return schedule instanceof CalendarSchedule && schedule.fields.minute.join() === "0" && !schedule.neverRuns;
}
