import { type CronJobManifest, schedulePath } from "../manifest_files/cron_job.ts";
import { CalendarSchedule } from "../schedule/calendar_schedule.ts";
import type { Schedule } from "../schedule/schedule.ts";
import { finding, place, type PlacedFinding } from "./finding.ts";

/** A CronJob whose schedules can be read, before anything is excluded. */
export interface Readable {
  readonly cronJob: CronJobManifest;
  readonly parts: readonly Schedule[];
}

const CROWD = 5;

/** Finds many CronJobs that all start at the top of the hour. CronJobs that run several times an hour are left out. */
export function crowds(readable: readonly Readable[]): PlacedFinding[] {
  const crowd = readable.filter(({ parts }) => parts.some(isOnTheHour)).map(({ cronJob }) => cronJob);
  const [first, second] = crowd;
  if (!first || !second || crowd.length < CROWD) return [];
  const remedy = first.api.extrasIn === "spec"
    ? "spread them with H for the minute, or with spec.spreadSeconds"
    : "spread them with other minutes, or with the annotation cronjob-controller.dev/schedule and H for the minute";
  const message = `${crowd.length} CronJobs start at the top of the hour (${first.key}, ${second.key}, …): ${remedy}`;
  return [place(finding("top-of-the-hour", schedulePath(first), message), first)];
}

function isOnTheHour(schedule: Schedule): boolean {
  return schedule instanceof CalendarSchedule && schedule.fields.minute.join() === "0" && !schedule.neverRuns;
}

/** Finds CronJobs that stand in two places, and those of two APIs whose Jobs have one name. */
export function namesakes(cronJobs: readonly CronJobManifest[]): PlacedFinding[] {
  const first = new Map<string, CronJobManifest>();
  return cronJobs.flatMap((cronJob) => {
    const { api, key, object } = cronJob;
    if (!object.metadata?.name) return [];
    const before = first.get(key);
    if (before === undefined) {
      first.set(key, cronJob);
      return [];
    }
    const where = `${before.source}:${before.position("metadata.name").line}`;
    const found = before.api === api
      ? finding("duplicate", "metadata.name", `the same CronJob stands in ${where}: the one that is applied last wins`)
      : finding(
        "shared-name",
        "metadata.name",
        `the CronJob of ${before.object.apiVersion} in ${where} has this name too, and so have their Jobs: rename one`,
      );
    return [place(found, cronJob)];
  });
}
