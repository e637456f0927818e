import type { JobCondition } from "kubernetes-types/batch/v1";
import type { DeepReadonly } from "../../kube/object.ts";
import type { Job } from "../../kube/resource.ts";
import { type EpochMs, formatTime } from "../../base/epoch_ms.ts";

export type ConditionType = "SuccessCriteriaMet" | "FailureTarget" | "Complete" | "Failed" | "Suspended";

/** Returns the condition of this type, whatever its status. */
export function findCondition(
  job: DeepReadonly<Job>,
  type: ConditionType,
): DeepReadonly<JobCondition> | undefined {
  return job.status?.conditions?.find((condition) => condition.type === type);
}

/** Returns whether the condition stands, and is true. */
export function hasCondition(job: DeepReadonly<Job>, type: ConditionType): boolean {
  return findCondition(job, type)?.status === "True";
}

/** Complete or Failed: nothing about the Job changes any more. */
export function isFinished(job: DeepReadonly<Job>): boolean {
  return hasCondition(job, "Complete") || hasCondition(job, "Failed");
}

/** Returns a condition that begins `now`; it is true unless `status` says otherwise. */
export function makeCondition(
  type: ConditionType,
  options: { status?: "True" | "False"; reason: string; message: string; now: EpochMs },
): JobCondition {
  const time = formatTime(options.now);
  return {
    type,
    status: options.status ?? "True",
    lastProbeTime: time,
    lastTransitionTime: time,
    reason: options.reason,
    message: options.message,
  };
}

/** Returns the conditions with `condition` in its place; the same list if it says nothing new. */
export function withCondition(
  conditions: readonly DeepReadonly<JobCondition>[],
  condition: JobCondition,
): readonly DeepReadonly<JobCondition>[] {
  const present = conditions.find(({ type }) => type === condition.type);
  if (!present) return [...conditions, condition];
  const same = present.status === condition.status && present.reason === condition.reason &&
    present.message === condition.message;
  return same ? conditions : conditions.map((each) => each === present ? condition : each);
}
