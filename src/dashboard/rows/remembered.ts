import type { CronJob } from "../../cronjob/api/cron_job.ts";
import type { KubeClient } from "../../kube/client.ts";
import { keyOf } from "../../kube/object.ts";
import { loggerFor } from "../../telemetry/logging.ts";
import { byCronJob, type KeptRun, MAX_CRON_JOBS, MAX_SEARCHED, RECENT_RUNS, runsSince } from "../../view/kept_runs.ts";
import type { ViewInput } from "../../view/look.ts";
import { failedInARow } from "../../view/runs.ts";
import type { KeptHistory } from "../commands.ts";

type Known = Pick<ViewInput, "kept" | "keptFailures">;

interface RememberedOptions {
  readonly client: KubeClient;
  readonly history: KeptHistory;
  readonly cronJobOf: (uid: string) => CronJob | undefined;
}

/**
 * The remembered newest runs of CronJobs whose status records none: of those the cluster itself knows but the last
 * few, as their other Jobs are gone. Kept as text.
 */
export class Remembered {
  readonly #options: RememberedOptions;
  readonly #texts = new Map<string, string>();
  readonly #unasked = new Set<string>();

  constructor(options: RememberedOptions) {
    this.#options = options;
  }

  /** Has it asked about again: something of it has changed. */
  refresh(uid: string): void {
    this.#unasked.add(uid);
  }

  /** Returns what is known of it by now. */
  of(uid: string): Known {
    const text = this.#texts.get(uid);
    return text === undefined ? {} : JSON.parse(text);
  }

  /** Asks about the next few, and returns about which there is news. What cannot be read now is asked with the next change. */
  async ask(): Promise<string[]> {
    const uids = Array.from(this.#unasked).slice(0, MAX_CRON_JOBS);
    for (const uid of uids) this.#unasked.delete(uid);
    const cronJobs = uids.flatMap((uid) => this.#withoutRecord(uid) ?? []);
    if (cronJobs.length === 0) return [];
    const { client, history } = this.#options;
    const recent = await asRemembered(history.runs(client, { cronJobs: cronJobs.map(keyOf), recent: true }));
    if (!recent) return [];
    const byKey = byCronJob(recent);
    return cronJobs.flatMap((cronJob) => {
      const { uid } = cronJob.metadata;
      const text = JSON.stringify(knownOf(cronJob, byKey.get(keyOf(cronJob)) ?? []));
      if (this.#texts.get(uid) === text) return [];
      this.#texts.set(uid, text);
      return [uid];
    });
  }

  #withoutRecord(uid: string): CronJob | undefined {
    const cronJob = this.#options.cronJobOf(uid);
    if (cronJob === undefined) this.#texts.delete(uid);
    return cronJob?.flavour.openStatus ? undefined : cronJob;
  }
}

/** Undefined where it cannot be read: what the cluster knows is shown all the same. */
export async function asRemembered<T>(answer: Promise<T> | undefined): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    loggerFor("dashboard").warn("Cannot read the remembered runs of CronJobs: {error}", { error });
    return undefined;
  }
}

function knownOf(cronJob: CronJob, recent: readonly KeptRun[]): Known {
  const own = runsSince(recent, cronJob, cronJob.createdAt);
  const failed = failedInARow(own.map(({ run }) => run));
  return {
    kept: own.slice(0, RECENT_RUNS),
    keptFailures: { count: failed.length, since: failed.at(-1)?.endedAt, atLeast: failed.length >= MAX_SEARCHED },
  };
}
