import type { EpochMs } from "../base/epoch_ms.ts";
import type { CronJob } from "../cronjob/api/cron_job.ts";
import type { CronJobName } from "../cronjob/observer.ts";
import { makeKey, splitKey } from "../kube/object.ts";
import type { FailuresView, RunView, RunViewOutcome } from "./cron_job_view.ts";
import { keyOfRun, newestFirst } from "./runs.ts";

/** The output of a container, kept after its Pod. */
export interface KeptLog {
  /** The name by which the server knows it. */
  readonly file: string;
  readonly pod: string;
  readonly container: string;
  /** How often the container was started before. */
  readonly restartCount: number;
}

/** A run that is remembered after its Job. */
export interface KeptRun extends CronJobName {
  readonly run: RunView;
  readonly logs: readonly KeptLog[];
}

/** CronJobs that are asked about at once: each takes a moment, in which nothing else is done. */
export const MAX_CRON_JOBS = 50;

/** Runs that are handed out at once: one more than `history` prints, by which it knows that there are more. */
export const MAX_RUNS = 10_001;

/** The choice among remembered runs, of which the newest come first. */
export interface RunsAsked {
  /** `namespace/name` of {@linkcode MAX_CRON_JOBS} at most; none: all of a namespace, or of every one. */
  readonly cronJobs?: readonly string[];
  readonly namespace?: string | undefined;
  readonly api?: string | undefined;
  readonly job?: string | undefined;
  /** The span in which they were due, or started. */
  readonly since?: EpochMs | undefined;
  readonly until?: EpochMs | undefined;
  /** Whether only those are meant that failed, or did not run. */
  readonly failed?: boolean;
  /** Of each CronJob that is named, or of all together; undefined: as many as there may be. */
  readonly limit?: number | undefined;
  /** In place of a limit, of each CronJob: {@linkcode RECENT_RUNS}, or if none of them succeeded all since the last that did. */
  readonly recent?: boolean;
}

/** Returns the namespaces that are asked about; none: all. */
export function namespacesAsked({ cronJobs = [], namespace }: RunsAsked): string[] {
  if (cronJobs.length === 0) return namespace === undefined ? [] : [namespace];
  return [...new Set(cronJobs.map((key) => splitKey(key).namespace ?? ""))];
}

/** Returns runs by `namespace/name` of their CronJobs. */
export function byCronJob(runs: readonly KeptRun[]): Map<string, KeptRun[]> {
  return Map.groupBy(runs, ({ namespace, name }) => makeKey(namespace, name));
}

/** Returns those of a CronJob, and of none of its namesakes, that started or were due since an instant. */
export function runsSince(kept: readonly KeptRun[], { flavour }: CronJob, since = -Infinity): readonly KeptRun[] {
  return kept.filter(({ apiVersion, run: { startedAt, scheduledTime = Infinity } }) =>
    apiVersion === flavour.apiVersion && (startedAt ?? scheduledTime) >= since
  );
}

/** Returns the query that says what is asked. */
export function queryOf({ cronJobs = [], ...asked }: RunsAsked): URLSearchParams {
  const given = Object.entries(asked).filter(([, value]) => value !== undefined);
  return new URLSearchParams([
    ...cronJobs.map((key) => ["cronjob", key]),
    ...given.map(([name, value]) => [name, String(value)]),
  ]);
}

/** Returns what a query of {@linkcode queryOf} asks. */
export function askedIn(query: URLSearchParams): RunsAsked {
  const text = (name: string) => query.get(name) || undefined;
  const number = (name: string) => Number(query.get(name)) || undefined;
  return {
    cronJobs: query.getAll("cronjob").slice(0, MAX_CRON_JOBS),
    namespace: text("namespace"),
    api: text("api"),
    job: text("job"),
    since: number("since"),
    until: number("until"),
    failed: text("failed") === "true",
    limit: number("limit"),
    recent: text("recent") === "true",
  };
}

/** How runs end that failed, or did not run. */
export const TROUBLES: readonly RunViewOutcome[] = ["Failed", "Skipped", "Missed"];

/** As many as a row of a list shows. */
export const RECENT_RUNS = 10;

/** Runs in which the last success is looked for. */
export const MAX_SEARCHED = 1_000;

/** The remembered failures in a row. */
export interface KeptFailures extends FailuresView {
  /** When the first of them ended. */
  readonly since: EpochMs | undefined;
}

/**
 * The runs that are known, and those that are remembered besides, newest first. What is known is newer, unless only what is
 * remembered says how a run ended.
 */
export function withKept(known: readonly RunView[], kept: readonly KeptRun[]): RunView[] {
  const runs = new Map<string, RunView>();
  // One without a Job may have been held back at first, and started after all; of two Jobs the newer is the run.
  const remembered = kept.map(({ run }) => run).reverse().sort((a, b) =>
    Number(a.job !== undefined) - Number(b.job !== undefined)
  );
  for (const run of remembered) runs.set(keyOfRun(run), run);
  for (const run of known) {
    const key = keyOfRun(run);
    if (run.outcome !== "Unknown" || (runs.get(key)?.outcome ?? "Unknown") === "Unknown") runs.set(key, run);
  }
  return [...runs.values()].sort(newestFirst);
}

/** Of each container of a Job's Pods what it wrote last, or before that. */
export function lastLogs(
  kept: readonly KeptRun[],
  { job, previous = false }: { readonly job: string; readonly previous?: boolean | undefined },
): KeptLog[] {
  const logs = kept.find(({ run }) => run.job === job)?.logs ?? [];
  const byContainer = Map.groupBy(logs, ({ pod, container }) => `${pod}/${container}`);
  return [...byContainer.values()].flatMap((starts) => {
    const sorted = starts.toSorted((a, b) => a.restartCount - b.restartCount);
    return sorted.at(previous ? -2 : -1) ?? [];
  });
}
