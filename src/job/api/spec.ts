import type { DeepReadonly } from "../../kube/object.ts";
import type { Job } from "../../kube/resource.ts";

type JobView = DeepReadonly<Job>;

const MAX_INT32 = 2 ** 31 - 1;

/** Returns what `spec` says, with the API's defaults for what it leaves out. */

export function parallelismOf(job: JobView): number {
  return job.spec?.parallelism ?? 1;
}

/** Undefined: any success ends the Job. */
export function completionsOf(job: JobView): number | undefined {
  return job.spec?.completions;
}

export function isIndexed(job: JobView): boolean {
  return job.spec?.completionMode === "Indexed";
}

export function hasKnownCompletionMode(job: JobView): boolean {
  return [undefined, "NonIndexed", "Indexed"].includes(job.spec?.completionMode);
}

export function completionModeOf(job: JobView): "Indexed" | "NonIndexed" {
  return isIndexed(job) ? "Indexed" : "NonIndexed";
}

export function isSuspended(job: JobView): boolean {
  return job.spec?.suspend === true;
}

export function hasLimitPerIndex(job: JobView): boolean {
  return isIndexed(job) && job.spec?.backoffLimitPerIndex !== undefined;
}

export function backoffLimitOf(job: JobView): number {
  return job.spec?.backoffLimit ?? (hasLimitPerIndex(job) ? MAX_INT32 : 6);
}

export function isBeingDeleted(job: JobView): boolean {
  return job.metadata.deletionTimestamp !== undefined;
}
