import { stableHash } from "../../schedule/stable_hash.ts";
import type { CronJob } from "../api/cron_job.ts";

/**
 * Returns how long after each of its scheduled times this CronJob starts: always the same, and before the deadline has
 * passed.
 */
export function spreadOffsetMs(
  { settings: { spreadSeconds, startingDeadlineMs }, metadata: { uid } }: CronJob,
): number {
  const window = Math.min(spreadSeconds, startingDeadlineMs / 1000);
  return window < 1 ? 0 : stableHash(uid) % Math.floor(window) * 1000;
}
