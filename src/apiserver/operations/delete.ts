import { formatTime } from "../../base/epoch_ms.ts";
import { withCondition } from "../kinds/conditions.ts";
import { conflict, notFound } from "../refusals.ts";
import type { Json, ResourceKind } from "../resource_kind.ts";
import type { Transaction } from "../storage/storage.ts";
import { parse, type StoredObject, unstored } from "../storage/stored_object.ts";
import { toStorage } from "./create.ts";
import type { DeleteOptions, Propagation } from "./delete_options.ts";
import { checkMayGo } from "./namespace_gate.ts";

export const ORPHAN = "orphan";
export const FOREGROUND = "foregroundDeletion";
export const CRD_CLEANUP = "customresourcecleanup.apiextensions.k8s.io";

export interface Deletion {
  readonly kind: ResourceKind;
  readonly namespace: string;
  readonly name: string;
  readonly options: DeleteOptions;
}

/**
 * Deletes an object, or begins to: what has finalizers (which propagation adds too) or a grace period is only marked. Returns
 * its last state, and whether it stays for a while.
 *
 * @throws {Refusal}
 */
export function remove(tx: Transaction, deletion: Deletion): { stored: StoredObject; lingers: boolean } {
  const { kind, name, options: { dryRun, ...options } } = deletion;
  checkMayGo(kind, name);
  const stored = whatIsMeant(tx, deletion);
  const object = parse(stored);
  applyPropagation(object, options.propagation ?? kind.defaultPropagation);
  const lingers = mark(object, tx, kind, options);
  if (!lingers) {
    if (!dryRun) tx.delete(stored);
    if (!kind.gracefulDeletion) return { stored, lingers };
  }
  const isChanged = lingers && !dryRun && JSON.stringify(object) !== stored.text;
  const left = isChanged ? tx.put(kind.storage, toStorage(object, kind)) : unstored(kind.storage, object, tx.now);
  return { stored: left, lingers };
}

/** A finalizer stands for what shall become of the dependents. A later policy takes the place of an earlier one. */
function applyPropagation(object: Json, propagation: Propagation): void {
  const finalizers: string[] = (object.metadata.finalizers ?? [])
    .filter((finalizer: string) => finalizer !== ORPHAN && finalizer !== FOREGROUND);
  if (propagation === "Orphan") finalizers.push(ORPHAN);
  if (propagation === "Foreground") finalizers.push(FOREGROUND);
  if (finalizers.length) object.metadata.finalizers = finalizers;
  else delete object.metadata.finalizers;
}

/** Writes into the object that it is being deleted. Gives false if nothing holds it back. */
function mark(
  object: Json,
  tx: Transaction,
  kind: ResourceKind,
  options: Pick<DeleteOptions, "gracePeriodSeconds">,
): boolean {
  const own = OWN_MARKS[kind.storage];
  if (own) {
    own(object, tx);
    return Boolean(object.spec.finalizers?.length || object.metadata.finalizers?.length);
  }
  const { metadata } = object;
  const wanted = kind.gracefulDeletion?.(object, options.gracePeriodSeconds) ?? 0;
  const graceSeconds = metadata.deletionTimestamp === undefined
    ? wanted
    : Math.min(wanted, metadata.deletionGracePeriodSeconds ?? 0);
  const first = metadata.deletionTimestamp === undefined;
  if (first || graceSeconds !== metadata.deletionGracePeriodSeconds) {
    metadata.deletionTimestamp = formatTime(tx.now + graceSeconds * 1000);
    metadata.deletionGracePeriodSeconds = graceSeconds;
    if (first && metadata.generation) metadata.generation++;
  }
  return graceSeconds > 0 || Boolean(metadata.finalizers?.length);
}

/** Kinds whose deletion begins in a way of its own. */
const OWN_MARKS: Readonly<Record<string, (object: Json, tx: Transaction) => void>> = {
  /** A namespace stays until it is empty, for which its spec has finalizers of its own. */
  "/namespaces": (namespace, tx) => {
    namespace.metadata.deletionTimestamp ??= formatTime(tx.now);
    namespace.status = { ...namespace.status, phase: "Terminating" };
  },
  /** A definition stays until its objects are gone. */
  "apiextensions.k8s.io/customresourcedefinitions": ({ metadata, status }, tx) => {
    if (metadata.deletionTimestamp !== undefined) return;
    metadata.deletionTimestamp = formatTime(tx.now);
    metadata.finalizers = [...(metadata.finalizers ?? []), CRD_CLEANUP];
    const condition = {
      type: "Terminating",
      status: "True",
      reason: "InstanceDeletionPending",
      message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
    };
    status.conditions = withCondition(status.conditions ?? [], condition, formatTime(tx.now));
  },
};

/**
 * Returns the object that is to be deleted, for which the preconditions hold.
 *
 * @throws {Refusal}
 */
export function whatIsMeant(tx: Transaction, { kind, namespace, name, options }: Deletion): StoredObject {
  const stored = tx.get(kind.storage, namespace, name);
  if (!stored) throw notFound(kind, name);
  const { uid, resourceVersion } = options.preconditions;
  // Kubernetes names the kind here, and no resource.
  const named = { group: kind.group, plural: kind.kind };
  if (uid !== undefined && uid !== stored.metadata.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${stored.metadata.uid}). `;
    throw conflict(named, stored.name, `${why}The object might have been deleted and then recreated`);
  }
  if (resourceVersion !== undefined && resourceVersion !== String(stored.version)) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in ` +
      `record (${stored.version}). The object might have been modified`;
    throw conflict(named, stored.name, why);
  }
  return stored;
}
