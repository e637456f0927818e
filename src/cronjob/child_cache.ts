import type { KubeClient } from "../kube/client.ts";
import { type Job, JOBS } from "../kube/resource.ts";
import { StreamHold } from "../kube/stream_hold.ts";
import type { Cache } from "../runtime/cache.ts";
import type { Clock } from "../base/clock.ts";
import { Informer } from "../runtime/informer.ts";
import type { Flavour } from "./api/flavour.ts";
import { type Child, readJob } from "./api/job.ts";

/** The Jobs that there are, as far as CronJobs are concerned, indexed by the UID of the CronJob that is named as owner. */
export type ChildCache = Cache<Child, "owner">;

export const CHILD_INDEXES = { owner: ({ owner }: Pick<Child, "owner">) => owner ? [owner.uid] : [] };

export interface FollowChildrenOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** @default all */
  readonly namespaces?: readonly string[];
  readonly flavours: readonly Flavour[];
}

/** Returns the cache of Jobs that the controllers of these flavours share. */
export function followChildren({ client, clock, namespaces, flavours }: FollowChildrenOptions): ChildCache {
  return new Informer<Job, "owner", Child>({
    client,
    clock,
    namespaces,
    resource: JOBS,
    indexes: CHILD_INDEXES,
    transform: (job) => readJob(flavours, job),
    hold: new StreamHold(),
  });
}
