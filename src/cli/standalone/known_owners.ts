import type { Flavour } from "../../cronjob/api/flavour.ts";
import { makeKey, type ObjectKey } from "../../kube/object.ts";
import { apiVersionOf, JOBS } from "../../kube/resource.ts";
import type { KnownOwner, Owner } from "../../kubelet/runtimes.ts";
import type { Cache } from "../../runtime/cache.ts";
import type { Cached } from "../../runtime/store.ts";

/** As far as owners are looked up in a cache. */
interface OwnerCache {
  readonly connected: Cache<Cached>["connected"];
  readonly store: { get(key: ObjectKey): (Cached & Owner) | undefined };
}

/**
 * Returns what the controllers of this process know of the owners of Pods: they have made the Pods from the very objects
 * that they know. Nothing is known by a cache whose watch is broken off.
 */
export function knownOwners({ jobs, followed }: {
  /** Undefined where no Job controller runs here. */
  readonly jobs: OwnerCache | undefined;
  /** The controllers of CronJobs, once they are made. */
  readonly followed: readonly { readonly flavour: Pick<Flavour, "resource">; readonly cronJobs: OwnerCache }[];
}): KnownOwner {
  const cacheOf = (apiVersion: string, kind: string) =>
    kind === JOBS.kind && apiVersion === apiVersionOf(JOBS)
      ? jobs
      : followed.find(({ flavour: { resource } }) => resource.kind === kind && apiVersionOf(resource) === apiVersion)
        ?.cronJobs;
  return ({ apiVersion, kind, name, uid }, namespace) => {
    const cache = cacheOf(apiVersion, kind);
    const found = cache?.connected ? cache.store.get(makeKey(namespace, name)) : undefined;
    return found?.metadata.uid === uid ? found : undefined;
  };
}
