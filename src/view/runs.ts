import type { CronJob } from "../cronjob/api/cron_job.ts";
import type { Child } from "../cronjob/api/job.ts";
import type { RunRecord } from "../cronjob/api/types.ts";
import type { DeepReadonly } from "../kube/object.ts";
import { type EpochMs, parseTime } from "../schedule/epoch_ms.ts";
import type { RunView } from "./cron_job_view.ts";

/**
 * The runs that something tells of, newest first: Jobs, and what the status recorded of others. A Job knows best; of a
 * record that says `Running` and has no Job any more nobody knows how it ended.
 */
export function runsOf({ status, flavour }: CronJob, children: readonly Child[], isPending: (child: Child) => boolean) {
  const runs = new Map<string, RunView>();
  const records = flavour.openStatus ? status.recentRuns ?? [] : [];
  for (const record of records) runs.set(keyOf(record), fromRecord(record));
  for (const child of children) {
    const run = fromJob(child, isPending(child));
    const key = run.scheduledTime === undefined ? child.metadata.name : String(run.scheduledTime);
    runs.set(key, run);
  }
  return [...runs.values()].sort((a, b) => timeOf(b) - timeOf(a));
}

function keyOf({ scheduledTime, jobName, startTime }: DeepReadonly<RunRecord>): string {
  const time = parseTime(scheduledTime);
  return time === undefined ? jobName ?? `refused ${startTime}` : String(time);
}

function fromRecord(record: DeepReadonly<RunRecord>): RunView {
  const isOver = record.outcome !== "Running" && record.outcome !== "Deleted";
  return {
    scheduledTime: parseTime(record.scheduledTime),
    trigger: record.trigger,
    outcome: record.outcome === "Running" || record.outcome === "Deleted" ? "Unknown" : record.outcome,
    reason: record.reason,
    job: record.jobName,
    startedAt: parseTime(record.startTime),
    endedAt: isOver ? parseTime(record.endTime) : undefined,
  };
}

function fromJob(
  { metadata, state, scheduledTime, createdAt, endTime, endReason }: Child,
  isPending: boolean,
): RunView {
  return {
    scheduledTime,
    trigger: scheduledTime === undefined ? "Manual" : "Schedule",
    outcome: state === "succeeded" ? "Succeeded" : state === "failed" ? "Failed" : isPending ? "Pending" : "Running",
    reason: state === "failed" ? endReason : undefined,
    job: metadata.name,
    startedAt: createdAt,
    endedAt: endTime,
  };
}

/** When a run was to start, or started. */
export function timeOf({ scheduledTime, startedAt }: RunView): EpochMs {
  return scheduledTime ?? startedAt ?? 0;
}

export function durationMs({ startedAt, endedAt }: RunView): number | undefined {
  return startedAt === undefined || endedAt === undefined ? undefined : Math.max(0, endedAt - startedAt);
}
