import { partOf } from "../cronjob/api/schedule_reading.ts";
import type { ScheduleSettings, Settings } from "../cronjob/api/settings.ts";
import { type CronJobOfApi, exclusionsPath, schedulePath } from "../manifest_files/cron_job.ts";
import { readExclusions } from "../schedule/exclusions/read_exclusions.ts";
import { quote, ScheduleError } from "../schedule/schedule_error.ts";
import { isTimeZone } from "../schedule/time_zone.ts";
import { checkTimeZone } from "../schedule/check_time_zone.ts";
import { type Finding, finding } from "./finding.ts";

/** Finds all faults in a CronJob's schedules, zones and exclusions, where the controller stops at the first. */
export function scheduleFindings(cronJob: CronJobOfApi, settings: Settings): Finding[] {
  return [
    ...zoneFindings(cronJob),
    ...settings.schedules.flatMap((entry, i) => entryFindings(cronJob, settings, entry, i)),
    ...exclusionFindings(cronJob, settings),
  ];
}

/** Judges the CronJob's zone by itself, as a bad schedule would hide a bad zone. */
function zoneFindings({ object: { spec } }: CronJobOfApi): Finding[] {
  const { timeZone } = spec;
  if (typeof timeZone !== "string" || timeZone === "") return [];
  return errorsOf(() => checkTimeZone(timeZone)).map(({ message }) => finding("time-zone", "spec.timeZone", message));
}

function entryFindings(cronJob: CronJobOfApi, settings: Settings, entry: ScheduleSettings, i: number): Finding[] {
  const own = entry.timeZone === settings.timeZone ? undefined : entry.timeZone;
  const zone = own === undefined ? [] : errorsOf(() => checkTimeZone(String(own)));
  const path = schedulePath(cronJob, i);
  const zonePath = path.endsWith(".schedule") && own !== undefined ? path.replace(/schedule$/, "timeZone") : path;
  const timeZone = typeof entry.timeZone === "string" && isTimeZone(entry.timeZone) ? entry.timeZone : undefined;
  const read = (text: string) => errorsOf(() => partOf({ ...settings, exclude: [] }, { ...entry, text, timeZone }));
  return [
    ...zone.map(({ message }) => finding("time-zone", zonePath, message)),
    ...read(entry.text).flatMap((error) => fieldsApart(entry.text, read) ?? [error]).map(({ message }) =>
      finding("schedule", path, message)
    ),
  ];
}

/** Returns the error of each of the five fields, read among stars; undefined unless several are wrong. */
function fieldsApart(text: string, read: (text: string) => ScheduleError[]): ScheduleError[] | undefined {
  const fields = text.trim().split(/\s+/);
  if (fields.length !== 5) return undefined;
  const errors = fields.flatMap((_, i) => read(fields.map((field, k) => k === i ? field : "*").join(" ")));
  return errors.length > 1 ? errors : undefined;
}

function exclusionFindings(cronJob: CronJobOfApi, { exclude, schedules, timeZone }: Settings): Finding[] {
  // The zone by which schedules are read; an unknown one counts as UTC, as times do not matter here.
  const asked = schedules.length === 1 ? schedules[0].timeZone : timeZone;
  const zone = typeof asked === "string" && isTimeZone(asked) ? asked : "UTC";
  const errors = errorsOf(() => readExclusions(exclude, zone));
  if (errors.length === 0) return [];
  const apart = exclude.flatMap((entry, i) =>
    errorsOf(() => readExclusions([entry], zone)).map(({ field, text, remedy }) =>
      new ScheduleError(field.replace(/^exclude\[0\]/, `exclude[${i}]`) as ScheduleError["field"], text, remedy)
    )
  );
  return (apart.length > 0 ? apart : errors).map(({ field, text, remedy, message }) => {
    const path = exclusionsPath(cronJob, field.slice("exclude".length));
    return finding("exclude", path, path.endsWith(field) ? `${quote(text)}: ${remedy}` : message);
  });
}

/** Returns the error of `read`, or none. */
function errorsOf(read: () => unknown): ScheduleError[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof ScheduleError) return [error];
    throw error;
  }
}
