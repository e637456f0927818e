import { JOB_INDEXES, type JobCache, type WholeJob } from "../../src/job/job_cache.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { type Job, JOBS } from "../../src/kube/resource.ts";
import type { Clock } from "../../src/base/clock.ts";
import { Informer, withoutManagedFields } from "../../src/runtime/informer.ts";

/** Returns the cache of a Job controller that does not share it. */
export function followJobs({ client, clock, namespaces }: {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** @default all */
  readonly namespaces?: readonly string[] | undefined;
}): JobCache {
  return new Informer<Job, "adopter", WholeJob>({
    client,
    clock,
    namespaces,
    resource: JOBS,
    indexes: JOB_INDEXES,
    transform: (job) => ({ metadata: job.metadata, job: withoutManagedFields(job) }),
  });
}
