import type { EpochMs } from "../base/epoch_ms.ts";
import type { RunView, RunViewOutcome } from "./cron_job_view.ts";
import { newestFirst } from "./runs.ts";

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
export interface KeptRun {
  /** Of its CronJob. */
  readonly apiVersion: string;
  readonly run: RunView;
  readonly logs: readonly KeptLog[];
}

/** The same, and whose run it is. */
export interface NamedRun extends KeptRun {
  readonly namespace: string;
  readonly name: string;
}

/** The choice among remembered runs of all CronJobs, as a query says it: `failed` are those that failed, or did not run. */
export type NewestAsked = Readonly<Partial<Record<"namespace" | "since" | "failed" | "limit", string>>>;

/** How runs end that failed, or did not run. */
export const TROUBLES: readonly RunViewOutcome[] = ["Failed", "Skipped", "Missed"];

/** As many as a row of a list shows. */
export const RECENT_RUNS = 10;

/** The remembered failures in a row. */
export interface KeptFailures {
  readonly count: number;
  /** When the first of them ended. */
  readonly since: EpochMs | undefined;
  /** Whether there may have been more. */
  readonly atLeast: boolean;
}

/**
 * The runs that are known, and those that are remembered besides, newest first. What is known is newer, unless it does not
 * say how a run ended.
 */
export function withKept(known: readonly RunView[], kept: readonly KeptRun[]): RunView[] {
  const runs = new Map<string, RunView>();
  // One without a Job may have been held back at first, and started after all; of two Jobs the newer is the run.
  const remembered = kept.map(({ run }) => run).reverse().sort((a, b) =>
    Number(a.job !== undefined) - Number(b.job !== undefined)
  );
  for (const run of remembered) runs.set(keyOf(run), run);
  for (const run of known) {
    const key = keyOf(run);
    if (run.outcome !== "Unknown" || !runs.has(key)) runs.set(key, run);
  }
  return [...runs.values()].sort(newestFirst);
}

/** Of each container of a Job's Pods what it wrote last, or before that. */
export function lastLogs(
  kept: readonly KeptRun[],
  { job, previous = false }: { readonly job: string; readonly previous?: boolean },
): KeptLog[] {
  const logs = kept.find(({ run }) => run.job === job)?.logs ?? [];
  const byContainer = Map.groupBy(logs, ({ pod, container }) => `${pod}/${container}`);
  return [...byContainer.values()].flatMap((starts) => {
    const sorted = starts.toSorted((a, b) => a.restartCount - b.restartCount);
    return sorted.at(previous ? -2 : -1) ?? [];
  });
}

function keyOf({ trigger, scheduledTime, job, startedAt }: RunView): string {
  if (trigger === "Schedule" && scheduledTime !== undefined) return `at ${scheduledTime}`;
  return job === undefined ? `refused ${trigger} ${scheduledTime ?? startedAt}` : `job ${job}`;
}
