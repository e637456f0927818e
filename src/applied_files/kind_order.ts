/** Kinds that others need come first. */
const KIND_ORDER = ["Namespace", "CustomResourceDefinition", "ServiceAccount", "ConfigMap", "Secret"];

/** Returns the place of a kind in the order in which objects are applied, from 0. */
export function rankOf(kind: string): number {
  const index = KIND_ORDER.indexOf(kind);
  return index < 0 ? KIND_ORDER.length : index;
}
