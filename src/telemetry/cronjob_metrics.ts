import { setImmediate } from "node:timers/promises";
import { Histogram, type Metric, type Registry } from "prom-client";

const PREFIX = "cronjob_controller";
/** 1 s, doubling, as upstream. */
const SKEW_SECONDS = Array.from({ length: 10 }, (_, i) => 2 ** i);

const OUTCOMES = ["Succeeded", "Failed", "Skipped"] as const;
const TRIGGERS = ["Schedule", "Manual"] as const;
const MISSED_REASONS = ["MissSchedule", "PassedOver"] as const;

interface Name {
  readonly apiVersion: string;
  readonly namespace: string;
  readonly name: string;
}

/** How a CronJob stands. Times are milliseconds since the epoch. */
interface State {
  readonly nextRun?: number;
  readonly lastSchedule?: number;
  readonly lastSuccess?: number;
  readonly lastFailure?: number;
  readonly active: number;
  readonly isOverdue: boolean;
  readonly consecutiveFailures: number;
}

/** All that is shown of one CronJob. It goes when the CronJob goes, so that no series outlives it. */
class Shown {
  state: State | undefined;
  failuresInARow = 0;
  readonly runs = OUTCOMES.flatMap((outcome) =>
    TRIGGERS.map((trigger) => ({ labels: { outcome, trigger }, value: 0 }))
  );
  readonly missed = MISSED_REASONS.map((reason) => ({ labels: { reason }, value: 0 }));

  constructor(readonly labels: Record<string, string>) {}
}

/** Name, help, and the value; undefined: nothing to show. */
const GAUGES: readonly [name: string, help: string, read: (state: State, shown: Shown) => number | undefined][] = [
  [
    "next_run_timestamp_seconds",
    "When the next run starts; absent where none is to come",
    ({ nextRun }) => seconds(nextRun),
  ],
  [
    "last_schedule_timestamp_seconds",
    "The newest scheduled time that has, or had, its Job",
    ({ lastSchedule }) => seconds(lastSchedule),
  ],
  ["last_success_timestamp_seconds", "When a run last succeeded", ({ lastSuccess }) => seconds(lastSuccess)],
  ["last_failure_timestamp_seconds", "When a run last failed", ({ lastFailure }) => seconds(lastFailure)],
  ["overdue", "Whether a run that is due was not started (1) or not (0)", ({ isOverdue }) => isOverdue ? 1 : 0],
  ["active", "Runs under way", ({ active }) => active],
  [
    "consecutive_failures",
    "Runs that failed since the last that succeeded",
    ({ consecutiveFailures }, { failuresInARow }) => Math.max(consecutiveFailures, failuresInARow),
  ],
];

/**
 * What the CronJob controllers tell: about themselves under upstream's name, and about each CronJob.
 *
 * What is known of the CronJobs is kept as it came and becomes metrics when they are asked for: a due run never waits for
 * them. Counts begin with this process.
 */
export class CronJobMetrics {
  readonly #skew: Histogram;
  readonly #cronJobs: Map<string, Shown> | undefined;

  constructor(registry: Registry, { perCronJob }: { perCronJob: boolean }) {
    const registers = [registry];
    this.#skew = new Histogram({
      name: `${PREFIX}_job_creation_skew_duration_seconds`,
      help: "Time between when a cronjob is scheduled to be run, and when the corresponding job is created",
      buckets: SKEW_SECONDS,
      registers,
    });
    if (!perCronJob) return;
    const source = new Source();
    this.#cronJobs = source.cronJobs;
    const register = (options: MetricOptions) => {
      // The registry takes anything that has a name and can be asked for its values.
      registry.registerMetric(new PerCronJobMetric(options, source) as unknown as Metric);
    };
    for (const [name, help, read] of GAUGES) {
      register({ name, help, type: "gauge", valuesOf: (shown) => gaugeValues(read, shown) });
    }
    register({
      name: "runs_total",
      help: "Runs that ended, or that the concurrency policy refused (which may start later, inside their deadline)",
      type: "counter",
      valuesOf: ({ runs }) => runs,
    });
    register({
      name: "missed_total",
      help: "Scheduled times that got no Job: outside their deadline (MissSchedule), or passed over for a later one",
      type: "counter",
      valuesOf: ({ missed }) => missed,
    });
  }

  jobCreated({ skewSeconds }: { skewSeconds: number }): void {
    this.#skew.observe(skewSeconds);
  }

  run(
    cronJob: Name,
    { outcome, trigger }: { outcome: typeof OUTCOMES[number]; trigger: typeof TRIGGERS[number] },
  ): void {
    const shown = this.#of(cronJob);
    if (!shown) return;
    shown.runs.find(({ labels }) => labels.outcome === outcome && labels.trigger === trigger)!.value++;
    if (outcome === "Failed") shown.failuresInARow++;
    if (outcome === "Succeeded") shown.failuresInARow = 0;
  }

  missed(cronJob: Name, { reason, count }: { reason: typeof MISSED_REASONS[number]; count: number }): void {
    const shown = this.#of(cronJob);
    if (shown) shown.missed.find(({ labels }) => labels.reason === reason)!.value += count;
  }

  looked(cronJob: Name, state: State): void {
    const shown = this.#of(cronJob);
    if (!shown) return;
    // A Job that history has no room for takes its failure along.
    shown.state = { ...state, lastFailure: state.lastFailure ?? shown.state?.lastFailure };
  }

  gone(cronJob: Name): void {
    this.#cronJobs?.delete(keyOf(cronJob));
  }

  #of(cronJob: Name): Shown | undefined {
    const key = keyOf(cronJob);
    let shown = this.#cronJobs?.get(key);
    if (!shown) {
      const { apiVersion, namespace, name } = cronJob;
      shown = new Shown({ api_version: apiVersion, namespace, cronjob: name });
      this.#cronJobs?.set(key, shown);
    }
    return this.#cronJobs && shown;
  }
}

interface MetricOptions {
  name: string;
  help: string;
  type: "gauge" | "counter";
  valuesOf: (shown: Shown) => Iterable<Value>;
}

interface Value {
  /** Besides those that name the CronJob. */
  readonly labels: Record<string, string>;
  readonly value: number;
}

/**
 * A metric that the registry writes straight from what is known. One of its own kinds would need all values put into it
 * first, for thousands of CronJobs, and would write those of all metrics at one go: a due run would wait for that.
 */
class PerCronJobMetric {
  readonly name: string;
  readonly help: string;
  readonly type: "gauge" | "counter";
  readonly #valuesOf: MetricOptions["valuesOf"];

  constructor({ name, help, type, valuesOf }: MetricOptions, readonly source: Source) {
    this.name = `${PREFIX}_cronjob_${name}`;
    this.help = help;
    this.type = type;
    this.#valuesOf = valuesOf;
  }

  async get() {
    await this.source.turn();
    const values = [];
    for (const shown of this.source.cronJobs.values()) {
      for (const value of this.#valuesOf(shown)) values.push({ sharedLabels: shown.labels, ...value });
    }
    return { name: this.name, help: this.help, type: this.type, values, aggregator: "sum" };
  }
}

/** What the metrics of all CronJobs are written from, one metric in each turn of the event loop. */
class Source {
  readonly cronJobs = new Map<string, Shown>();
  #turn: Promise<unknown> = Promise.resolve();

  turn(): Promise<unknown> {
    return this.#turn = this.#turn.then(() => setImmediate());
  }
}

function* gaugeValues(read: (typeof GAUGES)[number][2], shown: Shown): Generator<Value> {
  const value = shown.state && read(shown.state, shown);
  if (value !== undefined) yield { labels: {}, value };
}

function keyOf({ apiVersion, namespace, name }: Name): string {
  return `${apiVersion} ${namespace}/${name}`;
}

function seconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1_000;
}
