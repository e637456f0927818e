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

/** Returns whether each of its Pods has a completion index. */
export function isIndexed(job: JobView): boolean {
  return job.spec?.completionMode === "Indexed";
}

/** Returns whether its completion mode is one that this version knows; a Job of another mode is left alone. */
export function hasKnownCompletionMode(job: JobView): boolean {
  return [undefined, "NonIndexed", "Indexed"].includes(job.spec?.completionMode);
}

/** Returns the mode that it is treated by; NonIndexed where the spec names none. */
export function completionModeOf(job: JobView): "Indexed" | "NonIndexed" {
  return isIndexed(job) ? "Indexed" : "NonIndexed";
}

/** Returns whether it may have no Pods for the time being. */
export function isSuspended(job: JobView): boolean {
  return job.spec?.suspend === true;
}

/** Returns whether each index has a back-off limit of its own, in place of one for the whole Job. */
export function hasLimitPerIndex(job: JobView): boolean {
  return isIndexed(job) && job.spec?.backoffLimitPerIndex !== undefined;
}

/** Returns how many failed Pods the Job survives. With a limit per index the default is none at all. */
export function backoffLimitOf(job: JobView): number {
  return job.spec?.backoffLimit ?? (hasLimitPerIndex(job) ? MAX_INT32 : 6);
}

/** Returns whether its deletion was requested; finalizers may hold it still. */
export function isBeingDeleted(job: JobView): boolean {
  return job.metadata.deletionTimestamp !== undefined;
}
