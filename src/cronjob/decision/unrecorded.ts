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
  if (scheduledTime !== undefined) {
    const { passedOver, waiting } = cronJob;
    return scheduledTime > (newestRecorded(start.recorded.time, passedOver) ?? -Infinity) ||
      isAmong([...passedOver, ...waiting], scheduledTime);
  }
  return triggeredBy !== undefined && triggeredBy !== cronJob.answeredTrigger;
}
