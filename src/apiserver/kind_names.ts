import type { ResourceKind } from "./resource_kind.ts";

/** `batch/v1`, `v1`. */
export function apiVersionOf(kind: Pick<ResourceKind, "group" | "version">): string {
  return kind.group ? `${kind.group}/${kind.version}` : kind.version;
}

/** `jobs.batch`, `pods`: how messages name a resource. */
export function qualifiedName(kind: Pick<ResourceKind, "group" | "plural">): string {
  return kind.group ? `${kind.plural}.${kind.group}` : kind.plural;
}
