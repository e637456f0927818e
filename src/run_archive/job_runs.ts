import type { Child } from "../cronjob/api/job.ts";
import type { ChildCache } from "../cronjob/child_cache.ts";
import type { Change } from "../runtime/store.ts";
import type { CronJob } from "../cronjob/api/cron_job.ts";
import { apiVersionOf } from "../kube/resource.ts";
import type { RunView } from "../view/cron_job_view.ts";
import { runsOf } from "../view/runs.ts";
import { ANY, type ArchiveTables, type RunRow } from "./archive_tables.ts";
import { rowOfJob, rowOfRun, rowWithoutEnd } from "./rows.ts";

/** Writes down what a change says of the run of a Job, if it says something new. */
export function keepJob(tables: ArchiveTables, { type, object }: Change<Child>): void {
  const row = rowOfJob(object as Child);
  if (row === undefined) return;
  putNews(tables, type === "deleted" ? rowWithoutEnd(row) : row);
}

/**
 * Writes down what a CronJob records of runs whose Jobs were not seen.
 *
 * @param options.onlyRefused only the runs that got no Job
 */
export function keepRecords(
  tables: ArchiveTables,
  cronJob: CronJob,
  { jobs, onlyRefused }: { readonly jobs: ChildCache; readonly onlyRefused: boolean },
): void {
  const { flavour, status, metadata: { uid, namespace = "", name } } = cronJob;
  if (onlyRefused && !status.recentRuns?.some(({ jobName }) => jobName === undefined)) return;
  const apiVersion = apiVersionOf(flavour.resource);
  const there = new Set(jobs.store.byIndex("owner", uid).map(({ metadata }) => metadata.name));
  for (const run of runsOf(cronJob, [], () => false)) {
    const row = rowOfRun({ apiVersion, namespace, name }, run);
    if (run.job === undefined) putNews(tables, row);
    else if (!onlyRefused && !there.has(run.job)) {
      const [seen] = tables.runsOf({ ...ANY, namespace, cronJob: name, apiVersion, job: run.job, limit: 1 });
      if (seen === undefined || outcomeOf(seen) === "Unknown") putNews(tables, { ...row, id: seen?.id ?? row.id });
    }
  }
}

function putNews(tables: ArchiveTables, row: RunRow): void {
  const before = tables.run(row.id);
  if (before === undefined || before.value !== row.value || before.ended !== row.ended) tables.putRun(row);
}

function outcomeOf({ value }: RunRow): RunView["outcome"] {
  const run: RunView = JSON.parse(value);
  return run.outcome;
}

/** Ends the runs whose Jobs were deleted while nothing was here to see it. */
export function endRunsWithoutJob(tables: ArchiveTables, jobs: ChildCache): void {
  const there = new Set([...jobs.store.values()].map(({ metadata }) => metadata.uid));
  for (const row of tables.runsUnderWay()) {
    if (!there.has(row.id)) tables.putRun(rowWithoutEnd(row));
  }
}
