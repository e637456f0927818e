import * as names from "../../src/cronjob/api/annotations.ts";
import { BATCH, PRODUCTION, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { annotationFor, factsOf, schemaOf } from "./fields.ts";
import { bullets, code, page } from "./markdown.ts";

interface Annotation {
  readonly on: string;
  readonly means: string;
}

const BATCH_CRON_JOB = "`batch/v1` CronJob";
const ANY_CRON_JOB = "CronJob of any API";

/** What users write, beside the annotations that stand for fields. */
const WRITTEN_BY_PEOPLE: Readonly<Record<string, Annotation>> = {
  [names.TRIGGER]: {
    on: ANY_CRON_JOB,
    means: "Any text. Each new value starts one run, as the concurrency policy allows.",
  },
  [names.RESUME]: {
    on: ANY_CRON_JOB,
    means: "Any text. A new value ends the pause after failures in a row, and the hold for `RecordLost`.",
  },
  [names.PAUSE]: {
    on: ANY_CRON_JOB,
    means: "JSON: `until` (RFC 3339), `reason`, `by`. The command `pause` writes it. `spec.pause` says the same.",
  },
  [names.PING]: {
    on: `${ANY_CRON_JOB}, as a label`,
    means:
      "`true`: its runs are pinged to the [ping server](../how-to/notifications.md#pings) that the operator has set.",
  },
  [names.BACKFILL]: { on: ANY_CRON_JOB, means: "JSON with the fields of `spec.backfill`, or `id` and `cancelled`." },
  [names.SCHEDULE]: {
    on: BATCH_CRON_JOB,
    means: "A schedule in the CRDs' grammar, with `H`, `L`, `W` and `#`. It takes the place of `spec.schedule`.",
  },
  [names.ON_EDIT]: {
    on: BATCH_CRON_JOB,
    means:
      "`Latest` (default) or `None`: whether an edit of schedule or zone drops what was due before. The CRDs always do.",
  },
  [names.MANAGED]: {
    on: BATCH_CRON_JOB,
    means:
      "`true`: this controller runs it, while `spec.suspend` keeps Kubernetes' own from it. The command `adopt` writes it.",
  },
  [names.ABOUT]: {
    on: BATCH_CRON_JOB,
    means:
      "Says in words who runs an adopted CronJob, for tools that show it as suspended. The command `adopt` writes it.",
  },
  [names.SUSPEND]: { on: BATCH_CRON_JOB, means: "`true` suspends an adopted CronJob, in place of `spec.suspend`." },
};

const WRITTEN_BY_THE_CONTROLLER: Readonly<Record<string, Annotation>> = {
  [names.LAST_TRIGGER]: {
    on: BATCH_CRON_JOB,
    means: "The newest value of `trigger` that was answered: `status.lastTrigger`.",
  },
  [names.PASSED_OVER]: { on: BATCH_CRON_JOB, means: "As `status.passedOver`." },
  [names.WAITING]: { on: BATCH_CRON_JOB, means: "As `status.waiting`." },
  [names.NEXT_SCHEDULE_TIME]: {
    on: BATCH_CRON_JOB,
    means: "As `status.nextScheduleTime`, where the controller runs with `--annotate-next-run`.",
  },
  [names.OBSERVED_SCHEDULES]: {
    on: BATCH_CRON_JOB,
    means: "As `status.schedule.entries`, where there are several schedules.",
  },
  [names.FAILED_RUNS]: { on: BATCH_CRON_JOB, means: "As `status.failedRuns`." },
  [names.FAILURES]: { on: BATCH_CRON_JOB, means: "As `status.failuresInARow`." },
  [names.RECORD_LOST]: { on: BATCH_CRON_JOB, means: "As `status.recordLost`." },
  [names.NOTIFIED]: {
    on: ANY_CRON_JOB,
    means: "JSON: which failures were reported, with [notifications](../how-to/notifications.md).",
  },
  [names.LAST_MISSED_TIME]: { on: BATCH_CRON_JOB, means: "As `status.lastMissedTime`." },
  [names.REPORTED_TROUBLES]: {
    on: ANY_CRON_JOB,
    means:
      "JSON: which troubles were reported last, with [notifications](../how-to/notifications.md#what-else-is-reported).",
  },
  [names.BACKFILL_PROGRESS]: { on: BATCH_CRON_JOB, means: "As `status.backfill`." },
  [names.SERVES]: {
    on: "Lease",
    means: "JSON: which APIs the leader runs, and whether only adopted `batch/v1` CronJobs.",
  },
  [names.SCHEDULED_TIME]: { on: "Pod", means: "The scheduled time, with `exposeSchedule`." },
  [TUTORIAL.scheduledTimeAnnotation]: { on: "Job", means: "The scheduled time of a run of the tutorial's API." },
  [PRODUCTION.scheduledTimeAnnotation]: {
    on: "Job",
    means: "The scheduled time of a run of `cronjob-controller.dev/v1`.",
  },
  [BATCH.scheduledTimeAnnotation]: {
    on: "Job",
    means: "The scheduled time of a run of `batch/v1`, as Kubernetes has it.",
  },
};

const READ_FROM_KUBECTL: Readonly<Record<string, Annotation>> = {
  [names.INSTANTIATE]: { on: "Job", means: "kubectl's mark on `kubectl create job --from=cronjob/…`: a run by hand." },
};

/** Annotations of `batch/v1` CronJobs that say what a field says in the CRDs. */
function ofFields(): Record<string, Annotation> {
  const found: Record<string, Annotation> = {};
  for (const [field, schema] of Object.entries(schemaOf(PRODUCTION).spec.properties!)) {
    const name = annotationFor(field);
    if (!name || Object.hasOwn(WRITTEN_BY_PEOPLE, name)) continue;
    const form = schema.type === "object" || schema.type === "array"
      ? "the same as JSON"
      : factsOf({ ...schema, default: undefined });
    const alone = name === names.CATCH_UP ? ", or its `policy` alone" : "";
    found[name] = {
      on: BATCH_CRON_JOB,
      means: `As [\`spec.${field}\`](fields.md#spec${field.toLowerCase()}): ${form}${alone}.`,
    };
  }
  return found;
}

/** Every annotation that is listed, by name. */
export function annotations(): Readonly<Record<string, Annotation>> {
  return { ...WRITTEN_BY_PEOPLE, ...ofFields(), ...WRITTEN_BY_THE_CONTROLLER, ...READ_FROM_KUBECTL };
}

export function annotationsPage(): string {
  return page(
    "Annotations",
    "An annotation that cannot be read counts as absent, and the Warning Event `InvalidAnnotation` says so. Bad " +
      "`schedules`, `exclude` or `pause` stop all scheduled runs until they are mended.",
    "## Written by you, or by commands",
    list({ ...WRITTEN_BY_PEOPLE, ...ofFields() }),
    "## Written by the controller",
    list(WRITTEN_BY_THE_CONTROLLER),
    "## Written by kubectl",
    list(READ_FROM_KUBECTL),
  );
}

function list(annotations: Readonly<Record<string, Annotation>>): string {
  return bullets(Object.entries(annotations).map(([name, { on, means }]) => `${code(name)} (${on}): ${means}`));
}
