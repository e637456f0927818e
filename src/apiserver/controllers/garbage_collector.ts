import type { ServerContext } from "../operations/context.ts";
import { FOREGROUND, ORPHAN, remove } from "../operations/delete.ts";
import { BACKGROUND, type Propagation } from "../operations/delete_options.ts";
import type { Json, ResourceKind } from "../resource_kind.ts";
import type { Transaction } from "../storage/storage.ts";
import type { Change, StoredObject } from "../storage/stored_object.ts";
import { BackgroundWork, change, dropFinalizer } from "./background_work.ts";
import { OwnerGraph, ownersOf } from "./owner_graph.ts";

/**
 * Deletes objects that have lost all their owners, and carries out the propagation policy of a deleted owner.
 *
 * - An owner that is gone takes along the dependents that have no other; with another, they only lose the reference.
 * - `foregroundDeletion`: the dependents go first, and the owner waits for those that say `blockOwnerDeletion`.
 * - `orphan`: the dependents lose the reference, then the owner goes.
 *
 * An owner of a kind that is not served is ignored: its dependents stay.
 */
export class GarbageCollector extends BackgroundWork {
  readonly #graph = new OwnerGraph();

  constructor(context: ServerContext) {
    super(context);
    const { storage } = context;
    const objects = storage.resources().flatMap((resource) => storage.list(resource));
    for (const object of objects) this.#graph.add(object);
    for (const object of objects) this.#consider(object);
  }

  protected override follow(changes: readonly Change[]): void {
    for (const change of changes) this.#graph.apply(change);
    for (const { type, object, previous } of changes) {
      if (type !== "DELETED") {
        this.#consider(object);
        continue;
      }
      for (const dependent of this.#graph.dependentsOf(object.metadata.uid)) this.add(dependent);
      this.#considerOwnersOf(object);
      if (previous) this.#considerOwnersOf(previous);
    }
  }

  /** Queues an object that needs work; most need none, and cost nothing but this check. */
  #consider(object: StoredObject): void {
    const { metadata } = object;
    const isDeletedOwner = metadata.deletionTimestamp !== undefined &&
      metadata.finalizers?.some((finalizer: string) => finalizer === ORPHAN || finalizer === FOREGROUND);
    if (isDeletedOwner || ownersOf(object).some((reference) => this.#stateOf(reference, object) !== "solid")) {
      this.add(metadata.uid);
    }
  }

  /** Queues owners that waited for the end of a dependent. */
  #considerOwnersOf(object: StoredObject): void {
    for (const { uid } of ownersOf(object)) {
      const owner = this.#graph.find(uid, this.context.storage);
      if (owner) this.#consider(owner);
    }
  }

  protected override work(tx: Transaction, uid: string): void {
    const object = this.#graph.find(uid, tx);
    if (!object) return;
    if (object.metadata.deletionTimestamp !== undefined) this.#finishOwner(tx, object);
    else this.#judgeDependent(tx, object);
  }

  #judgeDependent(tx: Transaction, object: StoredObject): void {
    const references = ownersOf(object);
    const states = references.map((reference) => this.#stateOf(reference, object));
    if (states.every((state) => state === "solid")) return;
    if (states.includes("solid")) {
      const kept = references.filter((_, index) => states[index] === "solid");
      return change(tx, object, ({ metadata }) => metadata.ownerReferences = kept);
    }
    const kind = this.#kindOf(object);
    if (!kind) return;
    const waits = states.includes("waiting") && this.#graph.dependentsOf(object.metadata.uid).length > 0;
    const { namespace, name, metadata: { uid } } = object;
    const propagation = policyOf(object) ?? (waits ? "Foreground" : "Background");
    remove(tx, { kind, namespace, name, options: { ...BACKGROUND, propagation, preconditions: { uid } } });
  }

  #finishOwner(tx: Transaction, owner: StoredObject): void {
    const finalizers: readonly string[] = owner.metadata.finalizers ?? [];
    const dependents = this.#graph.dependentsOf(owner.metadata.uid).flatMap((uid) => this.#graph.find(uid, tx) ?? []);
    if (finalizers.includes(ORPHAN)) {
      for (const dependent of dependents) {
        change(tx, dependent, ({ metadata }) => {
          metadata.ownerReferences = metadata.ownerReferences.filter(({ uid }: Json) => uid !== owner.metadata.uid);
        });
      }
      dropFinalizer(tx, owner, ORPHAN);
    } else if (finalizers.includes(FOREGROUND)) {
      const blocking = dependents.filter((dependent) =>
        ownersOf(dependent).some(({ uid, blockOwnerDeletion }) => uid === owner.metadata.uid && blockOwnerDeletion)
      );
      if (blocking.length === 0) return dropFinalizer(tx, owner, FOREGROUND);
      for (const dependent of dependents) {
        if (dependent.metadata.deletionTimestamp === undefined) this.add(dependent.metadata.uid);
      }
    }
  }

  #stateOf(reference: Json, dependent: StoredObject): "solid" | "dangling" | "waiting" {
    const kind = this.context.registry.findKind(reference.apiVersion, reference.kind);
    if (!kind) return "solid";
    const owner = this.#graph.find(reference.uid, this.context.storage);
    const isMeant = owner?.resource === kind.storage && owner.name === reference.name &&
      (owner.namespace === "" || owner.namespace === dependent.namespace);
    if (!isMeant) return "dangling";
    const waiting = owner.metadata.deletionTimestamp !== undefined && owner.metadata.finalizers?.includes(FOREGROUND);
    return waiting ? "waiting" : "solid";
  }

  #kindOf({ resource }: StoredObject): ResourceKind | undefined {
    return this.context.registry.stored().find((kind) => kind.storage === resource);
  }
}

/** Returns the propagation policy of a deletion of the object that has begun. */
function policyOf({ metadata }: StoredObject): Propagation | undefined {
  if (metadata.finalizers?.includes(ORPHAN)) return "Orphan";
  return metadata.finalizers?.includes(FOREGROUND) ? "Foreground" : undefined;
}
