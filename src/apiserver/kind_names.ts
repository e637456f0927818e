import type { ResourceKind } from "./resource_kind.ts";

/** `batch/v1`, `v1`. */
export function apiVersionOf(kind: Pick<ResourceKind, "group" | "version">): string {
  return kind.group ? `${kind.group}/${kind.version}` : kind.version;
}

/** `batch.Job`, `core.Pod`, which Events are in either group: how Go names the type of an object. */
export function goType({ storage, kind, custom }: Pick<ResourceKind, "storage" | "kind" | "custom">): string {
  if (custom) return "unstructured.Unstructured";
  return `${storage.replace(/[./].*/, "") || "core"}.${kind}`;
}

/** Resources that etcd has under another name than their own. */
const KEYS: Readonly<Record<string, string>> = { "/nodes": "minions", "/services": "services/specs" };

/** Where kube-apiserver keeps an object, as errors of its storage say: `/registry/jobs/default/report`. */
export function etcdKey(
  { group, plural, custom, storage }: Pick<ResourceKind, "group" | "plural" | "custom" | "storage">,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): string {
  const folder = custom || group === "apiextensions.k8s.io" ? `${group}/${plural}` : KEYS[storage] ?? plural;
  return ["/registry", folder, ...namespace ? [namespace] : [], name].join("/");
}

/** `jobs.batch`, `pods`: how messages name a resource. */
export function qualifiedName(kind: Pick<ResourceKind, "group" | "plural">): string {
  return kind.group ? `${kind.plural}.${kind.group}` : kind.plural;
}
