import { parseTime } from "../../schedule/epoch_ms.ts";
import { isOverdue } from "./conditions.ts";
import type { Child } from "../api/job.ts";
import type { Findings } from "../decision/decide.ts";
import { newest } from "./native_status.ts";
import type { CronJobState } from "../observer.ts";
import { regimeOf } from "../api/stewardship.ts";
import { passedOver, type RefusedRun, refusedRuns } from "./run_records.ts";
import { pauseWrittenAt } from "../decision/start_point.ts";
import type { CronJobStatus } from "../api/types.ts";

/** What metrics tell about a decision, for either flavour: a closed status has no room for it. */
export interface CronJobReport {
  readonly state: CronJobState;
  /** Runs whose refusal is new. */
  readonly refused: readonly RefusedRun[];
  /** How many scheduled times were newly found to have passed with nobody there to start them. */
  readonly passedOver: number;
}

/** `status` is the one that was decided on. */
export function reportOf(findings: Findings, status: CronJobStatus): CronJobReport {
  const { world, children, runs } = findings;
  const { next } = runs.slots;
  return {
    state: {
      nextRun: next === undefined ? undefined : next + runs.offsetMs,
      lastSchedule: parseTime(status.lastScheduleTime),
      lastSuccess: parseTime(status.lastSuccessfulTime),
      lastFailure: parseTime(newest(world.cronJob.status?.lastFailureTime, children, "failed")),
      active: status.active?.length ?? 0,
      isOverdue: isOverdue(findings),
      consecutiveFailures: status.counts?.consecutiveFailures ?? failuresSinceSuccess(children),
      isContested: regimeOf(world.api, world.cronJob).isContested,
    },
    refused: refusedRuns(findings).filter(({ scheduledTime, reason }) =>
      scheduledTime === undefined || reason === "Superseded" || scheduledTime > runs.decidedUntil
    ),
    passedOver: passedOver(findings, toldUntil(findings)),
  };
}

/** Up to when this process has told already, or need not, as far as no status shows it. */
function toldUntil({ world }: Findings): number {
  // What came due while it was suspended was not missed; a closed status doesn't say that it was.
  const resumed = world.api.openStatus ? undefined : pauseWrittenAt(world);
  return Math.max(world.memory?.decidedUntil ?? -Infinity, resumed ?? -Infinity);
}

function failuresSinceSuccess(children: readonly Child[]): number {
  const succeeded = children.filter(({ state }) => state === "succeeded").map(({ endTime }) => endTime ?? -Infinity);
  const since = Math.max(-Infinity, ...succeeded);
  return children.filter(({ state, endTime }) => state === "failed" && (endTime ?? -Infinity) > since).length;
}
