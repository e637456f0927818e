import { setImmediate } from "node:timers/promises";
import { Histogram } from "prom-client";
import type { Metrics } from "../telemetry/metrics.ts";
import type { CronJobName, CronJobObserver, CronJobState, MissedReason, RunOutcome } from "./observer.ts";
import type { RunTrigger } from "./api/types.ts";

const PREFIX = "cronjob_controller";
/** 1 s, doubling, as upstream. */
const SKEW_SECONDS = Array.from({ length: 10 }, (_, i) => 2 ** i);

const OUTCOMES: readonly RunOutcome[] = ["Succeeded", "Failed", "Skipped"];
const TRIGGERS: readonly RunTrigger[] = ["Schedule", "Manual"];
const MISSED_REASONS: readonly MissedReason[] = ["MissSchedule", "PassedOver", "JobNameTaken"];

/** All that is shown of one CronJob. It goes when the CronJob goes, so that no series outlives it. */
class Shown {
  state: CronJobState | undefined;
  failuresInARow = 0;
  readonly runs = OUTCOMES.flatMap((outcome) => TRIGGERS.map((trigger) => ({ outcome, trigger, value: 0 })));
  readonly missed = MISSED_REASONS.map((reason) => ({ reason, value: 0 }));

  /** `labels` as they are written. */
  constructor(readonly labels: string) {}
}

/** A metric: its help, and the values of one CronJob as lines; undefined: nothing to show. */
interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: "gauge" | "counter";
  readonly write: (name: string, shown: Shown, now: number) => string;
}

/** How long after its time a run that was not even looked at counts as overdue: the controller is late, or stuck. */
const OVERDUE_MS = 10_000;

/** How far ahead the last scheduled time may be without a clock counting as wrong. */
const AHEAD_MS = 60_000;

const FAMILIES: readonly Family[] = [
  gauge(
    "next_run_timestamp_seconds",
    "When the next run starts; absent where none is to come",
    ({ nextRun }) => seconds(nextRun),
  ),
  gauge(
    "last_schedule_timestamp_seconds",
    "The newest scheduled time that has, or had, its Job",
    ({ lastSchedule }) => seconds(lastSchedule),
  ),
  gauge("last_success_timestamp_seconds", "When a run last succeeded", ({ lastSuccess }) => seconds(lastSuccess)),
  gauge("last_failure_timestamp_seconds", "When a run last failed", ({ lastFailure }) => seconds(lastFailure)),
  gauge(
    "overdue",
    "Whether a run that is due was not started (1) or not (0)",
    ({ isOverdue, nextRun = Infinity }, _shown, now) => isOverdue || nextRun + OVERDUE_MS < now ? 1 : 0,
  ),
  gauge(
    "ran_ahead",
    "Whether the last scheduled time is still to come (1), as a clock was ahead, or not (0)",
    ({ lastSchedule = -Infinity }, _shown, now) => lastSchedule - AHEAD_MS > now ? 1 : 0,
  ),
  gauge("active", "Runs under way", ({ active }) => active),
  gauge(
    "consecutive_failures",
    "Runs that failed since the last that succeeded",
    ({ consecutiveFailures }, { failuresInARow }) => Math.max(consecutiveFailures, failuresInARow),
  ),
  gauge(
    "run_duration_p50_seconds",
    "How long half of its last runs took at most, from creation to end: those that are recorded, or whose Jobs are still there",
    ({ durations }) => durations?.p50Seconds,
  ),
  gauge(
    "run_duration_p95_seconds",
    "The same of 95 in 100 of them",
    ({ durations }) => durations?.p95Seconds,
  ),
  gauge(
    "backfill_left",
    "Scheduled times that its back-fill has still to go through; absent while there is none under way",
    ({ backfill }) => backfill?.left,
  ),
  gauge("backfill_failed", "Runs of that back-fill that failed", ({ backfill }) => backfill?.failed),
  {
    name: "not_followed",
    help: "1 while no run starts although no pause or suspension asks for that: by reason",
    type: "gauge",
    write: (name, { state, labels }) => {
      const reason = state?.notFollowed?.reason;
      return reason === undefined ? "" : `${name}{reason="${reason}",${labels}} 1\n`;
    },
  },
  gauge(
    "contested",
    "Whether another controller runs this CronJob as well (1) or not (0); absent where none was seen and it isn't adopted",
    ({ isContested, rival }) => isContested || rival !== undefined ? 1 : isContested === undefined ? undefined : 0,
  ),
  {
    name: "runs_total",
    help: "Runs that ended, or that the concurrency policy refused (which may start later, inside their deadline)",
    type: "counter",
    write: (name, { runs, labels }) =>
      runs.map(({ outcome, trigger, value }) =>
        `${name}{outcome="${outcome}",trigger="${trigger}",${labels}} ${value}\n`
      ).join(""),
  },
  {
    name: "missed_total",
    help:
      "Scheduled times that got no Job: outside their deadline (MissSchedule), passed over for a later one, or its name taken",
    type: "counter",
    write: (name, { missed, labels }) =>
      missed.map(({ reason, value }) => `${name}{reason="${reason}",${labels}} ${value}\n`).join(""),
  },
];

export interface CronJobMetricsOptions {
  readonly perCronJob: boolean;
  /** The wall clock. */
  readonly now: () => number;
}

/**
 * The metrics of the CronJob controllers: their own under upstream's name, and those of each CronJob.
 *
 * Reports about CronJobs are kept as they came and become text when they are asked for: a due run never waits for that.
 * Counts begin with this process.
 */
export class CronJobMetrics implements Required<CronJobObserver> {
  readonly #skew: Histogram;
  readonly #cronJobs: Map<string, Shown> | undefined;

  constructor(metrics: Pick<Metrics, "registry" | "addSection">, { perCronJob, now }: CronJobMetricsOptions) {
    this.#skew = new Histogram({
      name: `${PREFIX}_job_creation_skew_duration_seconds`,
      help: "Time between when a cronjob is scheduled to be run, and when the corresponding job is created",
      buckets: SKEW_SECONDS,
      registers: [metrics.registry],
    });
    if (!perCronJob) return;
    const cronJobs = this.#cronJobs = new Map<string, Shown>();
    metrics.addSection(() => write(cronJobs, now));
  }

  jobCreated({ skewSeconds }: { skewSeconds: number }): void {
    this.#skew.observe(skewSeconds);
  }

  run(
    cronJob: CronJobName,
    { outcome, trigger }: { outcome: RunOutcome; trigger: RunTrigger },
  ): void {
    const shown = this.#of(cronJob);
    if (!shown) return;
    shown.runs.find((run) => run.outcome === outcome && run.trigger === trigger)!.value++;
    if (outcome === "Failed") shown.failuresInARow++;
    if (outcome === "Succeeded") shown.failuresInARow = 0;
  }

  missed(cronJob: CronJobName, { reason, count }: { reason: MissedReason; count: number }): void {
    const shown = this.#of(cronJob);
    if (shown) shown.missed.find((missed) => missed.reason === reason)!.value += count;
  }

  looked(cronJob: CronJobName, state: CronJobState): void {
    const shown = this.#of(cronJob);
    if (!shown) return;
    // A Job that history has no room for takes its failure along.
    shown.state = { ...state, lastFailure: state.lastFailure ?? shown.state?.lastFailure };
  }

  gone(cronJob: CronJobName): void {
    this.#cronJobs?.delete(keyOf(cronJob));
  }

  #of(cronJob: CronJobName): Shown | undefined {
    const key = keyOf(cronJob);
    let shown = this.#cronJobs?.get(key);
    if (!shown) {
      const { apiVersion, namespace, name } = cronJob;
      // Names need no quoting: the API server lets no such character in.
      shown = new Shown(`api_version="${apiVersion}",namespace="${namespace}",cronjob="${name}"`);
      this.#cronJobs?.set(key, shown);
    }
    return this.#cronJobs && shown;
  }
}

/** CronJobs between two turns of the event loop: a few milliseconds at most. */
const AT_A_TIME = 500;

/** The text of all metrics, in pieces. A library's metrics would hold up a due run while thousands of CronJobs are written. */
async function* write(cronJobs: ReadonlyMap<string, Shown>, now: () => number): AsyncGenerator<string> {
  for (const { name: short, help, type, write } of FAMILIES) {
    const name = `${PREFIX}_cronjob_${short}`;
    let text = `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
    let count = 0;
    for (const shown of cronJobs.values()) {
      text += write(name, shown, now());
      if (++count % AT_A_TIME !== 0) continue;
      yield text;
      text = "";
      await setImmediate();
    }
    yield `${text}\n`;
  }
}

function gauge(
  name: string,
  help: string,
  read: (state: CronJobState, shown: Shown, now: number) => number | undefined,
): Family {
  return {
    name,
    help,
    type: "gauge",
    write: (name, shown, now) => {
      const value = shown.state && read(shown.state, shown, now);
      return value === undefined ? "" : `${name}{${shown.labels}} ${value}\n`;
    },
  };
}

function keyOf({ apiVersion, namespace, name }: CronJobName): string {
  return `${apiVersion} ${namespace}/${name}`;
}

function seconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1_000;
}
