import type { CronJob } from "../cronjob/api/cron_job.ts";
import { isTimeZone } from "../schedule/time_zone.ts";

/** The zone by whose wall clock a CronJob's times are told. */
export function zoneOf({ schedule, settings: { timeZone } }: CronJob): string {
  if (schedule.kind === "schedule") return schedule.schedule.timeZone;
  return timeZone !== undefined && isTimeZone(timeZone) ? timeZone : "UTC";
}
