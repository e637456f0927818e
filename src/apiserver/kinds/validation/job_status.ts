import { isDeepStrictEqual } from "node:util";
import { parseTime } from "../../../schedule/epoch_ms.ts";
import type { FieldError, Json } from "../../resource_kind.ts";
import { NOT_NEGATIVE, rules } from "./check.ts";
import { duplicate, type Findings, found, invalidState, invalidValue, required } from "./field_errors.ts";
import { countIndexes, firstCommonIndex } from "./job_policies.ts";
import { validateObjectMetaUpdate } from "./object_meta.ts";

/** A rule about a Job's status: what is wrong where, if it is. */
interface StatusRule {
  /** What must have changed for it to be looked at; nothing where it always is. */
  readonly ofChanged: readonly (keyof typeof CHANGES)[];
  readonly check: (job: Facts, before: Facts) => Findings;
}

/** What the rules ask about. */
interface Facts {
  readonly status: Json;
  readonly spec: Json;
  readonly start: number | undefined;
  readonly end: number | undefined;
  readonly is: (type: string) => boolean;
  readonly isFinished: boolean;
}

function factsOf({ spec, status = {} }: Json): Facts {
  const is = (type: string) =>
    (status.conditions ?? []).some((condition: Json) => condition.type === type && condition.status === "True");
  return {
    status,
    spec,
    start: parseTime(status.startTime),
    end: parseTime(status.completionTime),
    is,
    isFinished: is("Complete") || is("Failed"),
  };
}

/** What can have changed; batch `getStatusValidationOptions`. */
const CHANGES = {
  finished: ({ isFinished }: Facts) => isFinished,
  complete: ({ is }: Facts) => is("Complete"),
  failed: ({ is }: Facts) => is("Failed"),
  failureTarget: ({ is }: Facts) => is("FailureTarget"),
  completedIndexes: ({ status }: Facts) => status.completedIndexes,
  failedIndexes: ({ status }: Facts) => status.failedIndexes,
  active: ({ status }: Facts) => status.active ?? 0,
  ready: ({ status }: Facts) => status.ready,
  terminating: ({ status }: Facts) => status.terminating,
  startTime: ({ start }: Facts) => start,
  completionTime: ({ end }: Facts) => end,
  uncounted: ({ status }: Facts) => status.uncountedTerminatedPods,
};

const INDEXES = ["completedIndexes", "failedIndexes"] as const;

/** Batch `validateJobStatus`, in its order. */
const RULES: readonly StatusRule[] = [
  condition(["complete", "failed"], ["Complete", "Failed"], "cannot set Complete=True and Failed=true conditions"),
  condition(
    ["complete", "failureTarget"],
    ["Complete", "FailureTarget"],
    "cannot set Complete=True and FailureTarget=true conditions",
  ),
  refuse(
    ["complete", "completionTime"],
    "completionTime",
    ({ is, end }) =>
      end !== undefined && !is("Complete") && "cannot set completionTime when there is no Complete=True condition",
  ),
  about(["complete", "completionTime"], ({ is, end }) =>
    end === undefined && is("Complete") &&
    required("status.completionTime", "completionTime is required for Complete jobs")),
  refuse(
    ["startTime", "completionTime"],
    "completionTime",
    ({ start = 0, end = start }) => end < start && "must be equal to or after `startTime`",
  ),
  condition(
    ["failed"],
    ["Failed", "!FailureTarget"],
    "cannot set Failed=True condition without the FailureTarget=true condition",
  ),
  condition(
    ["complete"],
    ["Complete", "!SuccessCriteriaMet"],
    "cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
  ),
  refuse(
    ["finished", "active"],
    "active",
    ({ isFinished, status }) => isFinished && status.active > 0 && "active>0 is invalid for finished job",
  ),
  about(
    ["finished", "startTime"],
    ({ isFinished, start }) =>
      isFinished && start === undefined && required("status.startTime", "startTime is required for finished job"),
  ),
  refuse(
    ["finished", "uncounted"],
    "uncountedTerminatedPods",
    ({ isFinished, status: { uncountedTerminatedPods } }) =>
      isFinished && (uncountedTerminatedPods?.succeeded?.length > 0 || uncountedTerminatedPods?.failed?.length > 0) &&
      "uncountedTerminatedPods needs to be empty for finished job",
  ),
  ...INDEXES.map((field) =>
    refuse([field], field, ({ status, spec: { completions, backoffLimitPerIndex } }) => {
      const isCounted = completions !== undefined &&
        (field === "completedIndexes" || backoffLimitPerIndex !== undefined);
      const problem = isCounted && status[field] ? countIndexes(status[field], completions) : 0;
      return typeof problem === "string" && `error parsing ${field}: ${problem}`;
    })
  ),
  refuse(
    ["completedIndexes"],
    "completedIndexes",
    ({ status, spec }) =>
      Boolean(status.completedIndexes) && spec.completionMode !== "Indexed" &&
      "cannot set non-empty completedIndexes when non-indexed completion mode",
  ),
  refuse(
    ["failedIndexes"],
    "failedIndexes",
    ({ status, spec }) =>
      status.failedIndexes !== undefined && spec.backoffLimitPerIndex === undefined &&
      "cannot set non-null failedIndexes when backoffLimitPerIndex is null",
  ),
  refuse(["failedIndexes", "completedIndexes"], "failedIndexes", ({ status, spec }) => {
    const both = firstCommonIndex(status.completedIndexes ?? "", status.failedIndexes ?? "", spec.completions ?? 0);
    return both !== undefined && `failedIndexes and completedIndexes overlap at index: ${both}`;
  }),
  refuse(
    ["finished", "terminating"],
    "terminating",
    ({ isFinished, status }) => isFinished && status.terminating > 0 && "terminating>0 is invalid for finished job",
  ),
  refuse(
    ["ready", "active"],
    "ready",
    ({ status }) => status.ready > (status.active ?? 0) && "cannot set more ready pods than active",
  ),
  condition([], ["SuccessCriteriaMet", "Failed"], "cannot set SuccessCriteriaMet=True and Failed=true conditions"),
  condition(
    [],
    ["SuccessCriteriaMet", "FailureTarget"],
    "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions",
  ),
  about([], ({ is, spec }) =>
    spec.successPolicy !== undefined && is("Complete") && !is("SuccessCriteriaMet") &&
    inConditions("cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True")),
  // Batch ValidateJobStatusUpdate.
  ...["Failed", "Complete", "FailureTarget"].map((type) =>
    lasting(type, `cannot disable the terminal ${type}=True condition`)
  ),
  about([], ({ status }, before) => decreased("failed", status, before)),
  // The indexes that an Indexed Job loses when it is scaled down take their successes with them.
  about(
    [],
    ({ status, spec: { completionMode, completions, parallelism } }, before) =>
      (completionMode !== "Indexed" || completions !== parallelism) && decreased("succeeded", status, before),
  ),
  refuse(
    ["completionTime"],
    "completionTime",
    ({ end }, before) => end !== undefined && before.end !== undefined && "field is immutable",
  ),
  about(["startTime"], ({ start, is, spec }, before) => {
    const isResuming = before.is("Suspended") && !is("Suspended");
    const what = start === undefined ? "removed" : "updated";
    return before.start !== undefined && !spec.suspend && !isResuming &&
      required("status.startTime", `startTime cannot be ${what} for unsuspended job`);
  }),
  lasting("SuccessCriteriaMet", "cannot disable the SuccessCriteriaMet=True condition"),
  about([], ({ is }, before) =>
    before.is("Complete") && !before.is("SuccessCriteriaMet") && is("SuccessCriteriaMet") &&
    inConditions("cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions")),
];

function about(ofChanged: StatusRule["ofChanged"], check: StatusRule["check"]): StatusRule {
  return { ofChanged, check };
}

/** Of one field of the status, whose value is refused for the reason that `why` returns. */
function refuse(
  ofChanged: StatusRule["ofChanged"],
  field: string,
  why: (job: Facts, before: Facts) => string | false,
): StatusRule {
  return about(ofChanged, (job, before) => {
    const reason = why(job, before);
    return reason && invalidValue(`status.${field}`, job.status[field], reason);
  });
}

function inConditions(detail: string): FieldError {
  return invalidState("status.conditions", detail);
}

/** Of conditions that exclude each other: all of these are true, and those with a `!` not. */
function condition(ofChanged: StatusRule["ofChanged"], types: readonly string[], detail: string): StatusRule {
  const holds = ({ is }: Facts, type: string) => type.startsWith("!") ? !is(type.slice(1)) : is(type);
  return about(
    ofChanged,
    (job) => types.every((type) => holds(job, type)) && inConditions(detail),
  );
}

/** Of a condition that stays. */
function lasting(type: string, detail: string): StatusRule {
  return about([], ({ is }, before) => before.is(type) && !is(type) && inConditions(detail));
}

function decreased(counter: string, status: Json, before: Facts): Findings {
  const count = status[counter] ?? 0;
  return count < (before.status[counter] ?? 0) &&
    invalidValue(`status.${counter}`, count, `cannot decrease the ${counter} counter`);
}

const COUNTERS = rules(
  "batch validateJobStatus",
  ["active", NOT_NEGATIVE],
  ["succeeded", NOT_NEGATIVE],
  ["failed", NOT_NEGATIVE],
  ["ready", NOT_NEGATIVE],
  ["terminating", NOT_NEGATIVE],
  ["uncountedTerminatedPods", validateUncounted],
);

/** What a change of a Job's status may not be. What was wrong before already is let be. */
export function validateJobStatusUpdate(job: Json, old: Json): FieldError[] {
  const after = factsOf(job), before = factsOf(old);
  const hasChanged = (name: keyof typeof CHANGES) =>
    !isDeepStrictEqual(CHANGES[name](after) ?? null, CHANGES[name](before) ?? null);
  return found(
    validateObjectMetaUpdate(job, old),
    COUNTERS(after.status, "status"),
    RULES.filter(({ ofChanged }) => ofChanged.length === 0 || ofChanged.some(hasChanged))
      .map(({ check }) => check(after, before)),
  );
}

function validateUncounted(uncounted: Json, path: string): Findings {
  const seen = new Set<string>();
  return ["succeeded", "failed"].map((list) =>
    (uncounted[list] ?? []).map((uid: string, index: number) => {
      const at = `${path}.${list}[${index}]`;
      if (uid === "") return invalidValue(at, uid, "must not be empty");
      const isRepeated = seen.has(uid);
      seen.add(uid);
      return isRepeated && duplicate(at, uid);
    })
  );
}
