import type { DeepReadonly } from "../kube/object.ts";
import type { Job } from "../kube/resource.ts";

/**
 * Remembers our own writes of Jobs until the cache has them. Each was made on top of the one before (the server refuses
 * any other), so whatever version the cache has that we did not write on top of is newer than ours.
 */
export class NewestJobs {
  readonly #written = new Map<string, { job: DeepReadonly<Job>; superseded: Set<string> }>();

  /** Notes that `written` has taken the place of `base`. */
  record(base: DeepReadonly<Job>, written: DeepReadonly<Job>): void {
    const { uid } = base.metadata;
    const superseded = this.#written.get(uid)?.superseded ?? new Set<string>();
    if (base.metadata.resourceVersion === written.metadata.resourceVersion) return;
    superseded.add(base.metadata.resourceVersion);
    this.#written.set(uid, { job: written, superseded });
  }

  /** The newer one of the cached version and our own last. */
  latest(cached: DeepReadonly<Job>): DeepReadonly<Job> {
    const entry = this.#written.get(cached.metadata.uid);
    if (!entry) return cached;
    if (entry.superseded.has(cached.metadata.resourceVersion)) return entry.job;
    this.#written.delete(cached.metadata.uid);
    return cached;
  }

  /** To be told of each version that the cache shows; gives whether we wrote it ourselves, so that it is no news. */
  observe(job: DeepReadonly<Job>): boolean {
    const { uid, resourceVersion } = job.metadata;
    const entry = this.#written.get(uid);
    if (!entry) return false;
    const isLast = entry.job.metadata.resourceVersion === resourceVersion;
    if (isLast) this.#written.delete(uid);
    return isLast || entry.superseded.has(resourceVersion);
  }

  forget(uid: string): void {
    this.#written.delete(uid);
  }
}
