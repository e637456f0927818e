import type { DeepReadonly, ObjectMeta } from "../kube/object.ts";

/** Anything that carries the metadata of a stored object. */
export interface Versioned {
  readonly metadata: Pick<DeepReadonly<ObjectMeta>, "uid" | "resourceVersion">;
}

/**
 * Remembers what our own writes returned until the cache shows them, so that no decision rests on an object older than
 * our last write of it.
 *
 * Assumption: every write has the version it was based on as its precondition, so nothing lies between the two. Whatever
 * version the cache shows that none of our writes was based on is therefore newer than our last.
 */
export class OwnWrites<T extends Versioned> {
  /** By UID: the newest that a write of ours returned, and every version that one of our writes was based on. */
  readonly #written = new Map<string, { newest: T; superseded: Set<string> }>();

  /** Notes that `written` has taken the place of `base`. */
  record(base: Versioned, written: T): void {
    const { uid, resourceVersion } = base.metadata;
    // A write that changes nothing makes no new version.
    if (resourceVersion === written.metadata.resourceVersion) return;
    const superseded = this.#written.get(uid)?.superseded ?? new Set<string>();
    superseded.add(resourceVersion);
    this.#written.set(uid, { newest: written, superseded });
  }

  /** Returns the newer one of the cached version and our own last. */
  latest(cached: T): T {
    const entry = this.#written.get(cached.metadata.uid);
    if (!entry) return cached;
    if (entry.superseded.has(cached.metadata.resourceVersion)) return entry.newest;
    this.#written.delete(cached.metadata.uid);
    return cached;
  }

  /** Returns whether we wrote this version ourselves, so that it is no news. Called with each version the cache shows. */
  isOwn(seen: Versioned): boolean {
    const { uid, resourceVersion } = seen.metadata;
    const entry = this.#written.get(uid);
    if (!entry) return false;
    const isLast = entry.newest.metadata.resourceVersion === resourceVersion;
    if (isLast) this.#written.delete(uid);
    return isLast || entry.superseded.has(resourceVersion);
  }

  /** Returns whether the cache is known to lack writes of ours. */
  isAhead(uid: string): boolean {
    return this.#written.has(uid);
  }

  /** Notes a version that the API server has: it may have come back, though a write of ours was based on it. */
  noteFound({ metadata: { uid, resourceVersion } }: Versioned): void {
    this.#written.get(uid)?.superseded.delete(resourceVersion);
  }

  /** Called when the object is gone. */
  forget(uid: string): void {
    this.#written.delete(uid);
  }
}
