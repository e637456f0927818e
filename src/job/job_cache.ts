import type { DeepReadonly } from "../kube/object.ts";
import type { Job } from "../kube/resource.ts";
import type { Cache } from "../runtime/cache.ts";
import { CONTROLLER_UID_LABEL } from "./api/names.ts";

/** All Jobs, whole. */
export type JobCache = Cache<Job, "adopter">;

export const JOB_INDEXES = { adopter: byAdoption };

/**
 * Returns where a Job and the Pods that it might adopt meet: at the UID that its selector requires of their labels, which
 * it does unless its user wrote the selector; else in its namespace.
 */
export function byAdoption(job: DeepReadonly<Job>): string[] {
  const { namespace = "" } = job.metadata;
  const uid = job.spec?.selector?.matchLabels?.[CONTROLLER_UID_LABEL];
  return [uid === undefined ? namespace : `${namespace}/${uid}`];
}
