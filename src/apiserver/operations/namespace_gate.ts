import { notFound, Refusal } from "../refusals.ts";
import { qualifiedName } from "../kind_names.ts";
import type { ResourceKind } from "../resource_kind.ts";
import type { Transaction } from "../storage/storage.ts";

const NAMESPACES = { group: "", plural: "namespaces" };
export const NAMESPACE_STORAGE = "/namespaces";

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
  throw new Refusal(
    403,
    "Forbidden",
    `${qualifiedName(kind)} ${JSON.stringify(name)} is forbidden: ` +
      `unable to create new content in namespace ${namespace} because it is being terminated`,
    {
      ...(name ? { name } : {}),
      ...(kind.group ? { group: kind.group } : {}),
      kind: kind.plural,
      causes: [{
        reason: "NamespaceTerminating",
        message: `namespace ${namespace} is being terminated`,
        field: "metadata.namespace",
      }],
    },
  );
}
