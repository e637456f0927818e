import type { CronJob } from "../cronjob/api/cron_job.ts";
import { zoneOf } from "../cronjob/api/zone.ts";
import { apiVersionOf } from "../kube/resource.ts";
import { failureLine } from "../cronjob/api/failure_line.ts";
import type { CronJobName } from "../cronjob/observer.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import { fullTime } from "../schedule/full_time.ts";
import type { EndedRun } from "./ended_run.ts";

/** A report of a CronJob's runs: that some failed, or that the first one after those succeeded. */
export interface RunNotification {
  readonly kind: "failed" | "recovered";
  /** The same whenever the same runs are reported, so that receivers can drop repeats. */
  readonly id: string;
  readonly cronJob: NotifiedCronJob;
  /** The newest of the runs that it speaks of. */
  readonly run: EndedRun;
  /** How many failures it reports that were not reported before; of a recovery 0. */
  readonly failures: number;
  /** When the first of them ended. */
  readonly since: EpochMs;
  /** Runs that failed in a row; of a recovery those before it. */
  readonly failuresInARow: number;
  /** Names of the Jobs that it speaks of, the newest first, as far as there is room. */
  readonly jobNames: readonly string[];
}

export interface NotifiedCronJob extends CronJobName {
  readonly uid: string;
  /** By whose wall clock people read its times. */
  readonly zone: string;
}

/** Returns one line for people: `default/report: exit 3: no such table`. */
export function sentenceOf({ kind, cronJob, run, failures, since, failuresInARow }: RunNotification): string {
  const name = `${cronJob.namespace}/${cronJob.name}`;
  if (kind === "recovered") return `${name} succeeded again after ${runs(failuresInARow)} in a row (${run.jobName})`;
  const last = failureLine(run) + (failuresInARow > 1 ? ` (${failuresInARow} in a row)` : "");
  if (failures === 1) return `${name}: ${last}`;
  return `${name}: ${runs(failures)} since ${fullTime(since, cronJob.zone)}, the last: ${last}`;
}

/** Returns the same of a CronJob of whose failures only the number is known any more. */
export function stillFailing({ namespace, name }: NotifiedCronJob, failuresInARow: number): string {
  return `${namespace}/${name}: ${runs(failuresInARow)} in a row`;
}

/** Returns what notifications say of a CronJob. */
export function notifiedCronJob(cronJob: CronJob): NotifiedCronJob {
  const { uid, namespace = "", name } = cronJob.metadata;
  return { apiVersion: apiVersionOf(cronJob.flavour.resource), namespace, name, uid, zone: zoneOf(cronJob) };
}

function runs(failed: number): string {
  return failed === 1 ? "1 failed run" : `${failed} failed runs`;
}
