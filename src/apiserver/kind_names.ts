import type { ResourceKind } from "./resource_kind.ts";

/** `jobs.batch`, `pods`: how messages name a resource. */
export function qualifiedName(kind: Pick<ResourceKind, "group" | "plural">): string {
  return kind.group ? `${kind.plural}.${kind.group}` : kind.plural;
}
