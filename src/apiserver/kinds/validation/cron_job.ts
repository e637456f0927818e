import { isTimeZone } from "../../../schedule/time_zone.ts";
import type { FieldError, Json } from "../../resource_kind.ts";
import { cronExpressionError } from "./cron_expression.ts";
import { eachInvalid, invalidValue, notNegative, oneOf, required } from "./field_errors.ts";
import { validateJobTemplate } from "./job.ts";

/** A Job's name adds eleven characters to its CronJob's, and must stay a DNS label. */
const MAX_NAME_LENGTH = 52;
const CONCURRENCY_POLICIES = ["Allow", "Forbid", "Replace"];

export function validateCronJob(cronJob: Json, old?: Json): FieldError[] {
  const { spec, metadata } = cronJob;
  return [
    ...validateCronJobSpec(spec, old?.spec),
    ...((metadata.name ?? "").length > MAX_NAME_LENGTH && !old
      ? [invalidValue("metadata.name", metadata.name, `must be no more than ${MAX_NAME_LENGTH} characters`)]
      : []),
  ];
}

function validateCronJobSpec(spec: Json, old: Json | undefined): FieldError[] {
  // A schedule or zone that was stored once is not looked at again.
  const scheduleIsOld = old !== undefined && spec.schedule === old.schedule && spec.timeZone === old.timeZone;
  return [
    ...(spec.schedule === "" ? [required("spec.schedule")] : scheduleIsOld ? [] : validateSchedule(spec.schedule)),
    ...notNegative("spec.startingDeadlineSeconds", spec.startingDeadlineSeconds),
    ...(old && spec.timeZone === old.timeZone ? [] : validateTimeZone(spec.timeZone)),
    ...validateConcurrencyPolicy(spec.concurrencyPolicy),
    ...validateJobTemplate(spec.jobTemplate, "spec.jobTemplate"),
    ...notNegative("spec.successfulJobsHistoryLimit", spec.successfulJobsHistoryLimit),
    ...notNegative("spec.failedJobsHistoryLimit", spec.failedJobsHistoryLimit),
  ];
}

function validateSchedule(schedule: string): FieldError[] {
  const problem = cronExpressionError(schedule, (name) => name === "Local" || isTimeZone(name));
  return [
    ...(problem ? [invalidValue("spec.schedule", schedule, problem)] : []),
    ...(schedule.includes("TZ")
      ? [invalidValue("spec.schedule", schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead")]
      : []),
  ];
}

function validateTimeZone(zone: string | undefined): FieldError[] {
  if (zone === undefined) return [];
  const problems = zone === "" ? ["timeZone must be nil or non-empty string"] : [
    ...(zone.toLowerCase() === "local"
      ? ["timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"]
      : []),
    ...(zone === "Local" || isTimeZone(zone) ? [] : [`unknown time zone ${zone}`]),
  ];
  return eachInvalid("spec.timeZone", zone, problems);
}

function validateConcurrencyPolicy(policy: string | undefined): FieldError[] {
  return policy ? oneOf("spec.concurrencyPolicy", policy, CONCURRENCY_POLICIES) : [required("spec.concurrencyPolicy")];
}
