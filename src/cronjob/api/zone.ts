import type { CronJob } from "./cron_job.ts";
import { isTimeZone } from "../../schedule/time_zone.ts";

/** Returns the zone by whose wall clock a CronJob's times are shown. */
export function zoneOf({ schedule, settings: { timeZone } }: CronJob): string {
  if (schedule.kind === "schedule") return schedule.schedule.timeZone;
  return timeZone !== undefined && isTimeZone(timeZone) ? timeZone : "UTC";
}
