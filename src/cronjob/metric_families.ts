import type { CountedTrigger, CronJobName, CronJobState, MissedReason, PerCronJob, RunOutcome } from "./observer.ts";

export const PREFIX = "cronjob_controller";

const OUTCOMES: readonly RunOutcome[] = ["Succeeded", "Failed", "Skipped"];
const TRIGGERS: readonly CountedTrigger[] = ["Schedule", "Manual"];
const MISSED_REASONS: readonly MissedReason[] = ["MissSchedule", "PassedOver", "JobNameTaken"];

/** A value, with labels of its own as they are written: each ends with a comma. */
interface Sample {
  readonly labels: string;
  readonly value: number;
}

/** The kinds of runs that are counted apart. */
const RUNS = OUTCOMES.flatMap((outcome) =>
  TRIGGERS.map((trigger) => ({ outcome, trigger, labels: `outcome="${outcome}",trigger="${trigger}",` }))
);
const MISSED = MISSED_REASONS.map((reason) => ({ labels: `reason="${reason}",` }));

/** The place of a kind of run among the counts of runs. */
export function placeOfRun(outcome: RunOutcome, trigger: CountedTrigger): number {
  return RUNS.findIndex((run) => run.outcome === outcome && run.trigger === trigger);
}

/** The place of a reason among the counts of missed runs. */
export function placeOfMissed(reason: MissedReason): number {
  return MISSED_REASONS.indexOf(reason);
}

function samplesOf(kinds: readonly Pick<Sample, "labels">[], counts: readonly number[]): Sample[] {
  return kinds.map(({ labels }, i) => ({ labels, value: counts[i]! }));
}

/** The CronJobs of one API in one namespace. */
export class ShownNamespace {
  readonly labels: string;
  cronJobs = 0;
  active = 0;
  readonly runs = RUNS.map(() => 0);

  constructor({ apiVersion, namespace }: Pick<CronJobName, "apiVersion" | "namespace">) {
    // Names need no quoting: the API server lets no such character in.
    this.labels = `api_version="${apiVersion}",namespace="${namespace}"`;
  }
}

/** All that is shown of one CronJob. There are many, so labels become text only when they are read. */
export class ShownCronJob {
  state: CronJobState | undefined;
  failuresInARow = 0;
  readonly runs = RUNS.map(() => 0);
  readonly missed = MISSED.map(() => 0);

  constructor(readonly name: string, readonly namespace: ShownNamespace) {}

  get labels(): string {
    return `${this.namespace.labels},cronjob="${this.name}"`;
  }
}

export interface Family<Shown> {
  readonly name: string;
  readonly help: string;
  readonly type: "gauge" | "counter";
  readonly read: (shown: Shown, now: number) => readonly Sample[];
  /** When a sample is essential; absent: never. */
  readonly essential?: Essential | undefined;
}

/** How long after its time a run that was not even looked at counts as overdue: the controller is late, or stuck. */
const OVERDUE_MS = 10_000;

/** How far ahead the last scheduled time may be without a clock counting as wrong. */
const AHEAD_MS = 60_000;

type Essential =
  | "always"
  | "unless it is 0"
  | "while runs fail"
  | "while it is overdue"
  | "unless it is 0 and a run is to come";

/** When samples are essential. */
const ESSENTIAL: Record<Essential, (value: number, shown: Partial<ShownCronJob>, now: number) => boolean> = {
  always: () => true,
  "unless it is 0": (value) => value !== 0,
  "while runs fail": (_value, shown) => failuresInARow(shown) > 0,
  // Each CronJob that there is has a sample at least.
  "unless it is 0 and a run is to come": (value, { state }) => value !== 0 || state?.nextRun === undefined,
  "while it is overdue": (_value, { state }, now) => state !== undefined && isOverdue(state, now),
};

/** Returns what of a family is shown at a level; undefined: nothing. */
export function filterOf(family: Family<never>, level: PerCronJob) {
  const essential = level === "all" ? "always" : family.essential;
  return level === "none" || essential === undefined ? undefined : ESSENTIAL[essential];
}

/** Of each namespace, at every level. */
export const NAMESPACE_FAMILIES: readonly Family<ShownNamespace>[] = [
  {
    name: `${PREFIX}_cronjobs`,
    help: "CronJobs that this controller follows",
    type: "gauge",
    read: ({ cronJobs }) => [{ labels: "", value: cronJobs }],
  },
  {
    name: `${PREFIX}_runs_active`,
    help: "Runs of all CronJobs of a namespace that are under way",
    type: "gauge",
    read: ({ active }) => [{ labels: "", value: active }],
  },
  {
    name: `${PREFIX}_runs_total`,
    help: "Runs of all CronJobs of a namespace that ended, or that the concurrency policy refused",
    type: "counter",
    read: ({ runs }) => samplesOf(RUNS, runs),
  },
];

/** Of each CronJob. */
export const CRON_JOB_FAMILIES: readonly Family<ShownCronJob>[] = [
  gauge(
    "next_run_timestamp_seconds",
    "When the next run starts; absent where none is to come",
    ({ nextRun }) => seconds(nextRun),
    "always",
  ),
  gauge(
    "last_schedule_timestamp_seconds",
    "The newest scheduled time that has, or had, its Job",
    ({ lastSchedule }) => seconds(lastSchedule),
  ),
  gauge(
    "last_success_timestamp_seconds",
    "When a run last succeeded",
    ({ lastSuccess }) => seconds(lastSuccess),
    "always",
  ),
  gauge(
    "last_failure_timestamp_seconds",
    "When a run last failed",
    ({ lastFailure }) => seconds(lastFailure),
    "while runs fail",
  ),
  gauge(
    "overdue",
    "Whether a run that is due was not started (1) or not (0)",
    (state, _shown, now) => isOverdue(state, now) ? 1 : 0,
    "unless it is 0",
  ),
  gauge(
    "ran_ahead",
    "Whether the last scheduled time is still to come (1), as a clock was ahead, or not (0)",
    ({ lastSchedule = -Infinity }, _shown, now) => lastSchedule - AHEAD_MS > now ? 1 : 0,
    "unless it is 0",
  ),
  gauge("active", "Runs under way", ({ active }) => active, "while it is overdue"),
  gauge(
    "consecutive_failures",
    "Runs that failed since the last that succeeded",
    (_state, shown) => failuresInARow(shown),
    "unless it is 0",
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
    "always",
  ),
  gauge("backfill_failed", "Runs of that back-fill that failed", ({ backfill }) => backfill?.failed, "always"),
  {
    name: `${PREFIX}_cronjob_not_followed`,
    help: "1 while no run starts although no pause or suspension asks for that: by reason",
    type: "gauge",
    read: ({ state }) => state?.notFollowed ? [{ labels: `reason="${state.notFollowed.reason}",`, value: 1 }] : [],
    essential: "always",
  },
  {
    name: `${PREFIX}_cronjob_expectation_unmet`,
    help: "1 while the newest run does not do what spec.expect says: by reason Late, Slow, Suspicious or Stale",
    type: "gauge",
    read: ({ state }) => (state?.unmet ?? []).map((reason) => ({ labels: `reason="${reason}",`, value: 1 })),
    essential: "always",
  },
  gauge(
    "contested",
    "Whether another controller runs this CronJob as well (1) or not (0); absent where none was seen and it isn't adopted",
    ({ isContested, rival }) => isContested || rival !== undefined ? 1 : isContested === undefined ? undefined : 0,
    "unless it is 0",
  ),
  gauge(
    "suspended",
    "Whether spec.suspend, or the annotation in its place, keeps it from running (1) or not (0)",
    ({ settings }) => settings && (settings.suspended ? 1 : 0),
    "unless it is 0 and a run is to come",
  ),
  {
    name: `${PREFIX}_cronjob_info`,
    help: "Always 1; the labels are those of its spec",
    type: "gauge",
    read: ({ state }) => {
      if (!state?.settings) return [];
      const { schedule, timeZone = "", policy } = state.settings;
      const labels = `schedule=${quoted(schedule)},timezone=${quoted(timeZone)},concurrency_policy="${policy}",`;
      return [{ labels, value: 1 }];
    },
  },
  {
    name: `${PREFIX}_cronjob_runs_total`,
    help: "Runs that ended, or that the concurrency policy refused (which may start later, inside their deadline)",
    type: "counter",
    read: ({ runs }) => samplesOf(RUNS, runs),
  },
  {
    name: `${PREFIX}_cronjob_missed_total`,
    help:
      "Scheduled times that got no Job: outside their deadline (MissSchedule), passed over for a later one, or its name taken",
    type: "counter",
    read: ({ missed }) => samplesOf(MISSED, missed),
    essential: "unless it is 0",
  },
];

function gauge(
  name: string,
  help: string,
  read: (state: CronJobState, shown: ShownCronJob, now: number) => number | undefined,
  essential?: Essential,
): Family<ShownCronJob> {
  return {
    name: `${PREFIX}_cronjob_${name}`,
    help,
    type: "gauge",
    read: (shown, now) => {
      const value = shown.state && read(shown.state, shown, now);
      return value === undefined ? [] : [{ labels: "", value }];
    },
    essential,
  };
}

function isOverdue({ isOverdue, nextRun = Infinity }: CronJobState, now: number): boolean {
  return isOverdue || nextRun + OVERDUE_MS < now;
}

function failuresInARow({ state, failuresInARow = 0 }: Partial<ShownCronJob>): number {
  return Math.max(state?.consecutiveFailures ?? 0, failuresInARow);
}

function seconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1_000;
}

/** As Prometheus' text format has it: a schedule is a text of its author. */
function quoted(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"')}"`;
}
