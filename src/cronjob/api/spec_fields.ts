import { PREFIX } from "./annotations.ts";
import { BOUND, DATE_OR_DAY, DURATION, TIME_OF_DAY, TIME_ZONE } from "./patterns.ts";
import { choice, count, flag, list, object, schedule, shaped, text, time, type ValueOf } from "./schema.ts";

/**
 * The fields that our CRDs add to Kubernetes' own CronJob. Each is optional; `flavour.ts` has the defaults in which the
 * APIs differ.
 */
export const EXTRA_SPEC_FIELDS = {
  schedules: list(
    "Several schedules in place of `schedule`, which has to be there all the same: it runs whenever one of them says so, once " +
      "where several do.",
    object("A schedule.", {
      schedule: schedule("When to run, in Cron format."),
      timeZone: shaped(TIME_ZONE, "The zone whose wall clock it means. That of the CronJob, if not set."),
      name: text("What CRON_SCHEDULE_NAME says with exposeSchedule: the first in the list that has the time."),
    }, ["schedule"]),
    { minItems: 1, maxItems: 100 },
  ),
  clockChangePolicy: object("What a change of the clocks does to runs.", {
    gap: choice(["Skip", "RunAfter"], "A local time that is skipped does not run (Skip), or runs right after the gap."),
    overlap: choice(["Both", "First", "Second"], "A local time that is repeated runs each time, or only once."),
  }),
  onResume: choice(
    ["Latest", "None"],
    "What to start after spec.suspend or spec.pause end: the latest run that came due meanwhile, or none.",
  ),
  catchUp: object("What to do about runs that no controller could start in time.", {
    policy: choice(["Latest", "All", "None"], "Start the latest of them, all one after the other, or none."),
    windowSeconds: count(
      "Start none that is older than this. With None it is what counts as late, 60 if not set.",
      0,
      "int64",
    ),
    maxRuns: count("Start the newest so many at most, 1000 if not set, and never more than 10000.", 1),
    maxParallel: count(
      "With All: start a missed run while fewer older runs than this are active. 1 if not set; under Forbid and Queue as " +
        "many as maxConcurrentRuns allows.",
      1,
    ),
  }, ["policy"]),
  maxConcurrentRuns: count("How many runs may be active at once before the concurrency policy applies.", 1),
  pause: object("Start nothing for a while. Active runs go on.", {
    until: time("When the pause ends by itself. Never, if not set."),
    reason: text("Why, for people."),
  }),
  startTime: time("No run before this time."),
  endTime: time("No run after this time."),
  spreadSeconds: count("Start up to so many seconds after the scheduled time, always by the same distance."),
  pendingTimeoutSeconds: count(
    "How long a Job may wait until its first Pod is ready or has ended; then it fails with the reason PendingTimeout. 0: for " +
      "ever.",
    0,
    "int64",
  ),
  failedJobs: choice(
    ["Keep", "KeepUntilSuccess"],
    "Which failed Jobs stay: as many as failedJobsHistoryLimit says (Keep), or of these only the ones after the last success " +
      "(KeepUntilSuccess). A failed Job goes once the status has its exit code, reason and termination message.",
  ),
  pauseAfterFailures: count(
    "Start nothing any more after so many failed runs in a row, until one by hand succeeds or the spec changes.",
    1,
  ),
  expect: object(
    "What runs are expected to do. A run that does not is reported, by the condition ExpectationsMet, a metric and an alert; " +
      "nothing is ended.",
    {
      startWithinSeconds: count("Late: a run has not started so long after its time, spreadSeconds added.", 1, "int64"),
      finishBy: shaped(
        TIME_OF_DAY,
        "Slow: no run of a scheduled time, or of a later one, has succeeded by the first such time of the day after it, by " +
          "the wall clock of the CronJob's zone.",
      ),
      minimumDurationSeconds: count("Suspicious: a run succeeded sooner after its start.", 1, "int64"),
      messagePattern: {
        ...text(
          "Suspicious: a run succeeded, and the termination message of its last Pod is not of this pattern, as case of a shell " +
            "has it: * stands for any text, ? for a character, [1-9] for one of these.",
        ),
        maxLength: 200,
      },
      succeededWithinSeconds: count(
        "Stale: no run has succeeded for so long. Time counts from when the schedule holds, and not while it is paused.",
        1,
        "int64",
      ),
    },
  ),
  exclude: list(
    "Times at which nothing runs, by the wall clock of the CronJob's zone: they are not missed either.",
    object("Dates, or a span from one time to another, or a window that comes again and again.", {
      dates: list(
        "Whole days: 2026-12-25, or --12-31 for each year.",
        shaped(DATE_OR_DAY, "A date."),
        { maxItems: 366 },
      ),
      from: shaped(BOUND, "When a span begins: a date, a local time such as 2026-12-24T18:00, or RFC 3339."),
      to: shaped(BOUND, "When it ends. A date is excluded as well, a time is not."),
      schedule: schedule("When a window begins, in Cron format."),
      duration: shaped(
        DURATION,
        "How long a window lasts, in whole minutes such as 90m or 8h, up to 744h. 1m, if not set.",
      ),
    }),
    // API servers reckon with the most entries that there can be: more would make a rule too costly.
    { maxItems: 100 },
  ),
  onExcluded: choice(
    ["Skip", "RunAfter"],
    "What becomes of excluded times: nothing (Skip), or one run where an excluded stretch ends that held one at least.",
  ),
  backfill: object("Run scheduled times of the past, once for each id. To take it away cancels it.", {
    id: { ...text("Another one for each back-fill."), minLength: 1, maxLength: 63 },
    from: time("The first time."),
    to: time("The end, itself not included."),
    reprocess: choice(
      ["missing", "failed", "all"],
      "Which times to run: those that never ran, the default, those whose last run failed as well, or all.",
    ),
    maxActive: { ...count("How many of its runs may be active at a time, 1 if not set.", 1), maximum: 100 },
    reverse: flag("Begin with the newest."),
    maxSlots: { ...count("Refuse it where there are more times than this, 1000 if not set.", 1), maximum: 100_000 },
  }, ["id", "from", "to"]),
  exposeSchedule: flag(
    "Pass the scheduled time and what triggered the run to the containers, in CRON_SCHEDULED_TIME and CRON_TRIGGER.",
  ),
  neverTwice: flag(
    "Keep the name of each Job taken, by a finalizer, until nothing can start its scheduled time again, also if the Job is " +
      "deleted. It has an effect where the controller runs with --never-twice.",
  ),
};

/** The values that {@linkcode EXTRA_SPEC_FIELDS} admit. Times are RFC 3339 text, as on the wire. */
export type ExtraSpec = { [Name in keyof typeof EXTRA_SPEC_FIELDS]?: ValueOf<typeof EXTRA_SPEC_FIELDS[Name]> };

/** Fields that an annotation of a `batch/v1` CronJob says as its bare text: a choice, a whole number, true or false. */
export const ANNOTATED_FIELDS = [
  "onResume",
  "onExcluded",
  "spreadSeconds",
  "pendingTimeoutSeconds",
  "failedJobs",
  "pauseAfterFailures",
  "exposeSchedule",
  "neverTwice",
] as const satisfies (keyof ExtraSpec)[];

/** Returns the annotation that says on a `batch/v1` CronJob what a field of the spec says in the other flavours. */
export function annotationOf(field: string): string {
  return `${PREFIX}/${field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

export type CatchUpPolicy = NonNullable<ExtraSpec["catchUp"]>["policy"];
/** One of several schedules. */
export type ScheduleEntry = NonNullable<ExtraSpec["schedules"]>[number];
/** The expectations of runs, as the spec says them. */
export type ExpectSpec = NonNullable<ExtraSpec["expect"]>;
/** Asks for runs of the past. */
export type BackfillSpec = NonNullable<ExtraSpec["backfill"]>;
