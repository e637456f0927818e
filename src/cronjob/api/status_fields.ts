import { list, object, type Schema, text, time } from "./schema.ts";

const OBJECT_REFERENCE = object(
  "A Job.",
  Object.fromEntries(
    ["apiVersion", "kind", "name", "namespace", "uid", "resourceVersion", "fieldPath"].map((
      name,
    ) => [name, { type: "string" }]),
  ),
);

const RUN = {
  scheduledTime: { type: "string", format: "date-time" },
  trigger: { type: "string" },
  startTime: { type: "string", format: "date-time" },
  endTime: { type: "string", format: "date-time" },
  outcome: { type: "string" },
  reason: { type: "string" },
  message: text("What the Job says of its failure."),
  jobName: { type: "string" },
};

export const STATUS_FIELDS: Record<string, Schema> = {
  active: list("The Jobs that have not finished.", OBJECT_REFERENCE),
  lastScheduleTime: time(
    "The newest scheduled time that was started. It never goes back, unless it was written from a time before it came " +
      "and no run stands for it.",
  ),
  lastSuccessfulTime: time("When a run last ended well."),
  lastFailureTime: time("When a run last failed."),
  nextScheduleTime: time("The next scheduled time."),
  nextRun: text(
    "The next scheduled time on the wall clock of the schedule's zone, such as Sat 2026-11-21 02:00 Europe/Berlin.",
  ),
  schedule: object("The schedule as last seen.", {
    text: { type: "string" },
    timeZone: { type: "string" },
    exclude: { type: "string" },
    entries: list(
      "Where there are several schedules: each, and since when it holds.",
      object("A schedule.", {
        text: { type: "string" },
        timeZone: { type: "string" },
        since: { type: "string", format: "date-time" },
      }),
    ),
    since: time("Since when it holds: no run from before is started."),
  }),
  counts: object("What became of the runs so far.", {
    succeeded: { type: "integer", format: "int64" },
    failed: { type: "integer", format: "int64" },
    missed: { type: "integer", format: "int64", description: "No controller started them in time." },
    skipped: { type: "integer", format: "int64", description: "The concurrency policy refused them." },
    consecutiveFailures: { type: "integer", format: "int64" },
  }),
  recentRuns: list(
    "The last ten runs, newest first.",
    object("A run.", RUN),
  ),
  passedOver: list(
    "Scheduled times before the last that were not started, for a day: should the clock turn out to have " +
      "been ahead, they run when their time comes again. The ten longest stretches.",
    object("The scheduled times between two, both excluded.", {
      after: { type: "string", format: "date-time" },
      before: { type: "string", format: "date-time" },
    }, ["after", "before"]),
  ),
  waiting: list(
    "With catchUp All: scheduled times that wait to start one after the other, those without a Job yet.",
    object("The scheduled times between two instants, both excluded.", {
      after: { type: "string", format: "date-time" },
      before: { type: "string", format: "date-time" },
    }, ["after", "before"]),
  ),
  lastTrigger: text("The newest value of the trigger annotation that was answered."),
  queuedScheduleTime: time("The run that waits for the active one to end."),
  failuresInARow: object("Runs that failed in a row, where spec.pauseAfterFailures asks for it.", {
    count: { type: "integer", format: "int64" },
    counted: list(
      "The Jobs that were counted last, newest first.",
      object("A Job that ended.", {
        endTime: { type: "string", format: "date-time" },
        jobName: { type: "string" },
      }, ["endTime", "jobName"]),
    ),
    pausedSince: time("Since when nothing is started for it."),
    resumedAt: time("When it was last followed again."),
    pausedWith: text("What it was paused with: it goes on when that changes."),
  }, ["count"]),
  failedRuns: list(
    "With failedJobs KeepUntilSuccess: the last ten failed runs, the last to end first. They stay when their Jobs go.",
    object("A failed run.", {
      ...RUN,
      jobUid: { type: "string" },
      terminated: object("How its last container ended. Empty where the Job had no Pod left.", {
        container: { type: "string" },
        exitCode: { type: "integer", format: "int32" },
        reason: { type: "string" },
        message: text("Its termination message, or what was said of the whole Pod."),
      }),
    }),
  ),
  durations: object("How long those of recentRuns took that ended.", {
    runs: { type: "integer", format: "int64", description: "How many these are." },
    p50Seconds: { type: "number" },
    p95Seconds: { type: "number" },
  }),
  backfill: object("Of the last back-fill.", {
    id: { type: "string" },
    state: { type: "string" },
    from: { type: "string", format: "date-time" },
    to: { type: "string", format: "date-time" },
    reverse: { type: "boolean" },
    startTime: { type: "string", format: "date-time" },
    endTime: { type: "string", format: "date-time" },
    slots: { type: "integer", format: "int64", description: "How many scheduled times it is about." },
    succeeded: { type: "integer", format: "int64" },
    failed: { type: "integer", format: "int64" },
    gone: { type: "integer", format: "int64", description: "Jobs that were gone before they were seen to end." },
    skipped: { type: "integer", format: "int64", description: "Times that had run before." },
    cursor: time("The last time, in its order, that was started or passed over."),
    active: list(
      "The Jobs that have not finished.",
      object("A Job.", {
        scheduledTime: { type: "string", format: "date-time" },
        jobName: { type: "string" },
        uid: { type: "string" },
      }),
    ),
    message: { type: "string" },
  }),
  observedGeneration: { type: "integer", format: "int64" },
  conditions: list(
    "Ready, Suspended, ScheduleValid, Overdue, Failing and RanAhead; Stalled and PendingTimeoutIgnored where they " +
      "hold.",
    object("A condition.", {
      type: { type: "string" },
      status: { type: "string", enum: ["True", "False", "Unknown"] },
      reason: { type: "string" },
      message: { type: "string" },
      lastTransitionTime: { type: "string", format: "date-time" },
      observedGeneration: { type: "integer", format: "int64" },
    }, ["type", "status"]),
    { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"] },
  ),
};
