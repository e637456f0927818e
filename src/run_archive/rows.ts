import type { Child } from "../cronjob/api/job.ts";
import type { RunEvent } from "../cronjob/reporter.ts";
import type { CronJobName } from "../cronjob/observer.ts";
import { makeKey, splitKey } from "../kube/object.ts";
import { type RememberedRun, wholeSeconds } from "../notifications/ended_run.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import type { RunView } from "../view/cron_job_view.ts";
import { isOfSchedule, runOfJob, runWithoutJob, timeOf } from "../view/runs.ts";
import type { RunRow } from "./archive_tables.ts";

/**
 * Returns the row of a Job as it is now; undefined for a Job that no CronJob made.
 *
 * @param before its former row, by which a Job stays a run that was orphaned: its CronJob was deleted without it
 */
export function rowOfJob(child: Child, before: RunRow | undefined): RunRow | undefined {
  const { owner, state, metadata: { uid, namespace = "" } } = child;
  const found = runOfJob(child, false);
  // The row alone says that a run is replaced, not its Job.
  const run = before && state === "active" ? { ...found, reason: runOf(before).reason } : found;
  const ended = state === "active" ? 0 : 1;
  if (owner === undefined) {
    if (before === undefined) return undefined;
    const { scheduledTime, trigger } = runOf(before);
    return { ...before, ended, value: JSON.stringify({ ...run, scheduledTime, trigger }) };
  }
  const api_version = owner.flavour.apiVersion;
  return { id: uid, api_version, namespace, cron_job: owner.name, at: timeOf(run), ended, value: JSON.stringify(run) };
}

/**
 * Returns the row of a run whose Job is gone; a run without an end gets an unknown one.
 *
 * @param reason why the Job is gone, unless the row has a reason
 */
export function rowWithoutEnd(row: RunRow, reason?: string): RunRow {
  if (row.ended === 1) return row;
  const run = runOf(row);
  return { ...row, ended: 1, value: JSON.stringify({ ...run, outcome: "Unknown", reason: run.reason ?? reason }) };
}

/** Returns the run of a row. */
export function runOf({ value }: RunRow): RunView {
  return JSON.parse(value);
}

/** Returns the row of a run that got no Job; undefined for a run that has one, and for news of no single run. */
export function rowOfEvent(event: RunEvent): RunRow | undefined {
  const { outcome, cronJob, apiVersion, jobName, scheduledTime, refusedAt, reason } = event;
  if ((outcome !== "skipped" && outcome !== "waits") || jobName !== undefined) return undefined;
  if (scheduledTime === undefined && refusedAt === undefined) return undefined;
  const { namespace = "", name } = splitKey(cronJob);
  const refused = reason === "MissSchedule" ? "Missed" : "Skipped";
  const run = outcome === "waits"
    ? runWithoutJob(scheduledTime, "Waiting", "JobAlreadyActive")
    : runWithoutJob(scheduledTime, refused, reason);
  // In whole seconds, as a status records the same run.
  const startedAt = scheduledTime === undefined ? wholeSeconds(refusedAt!) : undefined;
  return rowOfRun({ apiVersion, namespace, name }, { ...run, startedAt });
}

/** Returns the row of a run whose Job was not seen: known by its Job's name, or by its time. */
export function rowOfRun({ apiVersion, namespace, name }: CronJobName, run: RunView): RunRow {
  const at = timeOf(run);
  const cronJob = { api_version: apiVersion, namespace, cron_job: name };
  return { id: idOfRecord(cronJob, run.job ?? at), ...cronJob, at, ended: 1, value: JSON.stringify(run) };
}

/** Returns the id of a run whose Job was not seen. @param run the name of its Job; of a run without one its time */
export function idOfRecord(
  { api_version, namespace, cron_job }: Pick<RunRow, "api_version" | "namespace" | "cron_job">,
  run: string | EpochMs,
): string {
  return `${api_version} ${makeKey(namespace, cron_job)} ${run}`;
}

/** Returns a run for notifications; undefined for one that is not reported, such as a back-fill's. */
export function rememberedRunOf(row: RunRow): RememberedRun | undefined {
  const { id, api_version: apiVersion, namespace, cron_job: name } = row;
  const run = runOf(row);
  const { job, startedAt, endedAt = startedAt } = run;
  if (run.outcome !== "Failed" && run.outcome !== "Succeeded" || !isOfSchedule(run)) return undefined;
  if (job === undefined || startedAt === undefined || endedAt === undefined) return undefined;
  return {
    cronJob: { apiVersion, namespace, name },
    createdAt: startedAt,
    uid: id,
    jobName: job,
    outcome: run.outcome === "Failed" ? "failed" : "succeeded",
    endTime: wholeSeconds(endedAt),
    scheduledTime: run.scheduledTime,
    byHand: run.trigger === "Manual",
    reason: run.reason,
    message: run.message,
  };
}
