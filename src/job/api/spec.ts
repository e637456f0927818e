import type { DeepReadonly } from "../../kube/object.ts";
import type { Job } from "../../kube/resource.ts";

type JobView = DeepReadonly<Job>;

const MAX_INT32 = 2 ** 31 - 1;

/** Returns how many of its Pods may be active at once; 1 where the spec does not say. */
export function parallelismOf(job: JobView): number {
  return job.spec?.parallelism ?? 1;
}

/** Undefined: any success ends the Job. */
export function completionsOf(job: JobView): number | undefined {
  return job.spec?.completions;
}

/**
 * Returns whether each of its Pods has a completion index from 0 to `completions` - 1; an index is done once a Pod with it
 * succeeded.
 *
 * https://kubernetes.io/docs/concepts/workloads/controllers/job/#completion-mode
 */
export function isIndexed(job: JobView): boolean {
  return job.spec?.completionMode === "Indexed";
}

/** Returns how many completion indexes there are; 0 where its Pods have none. */
export function indexesOf(job: JobView): number {
  return isIndexed(job) ? completionsOf(job) ?? 0 : 0;
}

/** Returns whether its completion mode is one that this version knows; a Job of another mode is left alone. */
export function hasKnownCompletionMode(job: JobView): boolean {
  return [undefined, "NonIndexed", "Indexed"].includes(job.spec?.completionMode);
}

/** Returns the mode that it is treated by; NonIndexed where the spec names none. */
export function completionModeOf(job: JobView): "Indexed" | "NonIndexed" {
  return isIndexed(job) ? "Indexed" : "NonIndexed";
}

/** Returns whether the Job is to have no Pods for the time being. */
export function isSuspended(job: JobView): boolean {
  return job.spec?.suspend === true;
}

/** Returns whether each index has a back-off limit of its own, in place of one for the whole Job. */
export function hasLimitPerIndex(job: JobView): boolean {
  return isIndexed(job) && job.spec?.backoffLimitPerIndex !== undefined;
}

/** Returns how many failed Pods the Job survives: 6 where the spec does not say, or any number with a limit per index. */
export function backoffLimitOf(job: JobView): number {
  return job.spec?.backoffLimit ?? (hasLimitPerIndex(job) ? MAX_INT32 : 6);
}

/** Returns whether its deletion was requested; finalizers may still keep it. */
export function isBeingDeleted(job: JobView): boolean {
  return job.metadata.deletionTimestamp !== undefined;
}
