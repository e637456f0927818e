import { parseTime } from "../../base/epoch_ms.ts";
import { type Child, recordOf } from "../api/job.ts";
import type { CronJobStatus } from "../api/types.ts";
import type { Findings } from "../decision/findings.ts";
import type { CronJobState } from "../observer.ts";
import { isOverdue, notFollowed } from "./conditions.ts";
import { durationsOfRuns } from "./durations.ts";
import { newestEnd } from "./native_status.ts";
import { newlyRefused, type RefusedRun } from "./run_records.ts";
import { type Trouble, troublesOf } from "./troubles.ts";

/** A decision as metrics report it, for every flavour: a closed status has no room for it. */
export interface CronJobReport {
  readonly state: CronJobState;
  /** Runs whose refusal is new. */
  readonly refused: readonly RefusedRun[];
  readonly troubles: readonly Trouble[];
  /** How many scheduled times were newly found to have passed without a start or a refusal. */
  readonly passedOver: number;
}

/** `status` is the one that was decided on. */
export function reportOf(findings: Findings, status: CronJobStatus): CronJobReport {
  const { input, children, due } = findings;
  const { recorded, settings, stewardship } = input.cronJob;
  const { refused, passedOver } = newlyRefused(findings);
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
      durations: status.durations ?? durationsOfRuns(children.map(recordOf)),
      notFollowed: notFollowed(findings),
      unmet: findings.expectations.breaches.map(({ kind }) => kind),
      backfill: backfillOf(findings),
      isContested: stewardship.isContested,
      rival: input.facts?.rival,
    },
    refused,
    // Nothing but a notifier asks for them.
    get troubles() {
      return troublesOf(findings);
    },
    passedOver: passedOver.count,
  };
}

function backfillOf({ backfill: { progress } }: Findings): CronJobState["backfill"] {
  if (progress?.state !== "Running") return undefined;
  const { slots, succeeded, failed, gone, skipped } = progress;
  return { left: Math.max(0, slots - succeeded - failed - gone - skipped), failed };
}

function failuresSinceSuccess(children: readonly Child[]): number {
  const succeeded = children.filter(({ state }) => state === "succeeded").map(({ endTime }) => endTime ?? -Infinity);
  const since = Math.max(-Infinity, ...succeeded);
  return children.filter(({ state, endTime }) => state === "failed" && (endTime ?? -Infinity) > since).length;
}
