import type { CronJob } from "../cronjob/api/cron_job.ts";
import type { Child } from "../cronjob/api/job.ts";
import type { PodEnds } from "../cronjob/decision/input.ts";
import { find } from "../cronjob/decision/find.ts";
import type { Findings } from "../cronjob/decision/findings.ts";
import { inLine } from "../cronjob/decision/line.ts";
import type { CronJobState } from "../cronjob/observer.ts";
import { reportOf } from "../cronjob/status/report.ts";
import { statusFor } from "../cronjob/status/status.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import type { RunView } from "./cron_job_view.ts";
import type { EventFacts } from "./event_facts.ts";
import { type PodFacts, presentPods } from "./pod_facts.ts";
import { type KeptFailures, type KeptRun, runsSince, withKept } from "./kept_runs.ts";
import type { Runner } from "./runner.ts";
import { isOfSchedule, runsOf } from "./runs.ts";
import type { Watched } from "./watched.ts";

/** The readable facts of one CronJob. */
export interface ViewInput {
  readonly cronJob: CronJob;
  /** Every Job of it. */
  readonly jobs: readonly Child[];
  /** Absent where they were not read. */
  readonly pods?: readonly PodFacts[] | undefined;
  /** About the CronJob and its Jobs; absent where they were not read. */
  readonly events?: readonly EventFacts[] | undefined;
  /** Remembered runs of CronJobs of its name; absent where there are none. */
  readonly kept?: readonly KeptRun[] | undefined;
  /** The known failures in a row, where `kept` has the newest runs alone. */
  readonly keptFailures?: KeptFailures;
  /** When runs were watched; absent where nothing is remembered. */
  readonly watched?: Watched | undefined;
  /** The controller that runs it; absent where that was not read. */
  readonly runner?: Runner | undefined;
  /** Whether there is no such CronJob now, so that nothing is known but its remembered runs. @default {false} */
  readonly isGone?: boolean;
  /** Notes on its annotations. @default none */
  readonly notes?: readonly string[];
  readonly now: EpochMs;
}

/** The facts that a view rests on. */
export interface Look {
  readonly input: ViewInput;
  /** The findings of a controller that has just started. */
  readonly findings: Findings;
  /** The state that this controller would report to metrics. */
  readonly state: CronJobState;
  /** Jobs that have not ended, oldest first. */
  readonly active: readonly Child[];
  /** The active runs that count for the concurrency policy. */
  readonly activeOfSchedule: readonly Child[];
  readonly runs: readonly RunView[];
}

/** Returns how Pods ended, as a controller would have read it. */
function endsOf({ cronJob, pods = [] }: ViewInput): PodEnds | undefined {
  if (cronJob.settings.expect?.messagePattern === undefined) return undefined;
  const ended = pods.flatMap(({ jobUid, success }) =>
    jobUid !== undefined && success ? [[jobUid, success] as const] : []
  );
  return { known: new Map(ended) };
}

/** Works out once the facts that every view of a CronJob rests on: findings as a controller has them, runs, active Jobs. */
export function lookAt(input: ViewInput): Look {
  const { cronJob, jobs, now } = input;
  const findings = find({ cronJob, jobs, now, ends: endsOf(input) });
  const { state } = reportOf(findings, statusFor(findings).status);
  const isActive = (child: Child) => child.state === "active";
  return {
    input,
    findings,
    state,
    active: findings.jobs.filter(isActive),
    activeOfSchedule: findings.children.filter(isActive),
    runs: withSkipped(runsOf(cronJob, findings.jobs, (child) => isPending(child, input)), findings),
  };
}

/** Returns the runs; a run that is recorded as waiting, and waits no longer, was skipped. */
function withSkipped(runs: readonly RunView[], findings: Findings): readonly RunView[] {
  if (!runs.some(({ outcome }) => outcome === "Waiting")) return runs;
  const waiting = inLine(findings);
  const isOver = ({ outcome, scheduledTime }: RunView) => outcome === "Waiting" && !waiting.includes(scheduledTime!);
  return runs.map((run) => isOver(run) ? { ...run, outcome: "Skipped" } : run);
}

/** Returns a look with the remembered runs too, from an instant on, for questions about the past. */
export function lookBack(look: Look, since?: EpochMs): Look {
  const { runs, findings, state, input: { cronJob, kept = [] } } = look;
  const own = runsSince(kept, cronJob, since);
  if (own.length === 0) return look;
  const all = withSkipped(withKept(runs, own), findings);
  const lastSuccess = all.filter(isOfSchedule).find(({ outcome }) => outcome === "Succeeded")?.endedAt;
  return { ...look, runs: all, state: { ...state, lastSuccess: state.lastSuccess ?? lastSuccess } };
}

/** How long a Pod may take to start, while its status names no reason to wait. */
const PATIENCE_MS = 5 * 60_000;

/** Returns the Event that says why an active Job has no Pod now: each Pod that it had is over, and older than the Event. */
export function refusedPod(
  { podsSeen, mayHavePods, metadata: { uid } }: Child,
  { pods, events = [] }: ViewInput,
): EventFacts | undefined {
  const own = pods?.filter(({ jobUid }) => jobUid === uid) ?? [];
  if (podsSeen === "some" && (mayHavePods || !pods)) return undefined;
  return events.findLast(({ regardingUid, reason, lastAt }) =>
    regardingUid === uid && reason === "FailedCreate" &&
    own.every(({ isOver, createdAt = lastAt }) => isOver && createdAt < lastAt)
  );
}

/** Returns whether an active Job makes no progress, for a reason that needs attention or for too long. */
export function isPending(child: Child, input: ViewInput): boolean {
  const { pods, now } = input;
  const { state, podsSeen, startTime, createdAt, metadata: { uid } } = child;
  if (state !== "active") return false;
  if (child.isSuspended || refusedPod(child, input)) return true;
  const present = presentPods(child, pods);
  if (present.some(({ hasStarted, waiting }) => hasStarted && waiting === undefined)) return false;
  if (present.some(({ waiting }) => waiting !== undefined)) return true;
  if (pods?.some(({ jobUid, hasStarted }) => jobUid === uid && hasStarted)) return false;
  return podsSeen === "none" && now - (startTime ?? createdAt ?? now) >= PATIENCE_MS;
}
