import { type Document, isNode, LineCounter, parseAllDocuments, type ParsedNode, type Tags, visit } from "yaml";

/** Whether a path stands for standard input. Deno opens `/dev/stdin` for those alone that may do everything. */
export function isStandardInput(path: string): boolean {
  return path === "-" || path === "/dev/stdin";
}

/** A value that should be a text, for a message; a manifest may have anything in its place. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value) ?? "";
}

/** `namespace/name`, with the namespace that kubectl takes by itself. */
export function nameOf(metadata: { namespace?: unknown; name?: unknown } | undefined): string {
  return `${textOf(metadata?.namespace || "default")}/${textOf(metadata?.name ?? "")}`;
}

/** A place in a manifest, counted from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** One Kubernetes object as it stands in a file, untouched. */
export interface Manifest {
  // deno-lint-ignore no-explicit-any
  readonly object: Record<string, any>;
  /** The file, or `stdin`. */
  readonly source: string;
  /** Where a field stands, or what is nearest to it. The path is Kubernetes' way: `spec.containers[0].name`. */
  position(path: string): Position;
}

/** A part of a file that is no Kubernetes object. */
export interface ManifestFault extends Position {
  readonly source: string;
  readonly reason: string;
}

export interface Manifests {
  readonly manifests: Manifest[];
  readonly faults: ManifestFault[];
}

/** Adds what `text` holds to `into`. */
export function parseManifests(text: string, source: string, into: Manifests): void {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, {
    lineCounter: lines,
    // What kubectl reads: YAML 1.1 (`yes` is true, 0644 is octal), but without its dates and numbers of base 60.
    version: "1.1",
    customTags: (tags: Tags) =>
      tags.filter((tag) =>
        typeof tag === "string" || !(tag.tag.endsWith(":timestamp") || "format" in tag && tag.format === "TIME")
      ),
    merge: true,
    prettyErrors: false,
    logLevel: "error",
  });
  for (const document of documents as Document.Parsed[]) {
    const at = (offset: number): Position => {
      const { line, col } = lines.linePos(offset);
      return { line, column: col };
    };
    const fault = (message: string, offset: number) => {
      into.faults.push({ source, reason: message.split("\n")[0] + quoteRemedy(text, offset), ...at(offset) });
    };
    if (document.errors.length > 0) {
      fault(document.errors[0].message, document.errors[0].pos[0]);
      continue;
    }
    if (document.contents === null) continue;
    const start = at(document.contents.range[0]);
    let value: unknown;
    try {
      value = document.toJS({ maxAliasCount: 100 });
    } catch (error) {
      fault((error as Error).message, unresolvedAlias(document) ?? document.contents.range[0]);
      continue;
    }
    if (value === null) continue;
    collect(value, [], into, source, (path) => {
      const node = nearestNode(document, path);
      return node?.range ? at(node.range[0]) : start;
    });
  }
}

/** Where an alias stands that names nothing: `*` at the front of a plain schedule is read as one. */
function unresolvedAlias(document: Document.Parsed): number | undefined {
  let offset: number | undefined;
  visit(document, {
    Alias(_key, alias) {
      if (alias.resolve(document) !== undefined) return undefined;
      offset = alias.range?.[0];
      return visit.BREAK;
    },
  });
  return offset;
}

/** The commonest mistake: a schedule whose first character means something to YAML. */
function quoteRemedy(text: string, offset: number): string {
  const lineStart = text.lastIndexOf("\n", offset - 1) + 1;
  const schedule = /^[^\n]*\bschedule:\s*([*@][^\n#]*)/.exec(text.slice(lineStart))?.[1].trim();
  return schedule === undefined ? "" : `; write the schedule in quotes: "${schedule}"`;
}

type Path = (string | number)[];

function collect(value: unknown, path: Path, into: Manifests, source: string, locate: (path: Path) => Position): void {
  if (!isObject(value) || typeof value.kind !== "string" || typeof value.apiVersion !== "string") {
    into.faults.push({ source, reason: "every document needs apiVersion and kind", ...locate(path) });
    return;
  }
  if (value.kind.endsWith("List") && Array.isArray(value.items)) {
    // The items of a typed list, such as CronJobList, need not say what they are.
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

// deno-lint-ignore no-explicit-any
function isObject(value: unknown): value is Record<string, any> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `spec.containers[0].name` and `metadata.annotations[example.com/key]` as the keys on the way. */
function splitPath(path: string): Path {
  return [...path.matchAll(/\[([^\]]*)\]|[^.[\]]+/g)].map(([plain, bracketed]) => {
    if (bracketed === undefined) return plain;
    return /^\d+$/.test(bracketed) ? Number(bracketed) : bracketed;
  });
}

function nearestNode(document: Document.Parsed, path: Path): ParsedNode | undefined {
  for (let length = path.length; length >= 0; length--) {
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node as ParsedNode;
  }
  return undefined;
}
