import type { EpochMs } from "../../base/epoch_ms.ts";
import { hasCome } from "../api/job.ts";
import type { DecisionInput } from "./input.ts";
import { proves } from "./stretches.ts";

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

/** The newest scheduled time that the status records, as far as it is believed, and what it says where it isn't. */
export interface RecordedLast {
  readonly time: EpochMs | undefined;
  readonly disbelieved: EpochMs | undefined;
}

/**
 * Reads `status.lastScheduleTime`. One that was written before it came, by the API server's clock, was either started by a
 * clock that was ahead, of which there is a record, or of no run at all. Then what the schedule had reached when it was
 * written takes its place: since then nothing was started.
 */
export function readLastSchedule(
  { cronJob, facts, now }: Pick<DecisionInput, "cronJob" | "facts" | "now">,
): RecordedLast {
  const { lastScheduleTime: time } = cronJob.recorded;
  const writtenAt = cronJob.lastScheduleWrittenAt ?? Infinity;
  const reading = cronJob.schedule;
  const isCredible = time === undefined || hasCome(time, Math.max(now, writtenAt)) ||
    time <= (facts?.startedUntil ?? -Infinity) || proves(cronJob.passedOver, time);
  if (isCredible || reading.kind === "problem") return { time, disbelieved: undefined };
  const created = cronJob.createdAt ?? -Infinity;
  const reached = reading.schedule.anchoredAt(created).previous(Math.min(writtenAt, now) + 1);
  return { time: reached !== undefined && reached > created ? reached : undefined, disbelieved: time };
}
