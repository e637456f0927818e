/** A path under `/api` or `/apis`, taken apart as Kubernetes does. */
export interface ResourcePath {
  /** `""` for the core group. */
  readonly group: string;
  readonly version: string;
  readonly namespace?: string | undefined;
  readonly plural: string;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** Gives undefined for every path that is about no resource, discovery included. */
export function parseResourcePath(path: string): ResourcePath | undefined {
  const [root, ...parts] = path.replace(/^\//, "").replace(/\/$/, "").split("/");
  if (root !== "api" && root !== "apis") return undefined;
  const group = root === "apis" ? parts.shift() ?? "" : "";
  const version = parts.shift();
  if (!version) return undefined;
  const isInside = parts[0] === "namespaces" && parts.length > 2 && !isNamespaceSubresource(parts);
  const namespace = isInside ? parts.splice(0, 2)[1] : undefined;
  const [plural, name, ...rest] = parts;
  return plural ? { group, version, namespace, plural, name, subresource: rest.join("/") || undefined } : undefined;
}

function isNamespaceSubresource(parts: readonly string[]): boolean {
  return parts.length === 3 && (parts[2] === "status" || parts[2] === "finalize");
}
