import { formatTime } from "../../base/epoch_ms.ts";
import type { Child } from "./job.ts";
import type { RunOutcome, RunRecord } from "./types.ts";

const OUTCOMES: Readonly<Record<Child["state"], RunOutcome>> = {
  active: "Running",
  succeeded: "Succeeded",
  failed: "Failed",
};

/** Returns what is recorded of the run that a Job is. */
export function recordOf(child: Child): RunRecord {
  const { metadata, state, backfill, endTime, endReason, failureMessage } = child;
  const scheduledTime = backfill?.scheduledTime ?? child.scheduledTime;
  return {
    ...(scheduledTime !== undefined && { scheduledTime: formatTime(scheduledTime) }),
    trigger: backfill ? "Backfill" : scheduledTime === undefined ? "Manual" : "Schedule",
    startTime: metadata.creationTimestamp,
    ...(endTime !== undefined && { endTime: formatTime(endTime) }),
    outcome: OUTCOMES[state],
    ...(state === "failed" && endReason !== undefined && { reason: endReason }),
    ...(failureMessage !== undefined && { message: failureMessage }),
    jobName: metadata.name,
  };
}
