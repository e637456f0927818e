import type { EpochMs } from "../../base/epoch_ms.ts";
import { CLOCK_TOLERANCE_MS } from "../api/job.ts";
import type { DecisionInput } from "./input.ts";

/** Returns whether a time has come, as far as clocks agree: one that has not was decided on by a clock that was ahead. */
export function hasCome(time: EpochMs, now: EpochMs): boolean {
  return time <= now + CLOCK_TOLERANCE_MS;
}

/** Returns the run that waits for an active one to end. */
export function queuedTime({ cronJob: { recorded }, now }: DecisionInput): EpochMs | undefined {
  const { queuedTime } = recorded;
  return queuedTime !== undefined && hasCome(queuedTime, now) ? queuedTime : undefined;
}

/** Returns the newest scheduled time among the recorded runs and the one that waits. */
export function recordedUntil(input: DecisionInput): EpochMs {
  const times = input.cronJob.recorded.recordedTimes.filter((time) => hasCome(time, input.now));
  return Math.max(...times, queuedTime(input) ?? -Infinity);
}
