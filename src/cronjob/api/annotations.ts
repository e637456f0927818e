/** Prefix of everything that this controller understands beyond Kubernetes' own annotations. */
export const PREFIX = "cronjob-controller.dev";

/** A new value starts one run by hand; on the Job it is the value that started it. */
export const TRIGGER = `${PREFIX}/trigger`;
/** On a `batch/v1` CronJob: the newest value of {@linkcode TRIGGER} that has been answered. */
export const LAST_TRIGGER = `${PREFIX}/last-trigger`;
/** On a `batch/v1` CronJob: what `status.passedOver` says in the other flavours, as `after/before,…`. */
export const PASSED_OVER = `${PREFIX}/passed-over`;
/** On a `batch/v1` CronJob: what `status.lastMissedTime` says in the other flavours. */
export const LAST_MISSED_TIME = `${PREFIX}/last-missed-time`;
/** On a `batch/v1` CronJob: what `status.waiting` says in the other flavours, as `after/before,…`. */
export const WAITING = `${PREFIX}/waiting`;
/** On a `batch/v1` CronJob, when asked for: the next run. */
export const NEXT_SCHEDULE_TIME = `${PREFIX}/next-schedule-time`;
/** On every CronJob, where notifications are on: which failures were reported, as JSON. */
export const NOTIFIED = `${PREFIX}/notified`;
/** The same of troubles beside failures: the one of each kind that was reported last, as JSON. */
export const REPORTED_TROUBLES = `${PREFIX}/reported-troubles`;
/** On the Pod template, when the schedule is exposed: RFC 3339. */
export const SCHEDULED_TIME = `${PREFIX}/scheduled-time`;

export const SCHEDULE = `${PREFIX}/schedule`;
export const SCHEDULES = `${PREFIX}/schedules`;
/** On a `batch/v1` CronJob with several schedules: what `status.schedule.entries` says in the other flavours, as JSON. */
export const OBSERVED_SCHEDULES = `${PREFIX}/observed-schedules`;
export const ON_EDIT = `${PREFIX}/on-edit`;
export const CATCH_UP = `${PREFIX}/catch-up`;
export const EXPECT = `${PREFIX}/expect`;
export const EXCLUDE = `${PREFIX}/exclude`;
/** On every CronJob: who paused it, why and until when, as JSON. */
export const PAUSE = `${PREFIX}/pause`;
/** A new value has a schedule followed again that was paused after failures, or as the API server has forgotten records. */
export const RESUME = `${PREFIX}/resume`;
/** On a `batch/v1` CronJob: what `status.failuresInARow` says in the other flavours, as JSON. */
export const FAILURES = `${PREFIX}/failures-in-a-row`;
/** On a `batch/v1` CronJob: what `status.recordLost` says in the other flavours, as JSON. */
export const RECORD_LOST = `${PREFIX}/record-lost`;
/** On a `batch/v1` CronJob: what `status.failedRuns` says in the other flavours, as JSON. */
export const FAILED_RUNS = `${PREFIX}/failed-runs`;
/** Asks for runs of the past, as JSON; on a Job of such a run: the request's id. */
export const BACKFILL = `${PREFIX}/backfill`;
/** On a `batch/v1` CronJob: what `status.backfill` says in the other flavour, as JSON. */
export const BACKFILL_PROGRESS = `${PREFIX}/backfill-progress`;

/** On a `batch/v1` CronJob that is suspended: this controller runs it, and no other does. */
export const MANAGED = `${PREFIX}/managed`;
/** Of {@linkcode MANAGED}: while it says this, the CronJob goes back to kube-controller-manager; then the annotation goes. */
export const RELEASING_VALUE = "releasing";
/** On a managed CronJob, in place of `spec.suspend`. */
export const SUSPEND = `${PREFIX}/suspend`;
/** On a managed CronJob, which looks suspended in other tools: who runs it, in words. */
export const ABOUT = `${PREFIX}/about`;

/** A finalizer of Jobs of CronJobs with `neverTwice`: the Job stays, in deletion or not, and so its name is taken. */
export const NAME_HOLD = `${PREFIX}/never-twice`;

/** On the Lease of this controller: what its holder runs, as JSON. */
export const SERVES = `${PREFIX}/serves`;

/** A label of a CronJob, not an annotation: `true` has its runs pinged to the operator's ping server. */
export const PING = `${PREFIX}/ping`;

/** kubectl's mark on `create job --from=cronjob/…`. */
export const INSTANTIATE = "cronjob.kubernetes.io/instantiate";
