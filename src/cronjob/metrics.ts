import { setImmediate } from "node:timers/promises";
import { Histogram } from "prom-client";
import type { Metrics } from "../telemetry/metrics.ts";
import {
  type CountedTrigger,
  type CronJobName,
  type CronJobObserver,
  type CronJobState,
  keyOfName,
  type MissedReason,
  type PerCronJob,
  type RunOutcome,
} from "./observer.ts";
import {
  CRON_JOB_FAMILIES,
  type Family,
  filterOf,
  NAMESPACE_FAMILIES,
  placeOfMissed,
  placeOfRun,
  PREFIX,
  ShownCronJob,
  ShownNamespace,
} from "./metric_families.ts";

/** 1 s, doubling, as upstream. */
const SKEW_SECONDS = Array.from({ length: 10 }, (_, i) => 2 ** i);

export interface CronJobMetricsOptions {
  readonly perCronJob: PerCronJob;
  /** The wall clock. */
  readonly now: () => number;
}

/**
 * The metrics of the CronJob controllers: their own under upstream's name, those of each namespace, and those of each
 * CronJob. No series outlives its CronJob, or the last of its namespace.
 *
 * Reports about CronJobs are kept as they came and become text when they are asked for: a due run never waits for that.
 * Counts begin with this process.
 */
export class CronJobMetrics implements Required<CronJobObserver> {
  readonly #skew: Histogram;
  readonly #cronJobs = new Map<string, ShownCronJob>();
  readonly #namespaces = new Map<string, ShownNamespace>();

  constructor(metrics: Pick<Metrics, "registry" | "addSection">, { perCronJob, now }: CronJobMetricsOptions) {
    this.#skew = new Histogram({
      name: `${PREFIX}_job_creation_skew_duration_seconds`,
      help: "Time between when a cronjob is scheduled to be run, and when the corresponding job is created",
      buckets: SKEW_SECONDS,
      registers: [metrics.registry],
    });
    metrics.addSection(() => write(NAMESPACE_FAMILIES, this.#namespaces, { level: "all", now }));
    metrics.addSection(() => write(CRON_JOB_FAMILIES, this.#cronJobs, { level: perCronJob, now }));
  }

  jobCreated({ skewSeconds }: { skewSeconds: number }): void {
    this.#skew.observe(skewSeconds);
  }

  run(cronJob: CronJobName, { outcome, trigger }: { outcome: RunOutcome; trigger: CountedTrigger }): void {
    const shown = this.#of(cronJob);
    const place = placeOfRun(outcome, trigger);
    for (const { runs } of [shown, shown.namespace]) runs[place]!++;
    if (outcome === "Failed") shown.failuresInARow++;
    if (outcome === "Succeeded") shown.failuresInARow = 0;
  }

  missed(cronJob: CronJobName, { reason, count }: { reason: MissedReason; count: number }): void {
    this.#of(cronJob).missed[placeOfMissed(reason)]! += count;
  }

  looked(cronJob: CronJobName, state: CronJobState): void {
    const shown = this.#of(cronJob);
    shown.namespace.active += state.active - (shown.state?.active ?? 0);
    // A Job that history has no room for takes its failure along.
    shown.state = { ...state, lastFailure: state.lastFailure ?? shown.state?.lastFailure };
  }

  gone(cronJob: CronJobName): void {
    const shown = this.#cronJobs.get(keyOfName(cronJob));
    if (!shown) return;
    this.#cronJobs.delete(keyOfName(cronJob));
    shown.namespace.active -= shown.state?.active ?? 0;
    if (--shown.namespace.cronJobs === 0) this.#namespaces.delete(shown.namespace.labels);
  }

  #of(cronJob: CronJobName): ShownCronJob {
    return this.#cronJobs.getOrInsertComputed(keyOfName(cronJob), () => {
      const added = new ShownNamespace(cronJob);
      const namespace = this.#namespaces.getOrInsert(added.labels, added);
      namespace.cronJobs++;
      return new ShownCronJob(cronJob.name, namespace);
    });
  }
}

/** CronJobs between two turns of the event loop: a few milliseconds at most. */
const AT_A_TIME = 500;

/** The text of all metrics, in pieces. A library's metrics would hold up a due run while thousands of CronJobs are written. */
async function* write<Shown extends { readonly labels: string }>(
  families: readonly Family<Shown>[],
  all: ReadonlyMap<string, Shown>,
  { level, now }: { level: PerCronJob; now: () => number },
): AsyncGenerator<string> {
  for (const family of families) {
    const { name, help, type, read } = family;
    const isShown = filterOf(family, level);
    if (!isShown) continue;
    let text = `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
    let count = 0;
    for (const shown of all.values()) {
      const time = now();
      for (const { labels, value } of read(shown, time)) {
        if (isShown(value, shown, time)) text += `${name}{${labels}${shown.labels}} ${value}\n`;
      }
      if (++count % AT_A_TIME !== 0) continue;
      yield text;
      text = "";
      await setImmediate();
    }
    yield `${text}\n`;
  }
}
