import type { Json } from "../resource_kind.ts";
import type { Transaction } from "../storage/storage.ts";
import type { Change, StoredObject } from "../storage/stored_object.ts";

type Place = Pick<StoredObject, "resource" | "namespace" | "name">;

/** Owners and their dependents, by UID. */
export class OwnerGraph {
  readonly #objects = new Map<string, Place>();
  /** Owner's UID -> UIDs of its dependents. */
  readonly #dependents = new Map<string, Set<string>>();

  apply({ type, object, previous }: Change): void {
    if (previous) this.#unlink(previous);
    if (type === "DELETED") this.#objects.delete(object.metadata.uid);
    else this.add(object);
  }

  add(object: StoredObject): void {
    const { resource, namespace, name, metadata } = object;
    this.#objects.set(metadata.uid, { resource, namespace, name });
    for (const { uid } of ownersOf(object)) {
      this.#dependents.getOrInsertComputed(uid, () => new Set()).add(metadata.uid);
    }
  }

  find(uid: string, objects: Pick<Transaction, "get">): StoredObject | undefined {
    const place = this.#objects.get(uid);
    return place && objects.get(place.resource, place.namespace, place.name);
  }

  dependentsOf(uid: string): readonly string[] {
    return [...this.#dependents.get(uid) ?? []];
  }

  #unlink(object: StoredObject): void {
    for (const { uid } of ownersOf(object)) {
      const dependents = this.#dependents.get(uid);
      dependents?.delete(object.metadata.uid);
      if (dependents?.size === 0) this.#dependents.delete(uid);
    }
  }
}

/** Returns the owner references as they are stored. */
export function ownersOf({ metadata }: StoredObject): readonly Json[] {
  return metadata.ownerReferences ?? [];
}
