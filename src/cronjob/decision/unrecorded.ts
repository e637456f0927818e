import type { EpochMs } from "../../base/epoch_ms.ts";
import type { CronJob } from "../api/cron_job.ts";
import type { Child } from "../api/job.ts";
import type { Findings } from "./findings.ts";
import { isAmong, newestRecorded } from "./stretches.ts";

/**
 * Returns whether nothing but the Job itself says that it was started: once it is gone, its time or trigger would start
 * again.
 */
export function isUnrecorded(
  { scheduledTime, triggeredBy }: Child,
  { input: { cronJob }, start }: Pick<Findings, "input" | "start">,
): boolean {
  if (scheduledTime !== undefined) return !isRecorded(cronJob, scheduledTime, start.recorded.time);
  return triggeredBy !== undefined && triggeredBy !== cronJob.answeredTrigger;
}

/** Returns whether the status holds that this time was started. `last` is the last start that it holds, as far as it is believed. */
export function isRecorded(
  { passedOver, waiting }: CronJob,
  time: EpochMs,
  last: EpochMs | undefined,
): boolean {
  return time <= (newestRecorded(last, passedOver) ?? -Infinity) && !isAmong([...passedOver, ...waiting], time);
}
