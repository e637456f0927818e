import { isTimeZone } from "../../../schedule/time_zone.ts";
import type { FieldError, Json } from "../../resource_kind.ts";
import { type Check, must, NOT_NEGATIVE, oneOf, REQUIRED, rules } from "./check.ts";
import { cronExpressionError } from "./cron_expression.ts";
import { eachInvalid, invalidValue } from "./field_errors.ts";
import { validateJobTemplate } from "./job.ts";
import { validateObjectMetaUpdate } from "./object_meta.ts";

/** A Job's name adds eleven characters to its CronJob's, and must stay a DNS label. */
const NAME_LENGTH: Check = must("must be no more than 52 bytes", (name: string) => name.length <= 52);

/** A CronJob's spec, and before a change what it was. */
interface Change {
  readonly spec: Json;
  readonly old?: Json;
}

const SPEC = rules<Change>(
  "batch validateCronJobSpec",
  ["schedule", REQUIRED, validateSchedule],
  ["startingDeadlineSeconds", NOT_NEGATIVE],
  ["timeZone", (zone, at, { old }) => old?.timeZone === zone ? [] : validateTimeZone(zone, at)],
  ["concurrencyPolicy", REQUIRED, oneOf("Allow", "Forbid", "Replace")],
  ["jobTemplate", validateJobTemplate],
  ["successfulJobsHistoryLimit", NOT_NEGATIVE],
  ["failedJobsHistoryLimit", NOT_NEGATIVE],
);
const NEW = rules<Change>("batch ValidateCronJobCreate", ["name", NAME_LENGTH]);

export function validateCronJob({ spec, metadata }: Json): FieldError[] {
  return [...SPEC(spec, "spec", { spec }), ...NEW(metadata, "metadata", { spec })];
}

export function validateCronJobUpdate(cronJob: Json, old: Json): FieldError[] {
  const { spec } = cronJob;
  return [...validateObjectMetaUpdate(cronJob, old), ...SPEC(spec, "spec", { spec, old: old.spec })];
}

function validateSchedule(schedule: string, at: string, { spec, old }: Change): FieldError[] {
  const problem = cronExpressionError(schedule, (name) => name === "Local" || isTimeZone(name));
  const hadZone = old?.schedule.includes("TZ");
  const zoneProblem = !schedule.includes("TZ")
    ? undefined
    : !hadZone
    ? "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
    : spec.timeZone !== undefined
    ? "cannot use both timeZone field and TZ or CRON_TZ in schedule"
    : undefined;
  return [problem, zoneProblem].flatMap((why) => why ? [invalidValue(at, schedule, why)] : []);
}

/** A component of a zone's name; batch `validTimeZoneCharacters`. */
const ZONE_PART = /^(?!-)[A-Za-z.\-_0-9+]{1,14}$/;

function validateTimeZone(zone: string, at: string): FieldError[] {
  if (zone === "") return [invalidValue(at, zone, "timeZone must be nil or non-empty string")];
  const unknown = `unknown time zone ${zone}`;
  const isName = zone.split("/").every((part) => part !== "." && part !== ".." && ZONE_PART.test(part));
  if (!isName) return [invalidValue(at, zone, unknown)];
  return eachInvalid(at, zone, [
    ...(zone.toLowerCase() === "local"
      ? ["timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"]
      : []),
    ...(zone === "Local" || isTimeZone(zone) ? [] : [unknown]),
  ]);
}
