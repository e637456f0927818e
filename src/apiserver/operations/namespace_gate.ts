import { details, forbidden, notFound } from "../refusals.ts";
import { qualifiedName } from "../kind_names.ts";
import type { ResourceKind } from "../resource_kind.ts";
import type { Transaction } from "../storage/storage.ts";

const NAMESPACES = { group: "", plural: "namespaces" };
export const NAMESPACE_STORAGE = "/namespaces";

/** A cluster cannot do without these. */
export const IMMORTAL: readonly string[] = ["default", "kube-system", "kube-public"];

/**
 * Refuses to delete a namespace that must stay.
 *
 * @throws {Refusal}
 */
export function checkMayGo(kind: ResourceKind, name: string): void {
  if (kind.storage !== NAMESPACE_STORAGE || !IMMORTAL.includes(name)) return;
  const why = "this namespace may not be deleted";
  throw forbidden(`namespaces ${JSON.stringify(name)} is forbidden: ${why}`, details(kind, name));
}

/**
 * Nothing can be created in a namespace that is not there, or is going away.
 *
 * @throws {Refusal}
 */
export function checkNamespace(tx: Transaction, kind: ResourceKind, namespace: string, name: string): void {
  if (!kind.namespaced) return;
  const stored = tx.get(NAMESPACE_STORAGE, "", namespace);
  if (!stored) throw notFound(NAMESPACES, namespace);
  if (stored.metadata.deletionTimestamp === undefined) return;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const message = `namespace ${namespace} is being terminated`;
  throw forbidden(`${qualifiedName(kind)} ${JSON.stringify(name)} is forbidden: ${why}`, {
    ...details(kind, name),
    causes: [{ reason: "NamespaceTerminating", message, field: "metadata.namespace" }],
  });
}
