import type { CronJob } from "../cronjob/api/cron_job.ts";
import type { Child } from "../cronjob/api/job.ts";
import type { FailedRun, RunRecord } from "../cronjob/api/types.ts";
import type { DeepReadonly } from "../kube/object.ts";
import { type EpochMs, parseTime } from "../base/epoch_ms.ts";
import { exitLine } from "../runtime/exit_line.ts";
import type { RunView } from "./cron_job_view.ts";

/**
 * The runs that left a trace, newest first: Jobs, and what the status recorded of others. A Job knows best; of a
 * record that says `Running` and has no Job any more it is unknown how it ended.
 */
export function runsOf(
  { status, flavour, recordedFailedRuns }: CronJob,
  children: readonly Child[],
  isPending: (child: Child) => boolean,
): RunView[] {
  const records = flavour.openStatus ? status.recentRuns ?? [] : [];
  const found = [
    ...records.map(fromRecord),
    ...recordedFailedRuns.map(fromFailedRun),
    ...children.map((child) => runOfJob(child, isPending(child))),
  ];
  return [...new Map(found.map((run) => [keyOfRun(run), run])).values()].sort(newestFirst);
}

/** Returns the same text for the same run of a CronJob. A back-fill runs again what has a run of its own. */
export function keyOfRun({ trigger, scheduledTime, job, startedAt }: RunView): string {
  if (trigger === "Schedule" && scheduledTime !== undefined) return `at ${scheduledTime}`;
  return job === undefined ? `refused ${trigger} ${scheduledTime ?? startedAt}` : `job ${job}`;
}

/** Returns a run with all that its Job and its Pods said: neither has anything to add. */
export function fromFailedRun({ terminated, ...record }: DeepReadonly<FailedRun>): RunView {
  const { exitCode, reason, message } = terminated;
  const isKnown = exitCode !== undefined || reason !== undefined;
  return {
    ...fromRecord(record),
    ...(isKnown && { message: exitLine({ exitCode, reason, message }) }),
    terminated,
  };
}

function fromRecord(record: DeepReadonly<RunRecord>): RunView {
  const isOver = record.outcome !== "Running" && record.outcome !== "Deleted";
  return {
    scheduledTime: parseTime(record.scheduledTime),
    trigger: record.trigger,
    outcome: record.outcome === "Running" || record.outcome === "Deleted" ? "Unknown" : record.outcome,
    reason: record.reason,
    ...(record.message !== undefined && { message: record.message }),
    job: record.jobName,
    startedAt: parseTime(record.startTime),
    endedAt: isOver ? parseTime(record.endTime) : undefined,
  };
}

/** The run that a Job is. */
export function runOfJob(child: Child, isPending: boolean): RunView {
  const { metadata, state, scheduledTime, backfill, createdAt, endTime, endReason, failureMessage } = child;
  return {
    scheduledTime: backfill?.scheduledTime ?? scheduledTime,
    trigger: backfill ? "Backfill" : scheduledTime === undefined ? "Manual" : "Schedule",
    outcome: state === "succeeded" ? "Succeeded" : state === "failed" ? "Failed" : isPending ? "Pending" : "Running",
    reason: state === "failed" ? endReason : undefined,
    ...(failureMessage !== undefined && { message: failureMessage }),
    job: metadata.name,
    startedAt: createdAt,
    endedAt: endTime,
  };
}

/** Returns a run that got no Job; without a scheduled time, of a request by hand. */
export function runWithoutJob(
  scheduledTime: EpochMs | undefined,
  outcome: RunView["outcome"],
  reason: string | undefined,
): RunView {
  const trigger = scheduledTime === undefined ? "Manual" : "Schedule";
  return { scheduledTime, trigger, outcome, reason, job: undefined, startedAt: undefined, endedAt: undefined };
}

/** Returns when a run was to start, or started. */
export function timeOf({ trigger, scheduledTime, startedAt }: RunView): EpochMs {
  return (trigger === "Backfill" ? startedAt : scheduledTime ?? startedAt) ?? 0;
}

/** Orders runs of one or several CronJobs; of runs that started in the same second, as back-fills do, by their times. */
export function newestFirst(a: RunView, b: RunView): number {
  return timeOf(b) - timeOf(a) || (b.scheduledTime ?? 0) - (a.scheduledTime ?? 0);
}

/** Returns whether it counts for the schedule, as a requested run of the past does not. */
export function isOfSchedule({ trigger }: RunView): boolean {
  return trigger !== "Backfill";
}

/** Returns how long a run took; undefined while it goes on, or where it is not known when it began. */
export function durationMs({ startedAt, endedAt }: RunView): number | undefined {
  return startedAt === undefined || endedAt === undefined ? undefined : Math.max(0, endedAt - startedAt);
}

/** Returns whether its Job was there before an instant: what waits in line for hours is active once it has one. */
export function startedBefore(run: RunView, instant: EpochMs): boolean {
  return run.job !== undefined && (run.startedAt ?? timeOf(run)) < instant;
}

/** Returns the newest runs that ended, up to the last that succeeded; the newest first, as `runs` are. */
export function failedInARow(runs: readonly RunView[]): readonly RunView[] {
  const ended = runs.filter(isOfSchedule).filter(({ outcome, endedAt }) =>
    endedAt !== undefined && (outcome === "Failed" || outcome === "Succeeded")
  );
  const firstSuccess = ended.findIndex(({ outcome }) => outcome === "Succeeded");
  return firstSuccess < 0 ? ended : ended.slice(0, firstSuccess);
}
