import { type Child, isOfSchedule } from "../cronjob/api/job.ts";
import type { CronJobName } from "../cronjob/observer.ts";
import type { EpochMs } from "../base/epoch_ms.ts";

/** A run that is over, as far as it is worth a notification. */
export interface EndedRun {
  /** Of its Job. */
  readonly uid: string;
  readonly jobName: string;
  readonly outcome: "failed" | "succeeded";
  readonly endTime: EpochMs;
  readonly scheduledTime: EpochMs | undefined;
  readonly byHand: boolean;
  /** The reason and message of the condition that ended its Job. */
  readonly reason: string | undefined;
  readonly message: string | undefined;
}

/** A run that is remembered, whose Job may be gone. */
export interface RememberedRun extends EndedRun {
  readonly cronJob: CronJobName;
  /** When its Job was made. */
  readonly createdAt: EpochMs;
}

/** The runs that are remembered after their Jobs: a `RunArchive`. */
export interface RunHistory {
  /** Returns runs that failed since then. */
  failuresSince(since: EpochMs): readonly RememberedRun[];
  /** Returns the last runs of a CronJob since then that ended. */
  endedRunsOf(cronJob: CronJobName, since: EpochMs): readonly EndedRun[];
}

/** Reads a Job as a run that is over. Undefined for one that is not, and for a run of the past: its back-fill counts those. */
export function endedRunOf(child: Child): EndedRun | undefined {
  const { metadata: { uid, name }, state, endTime, createdAt, scheduledTime, manual } = child;
  const at = endTime ?? createdAt;
  if (state === "active" || at === undefined || !isOfSchedule(child)) return undefined;
  return {
    uid,
    jobName: name,
    outcome: state,
    endTime: wholeSeconds(at),
    scheduledTime,
    byHand: manual,
    reason: child.endReason,
    message: child.failureMessage,
  };
}

/** Times are recorded in whole seconds. */
export function wholeSeconds(time: EpochMs): EpochMs {
  return Math.floor(time / 1_000) * 1_000;
}
