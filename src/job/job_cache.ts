import type { KubeClient } from "../kube/client.ts";
import type { DeepReadonly } from "../kube/object.ts";
import { type Job, JOBS } from "../kube/resource.ts";
import type { Cache } from "../runtime/cache.ts";
import type { Clock } from "../runtime/clock.ts";
import { Informer, withoutManagedFields } from "../runtime/informer.ts";
import { CONTROLLER_UID_LABEL } from "./api/names.ts";

/** All Jobs, whole. */
export type JobCache = Cache<Job, "adopter">;

export const JOB_INDEXES = { adopter: byAdoption };

/** The cache of a Job controller that shares it with nobody. */
export function followJobs({ client, clock, namespaces }: {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** @default all */
  readonly namespaces?: readonly string[];
}): JobCache {
  return new Informer({
    client,
    clock,
    namespaces,
    resource: JOBS,
    indexes: JOB_INDEXES,
    transform: withoutManagedFields,
  });
}

/**
 * Where a Job and the Pods that it might adopt meet: at the UID that its selector requires of their labels, which it does
 * unless its user wrote the selector; else in its namespace.
 */
export function byAdoption(job: DeepReadonly<Job>): string[] {
  const { namespace = "" } = job.metadata;
  const uid = job.spec?.selector?.matchLabels?.[CONTROLLER_UID_LABEL];
  return [uid === undefined ? namespace : `${namespace}/${uid}`];
}
