import { isTimeZone } from "../../../schedule/time_zone.ts";
import type { FieldError, Json } from "../../resource_kind.ts";
import { must, NOT_NEGATIVE, oneOf, REQUIRED, rules } from "./check.ts";
import { cronExpressionError } from "./cron_expression.ts";
import { type Findings, invalidValue } from "./field_errors.ts";
import { validateJobTemplate } from "./job.ts";
import { validateObjectMetaUpdate } from "./object_meta.ts";

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
  ["successfulJobsHistoryLimit", NOT_NEGATIVE],
  ["failedJobsHistoryLimit", NOT_NEGATIVE],
);
/** A Job's name adds eleven characters to its CronJob's, and must stay a DNS label. */
const NEW = rules("batch ValidateCronJobCreate", [
  "name",
  must("must be no more than 52 bytes", (name: string) => name.length <= 52),
]);

export function validateCronJob({ spec, metadata }: Json): FieldError[] {
  return [...SPEC(spec, "spec", { spec }), ...NEW(metadata, "metadata")];
}

export function validateCronJobUpdate(cronJob: Json, old: Json): FieldError[] {
  const { spec } = cronJob;
  return [...validateObjectMetaUpdate(cronJob, old), ...SPEC(spec, "spec", { spec, old: old.spec })];
}

function validateSchedule(schedule: string, at: string, { spec, old }: Change): Findings {
  const problem = cronExpressionError(schedule, (name) => name === "Local" || isTimeZone(name));
  const zoneProblem = schedule.includes("TZ") &&
    (!old?.schedule.includes("TZ")
      ? "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
      : spec.timeZone !== undefined && "cannot use both timeZone field and TZ or CRON_TZ in schedule");
  return [problem, zoneProblem].map((why) => why && invalidValue(at, schedule, why));
}

/** A component of a zone's name; batch `validTimeZoneCharacters`. */
const ZONE_PART = /^(?!-)[A-Za-z.\-_0-9+]{1,14}$/;

function validateTimeZone(zone: string, at: string): Findings {
  if (zone === "") return invalidValue(at, zone, "timeZone must be nil or non-empty string");
  const unknown = `unknown time zone ${zone}`;
  const isName = zone.split("/").every((part) => part !== "." && part !== ".." && ZONE_PART.test(part));
  if (!isName) return invalidValue(at, zone, unknown);
  const explicit = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
  return [
    zone.toLowerCase() === "local" && invalidValue(at, zone, explicit),
    zone !== "Local" && !isTimeZone(zone) && invalidValue(at, zone, unknown),
  ];
}
