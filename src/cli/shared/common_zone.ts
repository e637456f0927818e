import type { CronJob } from "../../cronjob/api/cron_job.ts";
import { zoneOf } from "../../cronjob/api/zone.ts";

/** Returns the zone of most of the CronJobs, so that a day is theirs; UTC where there is none. */
export function commonZone(cronJobs: readonly CronJob[]): string {
  const counts = new Map<string, number>();
  for (const cronJob of cronJobs) counts.set(zoneOf(cronJob), (counts.get(zoneOf(cronJob)) ?? 0) + 1);
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))[0]?.[0] ?? "UTC";
}
