import { type EpochMs, latest, parseTime } from "../../base/epoch_ms.ts";
import type { Child } from "../api/job.ts";
import type { CronJobStatus } from "../api/types.ts";
import type { Findings } from "../decision/findings.ts";
import { pauseWrittenAt } from "../decision/start_point.ts";
import type { CronJobState } from "../observer.ts";
import { isOverdue, notFollowed } from "./conditions.ts";
import { durationsOfJobs } from "./durations.ts";
import { newestEnd } from "./native_status.ts";
import { passedOver, type RefusedRun, refusedRuns } from "./run_records.ts";

/** A decision as metrics report it, for every flavour: a closed status has no room for it. */
export interface CronJobReport {
  readonly state: CronJobState;
  /** Runs whose refusal is new. */
  readonly refused: readonly RefusedRun[];
  /** How many scheduled times were newly found to have passed without a start or a refusal. */
  readonly passedOver: number;
}

/** `status` is the one that was decided on. */
export function reportOf(findings: Findings, status: CronJobStatus): CronJobReport {
  const { input, children, due } = findings;
  const { recorded, settings, stewardship } = input.cronJob;
  return {
    state: {
      settings,
      nextRun: due.next === undefined ? undefined : due.next + due.offsetMs,
      lastSchedule: parseTime(status.lastScheduleTime),
      lastSuccess: parseTime(status.lastSuccessfulTime),
      lastFailure: newestEnd(recorded.lastFailureTime, children, "failed"),
      active: status.active?.length ?? 0,
      isOverdue: isOverdue(findings),
      consecutiveFailures: status.counts?.consecutiveFailures ?? failuresSinceSuccess(children),
      durations: status.durations ?? durationsOfJobs(children),
      notFollowed: notFollowed(findings),
      unmet: findings.expectations.breaches.map(({ kind }) => kind),
      backfill: backfillOf(findings),
      isContested: stewardship.isContested,
      rival: input.facts?.rival,
    },
    refused: refusedRuns(findings).filter((run) => isReported(run, findings)),
    passedOver: passedOver(findings, reportedUntil(findings)),
  };
}

/** Returns whether a refusal is new. Of what waits only that counts which nothing reports should another take its place. */
function isReported({ scheduledTime, outcome, reason }: RefusedRun, { input, due }: Findings): boolean {
  if (outcome === "Waiting" && (reason === "JobQueued" || input.cronJob.settings.catchUp === "All")) return false;
  return scheduledTime === undefined || reason === "Superseded" || reason === "JobNameTaken" ||
    scheduledTime > due.decidedUntil;
}

/** Up to when this process has reported already, or need not, as far as no status shows it. */
function reportedUntil({ input, failures }: Findings): EpochMs {
  // Runs that came due while it was suspended were not missed; a closed status doesn't say that it was suspended.
  const resumed = input.cronJob.flavour.openStatus ? undefined : pauseWrittenAt(input);
  return latest(input.facts?.decidedUntil, resumed, failures?.resumedAt) ?? -Infinity;
}

function backfillOf({ backfill: { progress } }: Findings): CronJobState["backfill"] {
  if (progress?.state !== "Running") return undefined;
  const { slots, counts: { succeeded, failed, gone, skipped } } = progress;
  return { left: Math.max(0, slots - succeeded - failed - gone - skipped), failed };
}

function failuresSinceSuccess(children: readonly Child[]): number {
  const succeeded = children.filter(({ state }) => state === "succeeded").map(({ endTime }) => endTime ?? -Infinity);
  const since = Math.max(-Infinity, ...succeeded);
  return children.filter(({ state, endTime }) => state === "failed" && (endTime ?? -Infinity) > since).length;
}
