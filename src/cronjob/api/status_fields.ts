import { list, NUMBER, object, record, type Schema, TEXT, text, TIME, time, word } from "./schema.ts";

const OBJECT_REFERENCE = object(
  "A Job.",
  Object.fromEntries(
    ["apiVersion", "kind", "name", "namespace", "uid", "resourceVersion", "fieldPath"].map((name) => [name, TEXT]),
  ),
);

const RUN = {
  scheduledTime: TIME,
  trigger: word<"Schedule" | "Manual" | "Backfill">(),
  startTime: TIME,
  endTime: TIME,
  outcome: word<"Running" | "Succeeded" | "Failed" | "Waiting" | "Skipped" | "Missed" | "Deleted">(),
  reason: TEXT,
  message: text("What the Job says of its failure."),
  jobName: TEXT,
};
const NOT_OF_EACH_RUN = ["scheduledTime", "startTime", "endTime", "reason", "message", "jobName"] as const;

export const OBSERVED_ENTRIES = list(
  "Where there are several schedules: each, and since when it holds.",
  record("A schedule.", { text: TEXT, timeZone: TEXT, since: TIME }, ["timeZone"]),
);

/** The fields of the status; those of Kubernetes' own CronJob come first. */
export const STATUS_FIELDS = {
  active: list("The Jobs that have not finished.", OBJECT_REFERENCE),
  lastScheduleTime: time(
    "The newest scheduled time that was started. It never goes back, unless it was written from a time before it came " +
      "and no run stands for it.",
  ),
  lastSuccessfulTime: time("When a run last ended well."),
  lastFailureTime: time("When a run last failed."),
  lastMissedTime: time("The newest scheduled time that no controller started in time."),
  nextScheduleTime: time("The next scheduled time."),
  nextRun: text(
    "The next scheduled time on the wall clock of the schedule's zone, such as Sat 2026-11-21 02:00 Europe/Berlin.",
  ),
  schedule: record("The schedule as last seen.", {
    text: TEXT,
    timeZone: TEXT,
    exclude: TEXT,
    entries: OBSERVED_ENTRIES,
    since: time("Since when it holds: no run from before is started."),
  }, ["timeZone", "exclude", "entries"]),
  counts: record("What became of the runs so far.", {
    succeeded: NUMBER,
    failed: NUMBER,
    missed: { ...NUMBER, description: "No controller started them in time." },
    skipped: { ...NUMBER, description: "The concurrency policy refused them." },
    consecutiveFailures: NUMBER,
  }),
  recentRuns: list(
    "The last ten runs, newest first.",
    record("A run.", RUN, NOT_OF_EACH_RUN),
  ),
  passedOver: list(
    "Scheduled times before the last that were not started, for a day: should the clock turn out to have " +
      "been ahead, they run when their time comes again. The ten longest stretches.",
    object("The scheduled times between two, both excluded.", {
      after: TIME,
      before: TIME,
    }, ["after", "before"]),
  ),
  waiting: list(
    "With catchUp All: scheduled times that wait to start one after the other, those without a Job yet.",
    object("The scheduled times between two instants, both excluded.", {
      after: TIME,
      before: TIME,
    }, ["after", "before"]),
  ),
  lastTrigger: text("The newest value of the trigger annotation that was answered."),
  queuedScheduleTime: time("The run that waits for the active one to end."),
  failuresInARow: object("Runs that failed in a row, where spec.pauseAfterFailures asks for it.", {
    count: NUMBER,
    counted: list(
      "The Jobs that were counted last, newest first.",
      object("A Job that ended.", {
        endTime: TIME,
        jobName: TEXT,
      }, ["endTime", "jobName"]),
    ),
    pausedSince: time("Since when nothing is started for it."),
    resumedAt: time("When it was last followed again."),
    pausedWith: text("What it was paused with: it goes on when that changes."),
  }, ["count"]),
  recordLost: object("With neverTwice: the API server has forgotten records, and nothing starts.", {
    since: time("Since when that has been known."),
    resume: text("The value of the annotation resume at that time: another one ends it."),
  }, ["since", "resume"]),
  failedRuns: list(
    "With failedJobs KeepUntilSuccess: the last ten failed runs, the last to end first. They stay when their Jobs go.",
    record("A failed run.", {
      ...RUN,
      jobUid: TEXT,
      terminated: object("How its last container ended. Empty where the Job had no Pod left.", {
        container: TEXT,
        exitCode: { type: "integer", format: "int32" } as Schema<number>,
        reason: TEXT,
        message: text("Its termination message, or what was said of the whole Pod."),
      }),
    }, NOT_OF_EACH_RUN),
  ),
  durations: record("How long those of recentRuns took that ended.", {
    runs: { ...NUMBER, description: "How many these are." },
    p50Seconds: { type: "number" } as Schema<number>,
    p95Seconds: { type: "number" } as Schema<number>,
  }),
  backfill: record("Of the last back-fill.", {
    id: TEXT,
    state: word<"Running" | "Completed" | "Cancelled" | "Refused">(),
    from: TIME,
    to: TIME,
    reverse: { type: "boolean" } as Schema<boolean>,
    startTime: TIME,
    endTime: TIME,
    slots: { ...NUMBER, description: "How many scheduled times it is about." },
    succeeded: NUMBER,
    failed: NUMBER,
    gone: { ...NUMBER, description: "Jobs that were gone before they were seen to end." },
    skipped: { ...NUMBER, description: "Times that had run before." },
    cursor: time("The last time, in its order, that was started or passed over."),
    active: list(
      "The Jobs that have not finished.",
      record("A Job.", {
        scheduledTime: TIME,
        jobName: TEXT,
        uid: TEXT,
      }),
    ),
    message: TEXT,
  }, ["reverse", "endTime", "cursor", "active", "message"]),
  observedGeneration: NUMBER,
  conditions: list(
    "Ready, Suspended, ScheduleValid, Overdue, Failing and RanAhead; Stalled and PendingTimeoutIgnored where they " +
      "hold.",
    record(
      "A condition.",
      {
        type: TEXT,
        status: { type: "string", enum: ["True", "False", "Unknown"] } as Schema<"True" | "False" | "Unknown">,
        reason: TEXT,
        message: TEXT,
        lastTransitionTime: TIME,
        observedGeneration: NUMBER,
      },
      ["observedGeneration"],
      ["type", "status"],
    ),
    { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"] },
  ),
};
