import type { CronJob } from "../cronjob/api/cron_job.ts";
import { zoneOf } from "../cronjob/api/zone.ts";
import { failureLine } from "../cronjob/api/failure_line.ts";
import type { CronJobName } from "../cronjob/observer.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import { fullTime } from "../schedule/full_time.ts";
import type { Trouble, TroubleKind } from "../cronjob/status/troubles.ts";
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

/** A report of a trouble of a CronJob; or of the same trouble of many, as a storm is one notification. */
export interface TroubleNotification {
  readonly kind: TroubleKind;
  /** The same whenever the same troubles are reported. */
  readonly id: string;
  /** At least one. */
  readonly troubles: readonly { readonly cronJob: NotifiedCronJob; readonly trouble: Trouble }[];
}

export type Notification = RunNotification | TroubleNotification;

/** Returns whether it is about runs that ended. */
export function isOfRuns(notification: Notification): notification is RunNotification {
  return notification.kind === "failed" || notification.kind === "recovered";
}

export interface NotifiedCronJob extends CronJobName {
  readonly uid: string;
  /** By whose wall clock people read its times. */
  readonly zone: string;
}

/** Returns one line for people: `default/report: exit 3: no such table`. */
export function sentenceOf(notification: Notification): string {
  return isOfRuns(notification) ? ofRuns(notification) : ofTrouble(notification);
}

function ofRuns({ kind, cronJob, run, failures, since, failuresInARow }: RunNotification): string {
  const name = nameOf(cronJob);
  if (kind === "recovered") return `${name} succeeded again after ${runs(failuresInARow)} in a row (${run.jobName})`;
  const last = failureLine(run) + (failuresInARow > 1 ? ` (${failuresInARow} in a row)` : "");
  if (failures === 1) return `${name}: ${last}`;
  return `${name}: ${runs(failures)} since ${fullTime(since, cronJob.zone)}, the last: ${last}`;
}

function ofTrouble(notification: TroubleNotification): string {
  const { kind, troubles: [first] } = notification;
  const names = namesIn(notification);
  const message = first!.trouble.message.replaceAll(/\s+/g, " ");
  if (names.length === 1) return `${names[0]} (${kind}): ${message}`;
  const others = names.length - NAMED;
  return `${names.length} CronJobs (${kind}): ${names.slice(0, NAMED).join(", ")}${
    others > 0 ? ` and ${others} more` : ""
  }; ` +
    `of the first: ${message}`;
}

/** So many CronJobs are named in a line. */
const NAMED = 10;

/** Returns the names of the CronJobs that have the trouble, each once. */
export function namesIn({ troubles }: TroubleNotification): readonly string[] {
  return [...new Set(troubles.map(({ cronJob }) => nameOf(cronJob)))];
}

function nameOf({ namespace, name }: NotifiedCronJob): string {
  return `${namespace}/${name}`;
}

/** Returns the same of a CronJob of whose failures only the number is known any more. */
export function stillFailing({ namespace, name }: NotifiedCronJob, failuresInARow: number): string {
  return `${namespace}/${name}: ${runs(failuresInARow)} in a row`;
}

/** Returns what notifications say of a CronJob. */
export function notifiedCronJob(cronJob: CronJob): NotifiedCronJob {
  const { uid, namespace = "", name } = cronJob.metadata;
  return { apiVersion: cronJob.flavour.apiVersion, namespace, name, uid, zone: zoneOf(cronJob) };
}

function runs(failed: number): string {
  return failed === 1 ? "1 failed run" : `${failed} failed runs`;
}
