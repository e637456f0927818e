/** A path under `/api` or `/apis`, taken apart as Kubernetes does. */
export interface ResourcePath {
  /** `""` for the core group. */
  readonly group: string;
  readonly version: string;
  readonly namespace?: string;
  readonly plural: string;
  readonly name?: string;
  readonly subresource?: string;
  /** The old `/watch/` form. */
  readonly watch: boolean;
}

/** Gives undefined for every path that is about no resource, discovery included. */
export function parseResourcePath(path: string): ResourcePath | undefined {
  const [root, ...parts] = path.replace(/^\//, "").replace(/\/$/, "").split("/");
  let group = "";
  if (root === "apis") group = parts.shift() ?? "";
  else if (root !== "api") return undefined;
  const version = parts.shift();
  if (!version) return undefined;
  const watch = parts[0] === "watch";
  if (watch) parts.shift();
  if (parts[0] === "namespaces" && parts.length > 2 && !isNamespaceSubresource(parts)) {
    const [, namespace, plural = "", name, ...rest] = parts;
    return make({ group, version, namespace, plural, name, rest, watch });
  }
  const [plural, name, ...rest] = parts;
  return plural ? make({ group, version, plural, name, rest, watch }) : undefined;
}

function isNamespaceSubresource(parts: readonly string[]): boolean {
  return parts.length === 3 && (parts[2] === "status" || parts[2] === "finalize");
}

function make(
  { rest, name, namespace, ...path }: Omit<ResourcePath, "subresource"> & { rest: readonly string[] },
): ResourcePath {
  return {
    ...path,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    ...(rest.length ? { subresource: rest.join("/") } : {}),
  };
}
