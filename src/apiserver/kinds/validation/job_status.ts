import { trueCondition } from "../conditions.ts";
import { parseTime } from "../../../base/epoch_ms.ts";
import type { FieldError, Json } from "../../resource_kind.ts";
import { NOT_NEGATIVE, rules } from "./check.ts";
import { duplicate, type Findings, found, invalidState, invalidValue, required } from "./field_errors.ts";
import { countIndexes, firstCommonIndex, indexesDemand } from "./job_policies.ts";

/** The facts that the rules ask about. */
interface Facts {
  readonly status: Json;
  readonly spec: Json;
  readonly start: number | undefined;
  readonly end: number | undefined;
  /** Whether these conditions are true, and those with a `!` not. */
  readonly is: (...types: string[]) => boolean;
  readonly isFinished: boolean;
}

function factsOf(job: Json): Facts {
  const { spec, status = {} } = job;
  const is = (...types: string[]) =>
    types.every((type) => (trueCondition(job, type.replace("!", "")) === undefined) === type.startsWith("!"));
  const start = parseTime(status.startTime), end = parseTime(status.completionTime);
  return { status, spec, start, end, is, isFinished: is("Complete") || is("Failed") };
}

/** Returns why a field cannot be what it is, if it cannot. */
type Judge = (job: Facts, before: Facts) => string | false;

/** The field that is wrong, and `required` where Kubernetes says so although it may be there. */
type StatusRule = readonly [field: string, why: Judge, error?: typeof required];

const EXCLUDES = (one: string, other: string): StatusRule => [
  "conditions",
  ({ is }) => is(one, other) && `cannot set ${one}=True and ${other}=true conditions`,
];
const NEEDS = (one: string, other: string): StatusRule => {
  const why = `cannot set ${one}=True condition without the ${other}=true condition`;
  // A Job that has the one and loses the other breaks the rule below that conditions last.
  return ["conditions", ({ is }, before) => is(one, `!${other}`) && !before.is(one) && why];
};
const LASTS = (type: string, what: string): StatusRule => [
  "conditions",
  ({ is }, before) => before.is(type) && !is(type) && `cannot disable the ${what}=True condition`,
];
/** Returns what is wrong with a list of indexes, as far as it is read at all. */
const LISTS = (field: "completedIndexes" | "failedIndexes", isRead: (spec: Json) => boolean): StatusRule => [
  field,
  ({ status: { [field]: text }, spec }, before) => {
    // An Indexed Job that was scaled down keeps a list with indexes that it no longer has.
    const isNew = Boolean(text) && text !== before.status[field];
    return isNew && spec.completions !== undefined && isRead(spec) &&
      countIndexes(text, spec.completions) === undefined && indexesDemand(spec.completions);
  },
];
const FALLS = (counter: string, { status }: Facts, before: Facts) =>
  (status[counter] ?? 0) < (before.status[counter] ?? 0) && `cannot decrease the ${counter} counter`;

/** Batch `validateJobStatus`, in its order. */
const RULES: readonly StatusRule[] = [
  EXCLUDES("Complete", "Failed"),
  EXCLUDES("Complete", "FailureTarget"),
  [
    "completionTime",
    ({ is, end }) =>
      end !== undefined && is("!Complete") && "cannot set completionTime when there is no Complete=True condition",
  ],
  [
    "completionTime",
    ({ is, end }) => end === undefined && is("Complete") && "completionTime is required for Complete jobs",
    required,
  ],
  ["completionTime", ({ start = 0, end = start }) => end < start && "must be equal to or after `startTime`"],
  NEEDS("Failed", "FailureTarget"),
  NEEDS("Complete", "SuccessCriteriaMet"),
  ["active", ({ isFinished, status }) => isFinished && status.active > 0 && "active>0 is invalid for finished job"],
  [
    "startTime",
    ({ isFinished, start }) => isFinished && start === undefined && "startTime is required for finished job",
    required,
  ],
  [
    "uncountedTerminatedPods",
    ({ isFinished, status: { uncountedTerminatedPods: pods } }) =>
      isFinished && (pods?.succeeded?.length > 0 || pods?.failed?.length > 0) && "must be empty for finished job",
  ],
  LISTS("completedIndexes", () => true),
  LISTS("failedIndexes", ({ backoffLimitPerIndex }) => backoffLimitPerIndex !== undefined),
  ["completedIndexes", ({ status, spec }) =>
    Boolean(status.completedIndexes) && spec.completionMode !== "Indexed" &&
    "cannot set non-empty completedIndexes when non-indexed completion mode"],
  [
    "failedIndexes",
    ({ status, spec }) =>
      status.failedIndexes !== undefined && spec.backoffLimitPerIndex === undefined &&
      "cannot set non-null failedIndexes when backoffLimitPerIndex is null",
  ],
  ["failedIndexes", ({ status, spec }) => {
    const both = firstCommonIndex(status.completedIndexes ?? "", status.failedIndexes ?? "", spec.completions ?? 0);
    return both !== undefined && `failedIndexes and completedIndexes overlap at index: ${both}`;
  }],
  [
    "terminating",
    ({ isFinished, status }) => isFinished && status.terminating > 0 && "terminating>0 is invalid for finished job",
  ],
  ["ready", ({ status }) => status.ready > (status.active ?? 0) && "cannot set more ready pods than active"],
  EXCLUDES("SuccessCriteriaMet", "Failed"),
  EXCLUDES("SuccessCriteriaMet", "FailureTarget"),
  ["conditions", ({ is, spec }) =>
    spec.successPolicy !== undefined && is("Complete", "!SuccessCriteriaMet") &&
    "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True"],
  // Batch ValidateJobStatusUpdate.
  ...["Failed", "Complete", "FailureTarget"].map((type) => LASTS(type, `terminal ${type}`)),
  ["failed", (job, before) => FALLS("failed", job, before)],
  // The indexes that an Indexed Job loses when it is scaled down take their successes with them.
  [
    "succeeded",
    (job, before) =>
      (job.spec.completionMode !== "Indexed" || job.spec.completions !== job.spec.parallelism) &&
      FALLS("succeeded", job, before),
  ],
  [
    "completionTime",
    ({ end }, before) => end !== undefined && before.end !== undefined && end !== before.end && "field is immutable",
  ],
  ["startTime", ({ is, spec, start }, before) => {
    const isResuming = before.is("Suspended") && is("!Suspended");
    return before.start !== undefined && start !== before.start && !spec.suspend && !isResuming &&
      "field is immutable for unsuspended job once set";
  }],
  LASTS("SuccessCriteriaMet", "SuccessCriteriaMet"),
  ["conditions", ({ is }, before) =>
    before.is("Complete", "!SuccessCriteriaMet") && is("SuccessCriteriaMet") &&
    "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions"],
];

function judged([field, why, error]: StatusRule, job: Facts, before: Facts): Findings {
  const at = `status.${field}`, reason = why(job, before);
  if (reason === false || why(before, before) !== false) return [];
  if (field === "conditions") return invalidState(at, reason);
  return error ? error(at, reason) : invalidValue(at, job.status[field], reason);
}

const COUNTERS = rules(
  "batch validateJobStatus",
  [["active", "succeeded", "failed", "ready", "terminating"], NOT_NEGATIVE],
  ["uncountedTerminatedPods", validateUncounted],
);

/** Rules for a change of a Job's status. They pass over errors that the old status had already. */
export function validateJobStatusUpdate(job: Json, old: Json): FieldError[] {
  const after = factsOf(job), before = factsOf(old);
  return found(
    COUNTERS(after.status, "status"),
    RULES.map((rule) => judged(rule, after, before)),
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
