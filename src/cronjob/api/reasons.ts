/**
 * Reasons of Normal Events about a CronJob, each with what it means; those that Kubernetes has too mean the same there.
 * The reference lists them, and the compiler lets no other pass.
 */
export const NORMAL_EVENTS = {
  SuccessfulCreate: "A Job was created for a scheduled time, a run by hand or a back-fill.",
  SuccessfulDelete: "A Job was deleted: history has no room for it, or Replace made room for the next run.",
  SawCompletedJob: "A Job ended; the message says how.",
  MissingJob: "A Job that was active is gone.",
  JobAlreadyActive:
    "A run waits for active ones to end, and its message says which; one that a person asked for is skipped.",
  JobQueued: "A run waits for an active one to end, under the policy Queue.",
  BackfillStarted: "A back-fill was accepted; the message has the number of scheduled times.",
  BackfillCompleted: "A back-fill is done, and no run of it failed.",
  BackfillCancelled: "A back-fill was cancelled; its Jobs go on.",
} as const;

/** The same of Warnings. */
export const WARNING_EVENTS = {
  FailedCreate: "The API server refused a Job: a quota, an admission webhook, a permission. It is tried again.",
  FailedDelete: "A Job could not be deleted.",
  FailedGet: "A Job, or how the Pods of a failed one ended, could not be read.",
  FailedHandOver: "The owner reference of a Job could not be changed, so it stays with the other controller.",
  FailedPendingTimeout: "A Job whose Pods never started could not be ended. It is tried again after a minute.",
  UnexpectedJob: "A Job names the CronJob as its owner, but the controller did not create it.",
  JobNameTaken: "Another owner's Job has the name of the run's Job. The run counts as missed.",
  JobOwnerLost: "An active Job no longer names the CronJob as its owner. It counts as active until it has ended.",
  MissSchedule: "A run could not start inside its deadline.",
  TooManyMissedTimes: "More than 100 runs were missed, and no startingDeadlineSeconds is set.",
  LastScheduleTimeInFuture: "A clock was ahead, and started runs before their time; or the status named such a time.",
  MultipleControllers: "Another controller runs the CronJob as well.",
  NotSuspended: "The CronJob is adopted, but spec.suspend is not true, so kube-controller-manager runs it.",
  NameTooLong: "The name leaves no room for the numbers in the names of Jobs.",
  UnknownTimeZone: "The time zone is not known.",
  UnparseableSchedule: "The schedule cannot be read.",
  UnsupportedSchedule: "The schedule has TZ= or CRON_TZ= in it. It is followed, but Kubernetes does not promise that.",
  InvalidSchedule: "The schedule names a date that never comes.",
  InvalidExclusion: "spec.exclude, or its annotation, cannot be read. Nothing starts until it is mended.",
  InvalidTime: "spec.startTime or spec.endTime is no time.",
  InvalidAnnotation: "An annotation cannot be read. It counts as absent; bad schedules or exclusions stop all starts.",
  NoScheduledTime: "No time of the schedule lies where the spec allows runs.",
  Excluded: "Every time of the schedule is excluded.",
  NoTimeToStart: "A deadline or window of 0 s leaves a run no time to start.",
  SpreadTooLong: "spreadSeconds puts starts more than a year after their time.",
  PausedAfterFailures: "As many runs failed in a row as pauseAfterFailures says. Nothing starts until that is ended.",
  RecordLost:
    "The API server has forgotten what the controller wrote, as after a restore. Nothing starts until resume.",
  PendingTimeout: "The Pods of a Job did not start in time. The Job is ended.",
  NeverTwiceOff: "neverTwice has no effect, as the controller runs without --never-twice.",
  InvalidBackfill: "A request for a back-fill cannot be read.",
  BackfillRefused: "A back-fill is not carried out; the message says why.",
  NotRecorded: "The API server drops part of what is recorded: the CRD is older than the controller.",
  BackfillCompleted: "A back-fill is done, and runs of it failed.",
} as const;

export type NormalReason = keyof typeof NORMAL_EVENTS;
export type WarningReason = keyof typeof WARNING_EVENTS;

const EVENTS = { ...NORMAL_EVENTS, ...WARNING_EVENTS };

/** Returns these reasons of Events: as a condition they mean the same. */
function asEvents<Reason extends keyof typeof EVENTS>(...reasons: readonly Reason[]): Pick<typeof EVENTS, Reason> {
  return Object.fromEntries(reasons.map((reason) => [reason, EVENTS[reason]])) as Pick<typeof EVENTS, Reason>;
}

/** Reasons for which nothing starts, and nothing is to: the controller does what it was asked for. */
const RESTS = {
  Suspended: "spec.suspend is true or, of an adopted CronJob, the annotation suspend.",
  Paused: "spec.pause or the annotation pause holds.",
  ...asEvents("PausedAfterFailures"),
  Ended: "spec.endTime has passed.",
  ...asEvents("Excluded"),
} as const;

/** Reasons for which a schedule cannot be read. */
const UNREADABLE = asEvents("UnknownTimeZone", "UnparseableSchedule", "InvalidSchedule", "InvalidExclusion");

/** Reasons for which the schedule cannot be followed. */
const FAULTS = {
  ...asEvents("RecordLost", "NameTooLong"),
  ...UNREADABLE,
  ...asEvents("InvalidTime", "TooManyMissedTimes", "NoScheduledTime", "NoTimeToStart", "SpreadTooLong"),
};

/** Conditions in the status of CronJobs whose API has room for them, each with its reasons. */
export const CONDITIONS = {
  Ready: {
    means: "Whether the controller follows the object: its schedule, or that nothing is to start.",
    reasons: {
      Scheduled: "The schedule is followed.",
      ...RESTS,
      Deleting: "The CronJob is being deleted.",
      Releasing: "The CronJob is going back to kube-controller-manager.",
      ...asEvents("NotSuspended"),
      ...FAULTS,
    },
  },
  Suspended: {
    means: "Whether nothing starts because the spec, or an annotation, asks for that.",
    reasons: { NotRequested: "Neither does.", ...RESTS },
  },
  Stalled: {
    means:
      "Whether the schedule cannot be followed until its author changes the CronJob. It is there only where it holds.",
    reasons: FAULTS,
  },
  ScheduleValid: {
    means: "Whether schedule and time zone can be read.",
    reasons: { Valid: "They can.", ...UNREADABLE },
  },
  Overdue: {
    means: "Whether a run that is due was not started.",
    reasons: {
      OnSchedule: "None is.",
      ...asEvents("JobAlreadyActive", "JobQueued", "FailedCreate", "MissSchedule", "TooManyMissedTimes"),
    },
  },
  Failing: {
    means: "Whether the last run that ended failed.",
    reasons: { NoFailure: "It did not.", JobFailed: "It did; the message quotes its Job." },
  },
  ExpectationsMet: {
    means: "Whether the newest runs did what spec.expect says. It is there only with spec.expect.",
    reasons: {
      Met: "They did, as far as can be judged by now.",
      Late: "The run had not started startWithinSeconds after its time.",
      Slow: "The run had not succeeded by finishBy.",
      Suspicious:
        "The run succeeded sooner than minimumDurationSeconds after its start, or without a message of messagePattern.",
      Stale: "No run has succeeded for succeededWithinSeconds.",
    },
  },
  RanAhead: {
    means: "Whether runs were started before their time, by a clock that was ahead.",
    reasons: { OnTime: "None was.", LastScheduleTimeInFuture: "status.lastScheduleTime is still to come." },
  },
  PendingTimeoutIgnored: {
    means: "Whether a Job outlives pendingTimeoutSeconds. It is there only while that holds.",
    reasons: { Forbidden: "The API server forbids the controller to end Jobs." },
  },
} as const;

export type ConditionType = keyof typeof CONDITIONS;
export type ConditionReason<Type extends ConditionType> = keyof typeof CONDITIONS[Type]["reasons"] & string;

/** Returns whether a reason of `Ready` is one of a condition that goes along with it. */
export function isReasonOf<Type extends "Suspended" | "Stalled">(
  type: Type,
  reason: ConditionReason<"Ready">,
): reason is ConditionReason<"Ready"> & ConditionReason<Type> {
  return Object.hasOwn(CONDITIONS[type].reasons, reason);
}
