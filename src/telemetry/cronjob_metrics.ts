import { Counter, Gauge, Histogram, type Registry } from "prom-client";

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
  readonly runs: Record<string, number>;
  readonly missed: Record<string, number>;

  constructor(readonly labels: Record<string, string>) {
    this.runs = Object.fromEntries(OUTCOMES.flatMap((outcome) => TRIGGERS.map((by) => [`${outcome} ${by}`, 0])));
    this.missed = Object.fromEntries(MISSED_REASONS.map((reason) => [reason, 0]));
  }
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
    const cronJobs = this.#cronJobs = new Map<string, Shown>();
    for (const [name, help, read] of GAUGES) gauge({ name, help, registers, cronJobs, read });
    counter({
      name: "runs_total",
      help: "Runs that ended, or that the concurrency policy refused (which may start later, inside their deadline)",
      labelNames: ["outcome", "trigger"],
      registers,
      cronJobs,
      counts: ({ runs }) => runs,
    });
    counter({
      name: "missed_total",
      help: "Scheduled times that got no Job: outside their deadline (MissSchedule), or passed over for a later one",
      labelNames: ["reason"],
      registers,
      cronJobs,
      counts: ({ missed }) => missed,
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
    shown.runs[`${outcome} ${trigger}`]++;
    if (outcome === "Failed") shown.failuresInARow++;
    if (outcome === "Succeeded") shown.failuresInARow = 0;
  }

  missed(cronJob: Name, { reason, count }: { reason: typeof MISSED_REASONS[number]; count: number }): void {
    const shown = this.#of(cronJob);
    if (shown) shown.missed[reason] += count;
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
  registers: Registry[];
  cronJobs: ReadonlyMap<string, Shown>;
}

const LABELS = ["api_version", "namespace", "cronjob"];

function gauge(
  { name, help, registers, cronJobs, read }: MetricOptions & { read: (typeof GAUGES)[number][2] },
): void {
  new Gauge({
    name: `${PREFIX}_cronjob_${name}`,
    help,
    labelNames: LABELS,
    registers,
    collect() {
      this.reset();
      for (const shown of cronJobs.values()) {
        const value = shown.state && read(shown.state, shown);
        if (value !== undefined) this.set(shown.labels, value);
      }
    },
  });
}

/** The counts are by the values of `labelNames`, with blanks between. */
function counter(
  { name, help, registers, cronJobs, labelNames, counts }: MetricOptions & {
    labelNames: string[];
    counts: (shown: Shown) => Record<string, number>;
  },
): void {
  new Counter({
    name: `${PREFIX}_cronjob_${name}`,
    help,
    labelNames: [...LABELS, ...labelNames],
    registers,
    collect() {
      this.reset();
      for (const shown of cronJobs.values()) {
        for (const [values, count] of Object.entries(counts(shown))) {
          const own = values.split(" ").map((value, i) => [labelNames[i], value]);
          this.inc({ ...shown.labels, ...Object.fromEntries(own) }, count);
        }
      }
    },
  });
}

function keyOf({ apiVersion, namespace, name }: Name): string {
  return `${apiVersion} ${namespace}/${name}`;
}

function seconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1_000;
}
