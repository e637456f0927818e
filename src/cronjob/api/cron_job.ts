import type { EpochMs } from "../../base/epoch_ms.ts";
import { type DeepReadonly, keyOf, type ObjectKey } from "../../kube/object.ts";
import type { Schedule } from "../../schedule/schedule.ts";
import type { BackfillProgress, BackfillReading } from "./backfill.ts";
import type { ObservedPart } from "./observed_schedules.ts";
import type { Settings } from "./settings.ts";
import type { Stewardship } from "./stewardship.ts";
import type { StoredCronJob } from "./stored_cron_job.ts";
import type { FailedRun, FailureRecord, ObservedSchedule, RecordLost, Stretch } from "./types.ts";

/**
 * One version of a CronJob, read once: the object as the API server stores it, and what it says in the program's own
 * terms, whichever flavour says it.
 */
export interface CronJob extends StoredCronJob {
  /** The record of the status, with instants in place of text. */
  readonly recorded: RecordedStatus;
  readonly settings: Settings;
  /** The schedule, or what is wrong with it or its time zone. */
  readonly schedule: ScheduleReading;
  /** The times of each day by which a run is expected to have succeeded. */
  readonly finishTimes: Schedule | undefined;
  readonly stewardship: Stewardship;
  /** Undefined where the API server's text is no time. */
  readonly createdAt: EpochMs | undefined;
  readonly isBeingDeleted: boolean;
  /** The value of the trigger annotation: a new one asks for a run by hand. */
  readonly requestedTrigger: string | undefined;
  /** The newest request for a run by hand that was answered. */
  readonly answeredTrigger: string | undefined;
  /** When the spec was last written; undefined where the API server keeps no record of it. */
  readonly specWrittenAt: EpochMs | undefined;
  /** When an owner of the schedule or its zone last wrote. */
  readonly scheduleWrittenAt: EpochMs | undefined;
  /** When the schedule's field was last written, as far as is known. */
  readonly scheduleEditedAt: EpochMs | undefined;
  /** When what pauses it was last written. Of an annotation that was taken away there is no record. */
  readonly pauseWrittenAt: EpochMs | undefined;
  /** When it may have been resumed: the same, but for writers of the whole spec, who may have changed anything else. */
  readonly resumedAt: EpochMs | undefined;
  /** When `status.lastScheduleTime` was last written, or later, by the API server's clock. */
  readonly lastScheduleWrittenAt: EpochMs | undefined;
  /** Scheduled times up to the last that were recorded as not started. */
  readonly passedOver: readonly Stretch[];
  /** Scheduled times that were recorded as waiting to start one after the other. */
  readonly waiting: readonly Stretch[];
  /** The newest scheduled time that was recorded as missed. */
  readonly lastMissedTime: EpochMs | undefined;
  /** The schedules as last seen, and since when each holds; empty where nothing is recorded. */
  readonly observedSchedules: readonly ObservedPart[];
  /** The record of runs that failed in a row. */
  readonly recordedFailures: FailureRecord | undefined;
  /** The loss of records for which nothing starts. */
  readonly lostRecord: RecordLost | undefined;
  /** The failed runs whose Jobs may go, as their Jobs and Pods have nothing more to say. */
  readonly recordedFailedRuns: readonly DeepReadonly<FailedRun>[];
  /** A user changes it to have a schedule followed again that was paused after failures. */
  readonly resumeMark: string;
  /** The back-fill that is asked for. */
  readonly backfill: BackfillReading;
  /** How far the last back-fill had come; undefined where there was none. */
  readonly recordedBackfill: BackfillProgress | undefined;
}

/** A schedule that can be followed, or why it can't be. */
export type ScheduleReading =
  | FollowedSchedule
  | { readonly kind: "problem"; readonly reason: ScheduleProblem; readonly message: string };

export interface FollowedSchedule {
  readonly kind: "schedule";
  readonly schedule: Schedule;
  /** The schedules that it is the union of, in the order of the settings. */
  readonly parts: readonly Schedule[];
  /** Returns the union of these, each changed. */
  readonly withEach: (change: (part: Schedule, index: number) => Schedule) => Schedule;
}

export type ScheduleProblem = "UnknownTimeZone" | "UnparseableSchedule" | "InvalidSchedule" | "InvalidExclusion";

export interface RecordedStatus {
  readonly lastScheduleTime: EpochMs | undefined;
  readonly lastSuccessfulTime: EpochMs | undefined;
  readonly lastFailureTime: EpochMs | undefined;
  /** The run that waits for an active one to end. */
  readonly queuedTime: EpochMs | undefined;
  /** The scheduled times of the recorded runs. */
  readonly recordedTimes: readonly EpochMs[];
  readonly schedule: DeepReadonly<ObservedSchedule> | undefined;
  /** Since when the recorded schedule holds. */
  readonly scheduleSince: EpochMs | undefined;
  /** Whether it was suspended or paused. */
  readonly wasResting: boolean;
  /** Since when. */
  readonly restingSince: EpochMs | undefined;
  /** Since when it is no more. */
  readonly followedSince: EpochMs | undefined;
  /** The same, or paused after failures: what came due meanwhile was not missed. */
  readonly wasClosed: boolean;
}

/** Returns the key of the queue and the cache. */
export function cronJobKey({ metadata }: Pick<CronJob, "metadata">): ObjectKey {
  return keyOf({ metadata });
}

/** Returns whether the status says that this spec was read, where there is room for that. */
export function isAcknowledged({ flavour, status, metadata: { generation } }: CronJob): boolean {
  if (!flavour.openStatus) return true;
  // A definition without that field drops it from each write.
  if (status.observedGeneration === undefined) return Object.keys(status).length > 0;
  return status.observedGeneration === generation;
}
