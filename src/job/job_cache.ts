import type { DeepReadonly } from "../kube/object.ts";
import type { Job } from "../kube/resource.ts";
import type { Cache } from "../runtime/cache.ts";
import type { Cached } from "../runtime/store.ts";
import { CONTROLLER_UID_LABEL } from "./api/names.ts";

/** A Job, whole. Others who share the cache may keep more of it there. */
export interface WholeJob extends Cached {
  readonly job: DeepReadonly<Job>;
}

/** All Jobs. */
export type JobCache = Cache<WholeJob, "adopter">;

export const JOB_INDEXES = { adopter: ({ job }: WholeJob) => byAdoption(job) };

/**
 * Returns where a Job and the Pods that it might adopt meet: at the UID that its selector requires of their labels, which
 * it does unless its user wrote the selector; else in its namespace.
 */
export function byAdoption(job: DeepReadonly<Job>): string[] {
  const { namespace = "" } = job.metadata;
  const uid = job.spec?.selector?.matchLabels?.[CONTROLLER_UID_LABEL];
  return [uid === undefined ? namespace : `${namespace}/${uid}`];
}
