import { isObject } from "../base/is_object.ts";
import { plainDocuments } from "./plain_documents.ts";
import { type Path, type Position, yamlDocuments } from "./yaml_documents.ts";

/** Returns whether a path stands for standard input. Deno opens `/dev/stdin` only for programs with all permissions. */
export function isStandardInput(path: string): boolean {
  return path === "-" || path === "/dev/stdin";
}

/** Returns a value as text for a message, whatever a manifest has in the place of a text. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value) ?? "";
}

/** Returns `namespace/name`; without a namespace that is `default`. */
export function nameOf(metadata: { namespace?: unknown; name?: unknown } | undefined): string {
  return `${textOf(metadata?.namespace || "default")}/${textOf(metadata?.name ?? "")}`;
}

/** One Kubernetes object as it stands in a file, untouched. */
export interface Manifest {
  // deno-lint-ignore no-explicit-any
  readonly object: Record<string, any>;
  /** The file, or `stdin`. */
  readonly source: string;
  /** The position of a field, or of the nearest one. The path is Kubernetes' way: `spec.containers[0].name`. */
  position(path: string): Position;
}

export interface Manifests {
  readonly manifests: Manifest[];
  /** The parts of files that are no Kubernetes objects. */
  readonly faults: (Position & { readonly source: string; readonly reason: string })[];
  /** The text of each source. */
  readonly texts: Map<string, string>;
}

/** Returns an empty collection, for {@linkcode parseManifests} to add to. */
export function noManifests(): Manifests {
  return { manifests: [], faults: [], texts: new Map() };
}

/** Adds what `text` holds to `into`. */
export function parseManifests(text: string, source: string, into: Manifests): void {
  into.texts.set(source, text);
  for (const document of plainDocuments(text) ?? yamlDocuments(text)) {
    if (document.kind === "fault") into.faults.push({ source, reason: document.reason, ...document.at });
    else collect(document.value, [], into, source, document.position);
  }
}

function collect(value: unknown, path: Path, into: Manifests, source: string, locate: (path: Path) => Position): void {
  if (!isObject(value) || typeof value.kind !== "string" || typeof value.apiVersion !== "string") {
    into.faults.push({ source, reason: "every document needs apiVersion and kind", ...locate(path) });
    return;
  }
  if (value.kind.endsWith("List") && Array.isArray(value.items)) {
    // The items of a typed list, such as CronJobList, need not name their kind.
    const inherited = { apiVersion: value.apiVersion, kind: value.kind.slice(0, -4) };
    const typed = inherited.kind === "" ? {} : inherited;
    value.items.forEach((item, i) => {
      collect(isObject(item) ? { ...typed, ...item } : item, [...path, "items", i], into, source, locate);
    });
    return;
  }
  into.manifests.push({
    object: value,
    source,
    position: (field) => locate([...path, ...splitPath(field)]),
  });
}

/** Returns `spec.containers[0].name` and `metadata.annotations[example.com/key]` as the keys on the way. */
export function splitPath(path: string): Path {
  return [...path.matchAll(/\[([^\]]*)\]|[^.[\]]+/g)].map(([plain, bracketed]) => {
    if (bracketed === undefined) return plain;
    return /^\d+$/.test(bracketed) ? Number(bracketed) : bracketed;
  });
}
