import type { FieldError, Json } from "../resource_kind.ts";
import { setJobTemplateDefaults } from "./defaults/job.ts";
import { defineKind, STATUS } from "./define.ts";
import { BATCH_TYPES } from "../schema/types/batch.ts";
import { cronJobWarnings } from "./warnings.ts";
import { orNone, since } from "./tables/cells.ts";
import { AGE, NAME, table, templateColumns } from "./tables/columns.ts";
import { parseSchedule } from "../../schedule/parse_schedule.ts";
import { ScheduleError } from "../../schedule/schedule_error.ts";
import { checkTimeZone } from "../../schedule/check_time_zone.ts";
import { must, NOT_NEGATIVE, oneOf, REQUIRED, rules } from "./validation/check.ts";
import { type Findings, invalidState, invalidValue } from "./validation/field_errors.ts";
import { validateJobTemplate } from "./validation/job.ts";

const CRON_JOB_TABLE = table({
  Name: NAME,
  Schedule: ({ spec }) => spec.schedule,
  Timezone: ({ spec }) => orNone(spec.timeZone),
  "Suspend boolean": ({ spec }) => spec.suspend === undefined ? "<unset>" : spec.suspend ? "True" : "False",
  "Active integer": ({ status }) => (status?.active ?? []).length,
  "Last Schedule": ({ status }, now) => since(status?.lastScheduleTime, now, "<none>"),
  Age: AGE,
  ...templateColumns(({ spec }) => spec.jobTemplate.spec),
});

export const CRON_JOBS = defineKind(BATCH_TYPES, "CronJob", {
  shortNames: ["cj"],
  categories: ["all"],
  subresources: [STATUS],
  generation: "spec",
  setDefaults: setCronJobDefaults,
  prepareForCreate(cronJob) {
    cronJob.status = {};
  },
  validate: validateCronJob,
  validateUpdate: ({ spec }, old) => SPEC(spec, "spec", { spec, old: old.spec }),
  warnings: cronJobWarnings,
  table: CRON_JOB_TABLE,
});

function setCronJobDefaults({ spec }: Json): void {
  spec.concurrencyPolicy ??= "Allow";
  spec.suspend ??= false;
  spec.successfulJobsHistoryLimit ??= 3;
  spec.failedJobsHistoryLimit ??= 1;
  setJobTemplateDefaults(spec.jobTemplate.spec);
}

/** A CronJob's spec, and before a change what it was. */
interface Change {
  readonly spec: Json;
  readonly old?: Json;
}

const SPEC = rules(
  "batch validateCronJobSpec",
  ["schedule", REQUIRED, validateSchedule],
  ["startingDeadlineSeconds", NOT_NEGATIVE],
  ["timeZone", (zone, at, { old }: Change) => old?.timeZone !== zone && validateTimeZone(zone, at)],
  ["concurrencyPolicy", REQUIRED, oneOf("Allow", "Forbid", "Replace")],
  ["jobTemplate", validateJobTemplate],
  [["successfulJobsHistoryLimit", "failedJobsHistoryLimit"], NOT_NEGATIVE],
);
/** A Job's name adds eleven characters to its CronJob's, and must stay a DNS label. */
const NEW = rules("batch ValidateCronJobCreate", [
  "name",
  must("must be no more than 52 bytes", (name: string) => name.length <= 52),
]);

function validateCronJob({ spec, metadata }: Json): FieldError[] {
  return [...SPEC(spec, "spec", { spec }), ...NEW(metadata, "metadata")];
}

function validateSchedule(schedule: string, at: string, { spec, old }: Change): Findings {
  const zoneProblem = schedule.includes("TZ") &&
    (!old?.schedule.includes("TZ")
      ? "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
      : spec.timeZone !== undefined && "cannot use both timeZone field and TZ or CRON_TZ in schedule");
  return [
    unread(at, () => parseSchedule(schedule)),
    zoneProblem && invalidValue(at, schedule, zoneProblem),
  ];
}

/** In the parser's words, which name the part and the remedy. */
function unread(at: string, read: () => unknown): Findings {
  try {
    read();
    return false;
  } catch (error) {
    if (error instanceof ScheduleError) return invalidState(at, error.message);
    throw error;
  }
}

/** A component of a zone's name; batch `validTimeZoneCharacters`. */
const ZONE_PART = /^(?!-)[A-Za-z.\-_0-9+]{1,14}$/;

function validateTimeZone(zone: string, at: string): Findings {
  if (zone === "") return invalidValue(at, zone, "timeZone must be nil or non-empty string");
  const isName = zone.split("/").every((part) => part !== "." && part !== ".." && ZONE_PART.test(part));
  const unknown = zone !== "Local" && unread(at, () => checkTimeZone(zone));
  if (!isName) return unknown;
  const explicit = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
  return [zone.toLowerCase() === "local" && invalidValue(at, zone, explicit), unknown];
}
