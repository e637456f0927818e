import type { KubeObject, Unstored } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import { type Flavour, FLAVOURS, TUTORIAL } from "./flavour.ts";
import { MAX_JOB_NAME_LENGTH } from "./job_name.ts";
import { BOUND_PATTERN, DATE_PATTERN, DURATION_PATTERN, SCHEDULE_PATTERNS, ZONE_PATTERN } from "./patterns.ts";

export interface CustomResourceDefinition extends KubeObject {
  spec: Record<string, unknown>;
}

export const CUSTOM_RESOURCE_DEFINITIONS: Resource<CustomResourceDefinition> = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
};

type Schema = Record<string, unknown>;

const text = (description: string): Schema => ({ type: "string", description });
const shaped = (pattern: string, description: string): Schema => ({ ...text(description), pattern });
const schedule = (description: string): Schema => ({
  ...text(description),
  allOf: SCHEDULE_PATTERNS.map((pattern) => ({ pattern })),
});
const time = (description: string): Schema => ({ type: "string", format: "date-time", description });
const flag = (description: string): Schema => ({ type: "boolean", description });
const choice = (values: string[], description: string): Schema => ({ type: "string", enum: values, description });
const count = (description: string, minimum = 0, format = "int32"): Schema => ({
  type: "integer",
  format,
  minimum,
  description,
});
const list = (description: string, items: Schema, more?: Schema): Schema => ({
  type: "array",
  description,
  ...more,
  items,
});
const object = (description: string, properties: Record<string, Schema>, required?: string[]): Schema => ({
  type: "object",
  description,
  ...(required && { required }),
  properties,
});

/** The tutorial's fields, with its markers. */
const tutorialSpec = ({ historyLimits: { successful, failed } }: Flavour): Record<string, Schema> => ({
  schedule: {
    ...schedule(
      "When to run, in Cron format: five fields, a descriptor such as @daily, or @every 5s. H stands for a value of the " +
        "CronJob's own. Day-of-month also takes L (the last day), L-3 (three days before it), 15W (the weekday, Monday to " +
        "Friday, nearest to the 15th in the month) and LW; day-of-week also takes FRI#2 (the second Friday), FRIL (the last " +
        "one) and 7 for Sunday.",
    ),
    minLength: 0,
  },
  startingDeadlineSeconds: count(
    "How many seconds after its scheduled time a run may still start. A run that could not is missed.",
    0,
    "int64",
  ),
  concurrencyPolicy: {
    ...choice(
      ["Allow", "Forbid", "Replace", "Queue"],
      "What to do when a run is due while another is active: start it beside (Allow), skip it (Forbid), stop the active " +
        "one (Replace), or start it once the active one has ended (Queue).",
    ),
    default: "Allow",
  },
  suspend: flag("Start nothing as long as this is true. Active runs go on."),
  jobTemplate: {
    type: "object",
    description:
      "The Job that each run creates: a batch/v1 JobTemplateSpec. Fields of any Kubernetes version are kept.",
    "x-kubernetes-preserve-unknown-fields": true,
  },
  successfulJobsHistoryLimit: count(
    `How many finished Jobs to keep that succeeded. ${successful ?? "All"}, if not set.`,
  ),
  failedJobsHistoryLimit: count(`How many finished Jobs to keep that failed. ${failed ?? "All"}, if not set.`),
});

/** What we add to them. Each is optional; without them an object behaves as the tutorial's. */
const EXTRA_SPEC: Record<string, Schema> = {
  timeZone: shaped(
    ZONE_PATTERN,
    "The zone whose wall clock the schedule means, by its tz name such as Europe/Berlin. UTC, if not set.",
  ),
  schedules: list(
    "Several schedules in place of `schedule`, which has to be there all the same: it runs whenever one of them says so, once " +
      "where several do.",
    object("A schedule.", {
      schedule: schedule("When to run, in Cron format."),
      timeZone: shaped(ZONE_PATTERN, "The zone whose wall clock it means. That of the CronJob, if not set."),
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
    policy: choice(["Latest", "All", "None"], "Start the latest of them, all in order, or none."),
    windowSeconds: count(
      "Start none that is older than this. With None it is what counts as late, 60 if not set.",
      0,
      "int64",
    ),
    maxRuns: count("Start the newest so many at most, 1000 if not set.", 1),
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
    "How long a Job may wait until its first Pod is ready or has ended; then it fails with the reason PendingTimeout. It has an " +
      "effect where the controller runs with --pending-timeouts.",
    1,
    "int64",
  ),
  pauseAfterFailures: count(
    "Start nothing any more after so many failed runs in a row, until one by hand succeeds or the spec changes.",
    1,
  ),
  exclude: list(
    "Times at which nothing runs, by the wall clock of the CronJob's zone: they are not missed either.",
    object("Dates, or a span from one time to another, or a window that comes again and again.", {
      dates: list("Whole days: 2026-12-25, or --12-31 for each year.", { type: "string", pattern: DATE_PATTERN }, {
        maxItems: 1000,
      }),
      from: shaped(BOUND_PATTERN, "When a span begins: a date, a local time such as 2026-12-24T18:00, or RFC 3339."),
      to: shaped(BOUND_PATTERN, "When it ends. A date is excluded as well, a time is not."),
      schedule: schedule("When a window begins, in Cron format."),
      duration: shaped(
        DURATION_PATTERN,
        "How long a window lasts, in whole minutes such as 90m or 8h, up to 744h. 1m, if not set.",
      ),
    }),
    { maxItems: 1000 },
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
    "Tell the containers the scheduled time and what triggered the run, in CRON_SCHEDULED_TIME and CRON_TRIGGER.",
  ),
};

const OBJECT_REFERENCE = object(
  "A Job.",
  Object.fromEntries(
    ["apiVersion", "kind", "name", "namespace", "uid", "resourceVersion", "fieldPath"].map((
      name,
    ) => [name, { type: "string" }]),
  ),
);

const STATUS: Record<string, Schema> = {
  active: list("The Jobs that have not finished.", OBJECT_REFERENCE),
  lastScheduleTime: time(
    "The newest scheduled time that was started. It never goes back, unless it was written from a time before it came " +
      "and no run stands for it.",
  ),
  lastSuccessfulTime: time("When a run last ended well."),
  lastFailureTime: time("When a run last failed."),
  nextScheduleTime: time("The next scheduled time."),
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
    object("A run.", {
      scheduledTime: { type: "string", format: "date-time" },
      trigger: { type: "string" },
      startTime: { type: "string", format: "date-time" },
      endTime: { type: "string", format: "date-time" },
      outcome: { type: "string" },
      reason: { type: "string" },
      message: text("What the Job says of its failure."),
      jobName: { type: "string" },
    }),
  ),
  passedOver: list(
    "Scheduled times before the last that were not started, for a day: should the clock turn out to have " +
      "been ahead, they run when their time comes again. The ten longest stretches.",
    object("The scheduled times between two, both excluded.", {
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
    "Ready, ScheduleValid, Overdue, Failing and RanAhead; PendingTimeoutIgnored where a timeout is asked for.",
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

const COLUMNS = [
  { name: "Schedule", type: "string", jsonPath: ".spec.schedule" },
  { name: "Time Zone", type: "string", jsonPath: ".spec.timeZone", priority: 1 },
  { name: "Suspend", type: "boolean", jsonPath: ".spec.suspend" },
  { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  { name: "Reason", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
  { name: "Last Outcome", type: "string", jsonPath: ".status.recentRuns[0].outcome" },
  { name: "Last Run", type: "date", jsonPath: ".status.lastScheduleTime" },
  { name: "Next Run", type: "string", jsonPath: ".status.nextScheduleTime" },
  { name: "Failed", type: "integer", jsonPath: ".status.counts.failed", priority: 1 },
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
];

/** Job names add a dash and ten digits to the name. */
const MAX_NAME_LENGTH = MAX_JOB_NAME_LENGTH - 11;

/** The definition that makes an API server serve a flavour, as `deploy/crd` has it. */
export function definitionOf(flavour: Flavour): Unstored<CustomResourceDefinition> {
  const { resource: { group, version, plural, kind }, shortName } = flavour;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: {
        plural,
        singular: "cronjob",
        kind,
        listKind: "CronJobList",
        shortNames: [shortName],
        categories: ["all"],
      },
      versions: [{
        name: version,
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: COLUMNS,
        schema: {
          openAPIV3Schema: object("CronJob runs a Job on a schedule.", {
            apiVersion: { type: "string" },
            kind: { type: "string" },
            metadata: { type: "object", properties: { name: { type: "string", maxLength: MAX_NAME_LENGTH } } },
            spec: object(
              "What to run, and when.",
              { ...tutorialSpec(flavour), ...EXTRA_SPEC },
              ["schedule", "jobTemplate"],
            ),
            status: object("What became of it.", STATUS),
          }),
        },
      }],
    },
  };
}

/** Those that Kubernetes does not serve by itself. */
export const DEFINED_FLAVOURS: readonly Flavour[] = FLAVOURS.filter(({ shortName }) => shortName !== undefined);

/** The tutorial's. */
export const CRONJOB_CRD = definitionOf(TUTORIAL);
