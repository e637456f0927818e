import type { Json } from "../resource_kind.ts";
import type { Change, StoredObject } from "../storage/stored_object.ts";

/** Where an object is: enough to find it again. */
export interface ObjectId {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** Returns the ID as a key; `parseId` reads it. */
export function idText({ resource, namespace, name }: ObjectId): string {
  return `${resource} ${namespace} ${name}`;
}

/** Reads the key that `idText` makes. */
export function parseId(text: string): ObjectId {
  const [resource = "", namespace = "", name = ""] = text.split(" ");
  return { resource, namespace, name };
}

/** Owners and their dependents, by UID. */
export class OwnerGraph {
  readonly #objects = new Map<string, ObjectId>();
  /** Owner's UID -> ids of its dependents. */
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
      this.#dependents.getOrInsertComputed(uid, () => new Set()).add(idText(object));
    }
  }

  find(uid: string): ObjectId | undefined {
    return this.#objects.get(uid);
  }

  dependentsOf(uid: string): ObjectId[] {
    return Array.from(this.#dependents.get(uid) ?? [], parseId);
  }

  #unlink(object: StoredObject): void {
    for (const { uid } of ownersOf(object)) {
      const dependents = this.#dependents.get(uid);
      dependents?.delete(idText(object));
      if (dependents?.size === 0) this.#dependents.delete(uid);
    }
  }
}

/** Returns the owner references as they are stored. */
export function ownersOf({ metadata }: StoredObject): readonly Json[] {
  return metadata.ownerReferences ?? [];
}
