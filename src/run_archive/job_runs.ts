import type { Child } from "../cronjob/api/job.ts";
import type { ChildCache } from "../cronjob/child_cache.ts";
import type { RunEvent } from "../cronjob/reporter.ts";
import { splitKey } from "../kube/object.ts";
import type { Change } from "../runtime/store.ts";
import type { CronJob } from "../cronjob/api/cron_job.ts";
import { fromFailedRun, runsOf } from "../view/runs.ts";
import type { ArchiveTables, RunRow } from "./archive_tables.ts";
import { idOfRecord, rowOfJob, rowOfRun, rowWithoutEnd, runOf } from "./rows.ts";

/**
 * Writes down the run of a Job that has changed, if its row is to change too.
 *
 * @param goneBecause why the Job of a run that had not ended is gone, unless it was replaced
 */
export function keepJob(tables: ArchiveTables, { type, object }: Change<Child>, goneBecause?: string): void {
  const before = tables.run(object.metadata.uid);
  // The row is from the status of its CronJob, which says more than the Job.
  if (before?.ended === 1 && runOf(before).terminated !== undefined) return;
  const row = rowOfJob(object as Child, before);
  if (row === undefined) return;
  // The last version that was seen may be older than the end: a status, or another replica, has given that.
  if (type === "deleted" && before !== undefined && isSure(before)) return;
  // A status may have recorded the run before its Job was seen.
  if (before === undefined) tables.removeRun(idOfRecord(row, object.metadata.name));
  putNews(tables, type === "deleted" ? rowWithoutEnd(row, goneBecause) : row, before);
}

/** Writes down that a run was replaced, whether or not its Job is gone already. */
export function keepReplaced(tables: ArchiveTables, { cronJob: key, apiVersion: api, jobName: job }: RunEvent): void {
  const { namespace, name: cronJob } = splitKey(key);
  const [row] = tables.runs({ namespace, cronJob, api, job, limit: 1 });
  if (row && !isSure(row)) tables.putRun({ ...row, value: JSON.stringify({ ...runOf(row), reason: "Replaced" }) });
}

/**
 * Writes down the ends of Pods, and the runs whose Jobs were not seen, that a CronJob records.
 *
 * @param options.onlyRefused only the runs that got no Job
 */
export function keepRecords(
  tables: ArchiveTables,
  cronJob: CronJob,
  { jobs, onlyRefused }: { readonly jobs: ChildCache; readonly onlyRefused: boolean },
): void {
  const { flavour: { apiVersion }, status, recordedFailedRuns, metadata: { uid, namespace = "", name } } = cronJob;
  for (const failed of recordedFailedRuns) {
    const row = tables.run(failed.jobUid);
    // The newest come first: the rows of all others have been completed too.
    if (row && runOf(row).terminated !== undefined) break;
    if (row) tables.putRun({ ...row, ended: 1, value: JSON.stringify(fromFailedRun(failed)) });
  }
  if (onlyRefused && !status.recentRuns?.some(({ jobName }) => jobName === undefined)) return;
  const present = new Set(jobs.store.byIndex("owner", uid).map(({ metadata }) => metadata.name));
  for (const run of runsOf(cronJob, [], () => false)) {
    const row = rowOfRun({ apiVersion, namespace, name }, run);
    if (run.job === undefined) putNews(tables, row, tables.run(row.id));
    else if (!onlyRefused && !present.has(run.job)) keepRecord(tables, row, run.job);
  }
}

/** Writes down a run that a status records, unless its Job was seen and it is known how it ended. */
function keepRecord(tables: ArchiveTables, row: RunRow, job: string): void {
  const { namespace, cron_job: cronJob, api_version: api, at } = row;
  // A status has whole seconds.
  const [seen] = tables.runs({ namespace, cronJob, api, job, since: at - 1_000, until: at + 1_000, limit: 1 });
  if (isBetter(row, seen)) putNews(tables, { ...row, id: seen?.id ?? row.id }, seen);
}

/** Writes down a run as another replica keeps it, unless it is known here how it ended. */
export function keepRunOfPeer(tables: ArchiveTables, row: RunRow): void {
  const { job } = runOf(row);
  const recordId = job === undefined ? undefined : idOfRecord(row, job);
  if (job !== undefined && row.id === recordId) return keepRecord(tables, row, job);
  const before = tables.run(row.id);
  if (!isBetter(row, before)) return;
  if (before === undefined && recordId !== undefined) tables.removeRun(recordId);
  putNews(tables, row, before);
}

/** Returns whether a row is the first of its run, or the first that says how the run ended. */
function isBetter(row: RunRow, before: RunRow | undefined): boolean {
  return before === undefined || (isSure(row) && !isSure(before));
}

function putNews(tables: ArchiveTables, row: RunRow, before: RunRow | undefined): void {
  if (before === undefined || before.value !== row.value || before.ended !== row.ended) tables.putRun(row);
}

/** Returns whether it is known how a run ended. */
function isSure(row: RunRow): boolean {
  return row.ended === 1 && runOf(row).outcome !== "Unknown";
}

/** Ends the runs whose Jobs were deleted while this process did not watch. */
export function endRunsWithoutJob(tables: ArchiveTables, jobs: ChildCache): void {
  const present = new Set([...jobs.store.values()].map(({ metadata }) => metadata.uid));
  for (const row of tables.runsUnderWay()) {
    if (!present.has(row.id)) tables.putRun(rowWithoutEnd(row));
  }
}
