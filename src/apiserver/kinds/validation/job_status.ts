import { isDeepStrictEqual } from "node:util";
import { parseTime } from "../../../schedule/epoch_ms.ts";
import type { FieldError, Json } from "../../resource_kind.ts";
import { duplicate, invalidState, invalidValue, notNegative, required } from "./field_errors.ts";
import { countIndexes } from "./job_policies.ts";

/** What a change of a Job's status may not be. What was wrong before already is let be. */
export function validateJobStatusUpdate(job: Json, old: Json): FieldError[] {
  const before = validateJobStatus(old);
  return [
    ...validateJobStatus(job).filter((error) => !before.some((one) => isDeepStrictEqual(one, error))),
    ...validateTransition(job, old),
  ];
}

function validateJobStatus({ spec, status = {} }: Json): FieldError[] {
  const is = (type: string) => hasCondition(status, type);
  const complete = is("Complete"), failed = is("Failed"), finished = complete || failed;
  const failureTarget = is("FailureTarget"), successMet = is("SuccessCriteriaMet");
  const conflict = (applies: boolean, detail: string) => applies ? [invalidState("status.conditions", detail)] : [];
  const start = parseTime(status.startTime), end = parseTime(status.completionTime);
  const active = status.active ?? 0;
  const uncounted = status.uncountedTerminatedPods;
  return [
    ...notNegative("status.active", status.active),
    ...notNegative("status.succeeded", status.succeeded),
    ...notNegative("status.failed", status.failed),
    ...notNegative("status.ready", status.ready),
    ...notNegative("status.terminating", status.terminating),
    ...(uncounted ? validateUncounted(uncounted, "status.uncountedTerminatedPods") : []),
    ...conflict(complete && failed, "cannot set Complete=True and Failed=true conditions"),
    ...conflict(complete && failureTarget, "cannot set Complete=True and FailureTarget=true conditions"),
    ...(end !== undefined && !complete
      ? [invalidValue(
        "status.completionTime",
        status.completionTime,
        "cannot set completionTime when there is no Complete=True condition",
      )]
      : []),
    ...(complete && end === undefined
      ? [required("status.completionTime", "completionTime is required for Complete jobs")]
      : []),
    ...(start !== undefined && end !== undefined && end < start
      ? [invalidValue("status.completionTime", status.completionTime, "must be equal to or after `startTime`")]
      : []),
    ...conflict(failed && !failureTarget, "cannot set Failed=True condition without the FailureTarget=true condition"),
    ...conflict(
      complete && !successMet,
      "cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
    ),
    ...(finished && active > 0 ? [invalidValue("status.active", active, "active>0 is invalid for finished job")] : []),
    ...(finished && start === undefined
      ? [required("status.startTime", "startTime is required for finished job")]
      : []),
    ...(finished && (uncounted?.succeeded?.length > 0 || uncounted?.failed?.length > 0)
      ? [invalidValue(
        "status.uncountedTerminatedPods",
        uncounted,
        "uncountedTerminatedPods needs to be empty for finished job",
      )]
      : []),
    ...validateIndexes(spec, status),
    ...(status.ready !== undefined && status.ready > active
      ? [invalidValue("status.ready", status.ready, "cannot set more ready pods than active")]
      : []),
    ...conflict(successMet && failed, "cannot set SuccessCriteriaMet=True and Failed=true conditions"),
    ...conflict(successMet && failureTarget, "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions"),
  ];
}

function validateTransition({ spec, status = {} }: Json, { spec: oldSpec, status: old = {} }: Json): FieldError[] {
  const errors: FieldError[] = [];
  for (const type of ["Failed", "Complete", "FailureTarget", "SuccessCriteriaMet"]) {
    if (hasCondition(old, type) && !hasCondition(status, type)) {
      errors.push(invalidState("status.conditions", `cannot disable the terminal ${type}=True condition`));
    }
  }
  for (const counter of ["succeeded", "failed"]) {
    if ((status[counter] ?? 0) < (old[counter] ?? 0)) {
      errors.push(invalidValue(`status.${counter}`, status[counter] ?? 0, `cannot decrease the ${counter} counter`));
    }
  }
  if (old.completionTime && status.completionTime && old.completionTime !== status.completionTime) {
    errors.push(invalidValue("status.completionTime", status.completionTime, "field is immutable"));
  }
  if (old.startTime && old.startTime !== status.startTime && !(spec.suspend ?? oldSpec.suspend)) {
    const what = status.startTime ? "updated" : "removed";
    errors.push(required("status.startTime", `startTime cannot be ${what} for unsuspended job`));
  }
  return errors;
}

function validateUncounted(uncounted: Json, path: string): FieldError[] {
  const seen = new Set<string>();
  return ["succeeded", "failed"].flatMap((list) =>
    (uncounted[list] ?? []).flatMap((uid: string, index: number) => {
      const at = `${path}.${list}[${index}]`;
      if (uid === "") return [invalidValue(at, uid, "must not be empty")];
      if (seen.has(uid)) return [duplicate(at, uid)];
      seen.add(uid);
      return [];
    })
  );
}

function validateIndexes(spec: Json, { completedIndexes, failedIndexes }: Json): FieldError[] {
  const errors: FieldError[] = [];
  const completions = spec.completions ?? 0;
  for (const [field, text] of Object.entries({ completedIndexes, failedIndexes })) {
    const problem = text ? countIndexes(text, completions) : 0;
    if (typeof problem === "string") {
      errors.push(invalidValue(`status.${field}`, text, `error parsing ${field}: ${problem}`));
    }
  }
  if (completedIndexes && spec.completionMode !== "Indexed") {
    errors.push(invalidValue(
      "status.completedIndexes",
      completedIndexes,
      "cannot set non-empty completedIndexes when non-indexed completion mode",
    ));
  }
  if (failedIndexes !== undefined && spec.backoffLimitPerIndex === undefined) {
    errors.push(invalidValue(
      "status.failedIndexes",
      failedIndexes,
      "cannot set non-null failedIndexes when backoffLimitPerIndex is null",
    ));
  }
  return errors;
}

function hasCondition(status: Json, type: string): boolean {
  return (status.conditions ?? []).some((condition: Json) => condition.type === type && condition.status === "True");
}
