import { type Document, isNode, LineCounter, parseAllDocuments, type ParsedNode, type Tags, visit } from "yaml";
import { firstLineOf } from "../telemetry/message_of.ts";

/** A place in a manifest, counted from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The keys on the way to a field. */
export type Path = readonly (string | number)[];

/** A document of a file that is not empty. */
export type YamlDocument =
  | {
    readonly kind: "value";
    readonly value: unknown;
    /** The position of a field, or of the nearest one. */
    position(path: Path): Position;
  }
  | { readonly kind: "fault"; readonly reason: string; readonly at: Position };

/** The YAML of kubectl: 1.1 (`yes` is true, 0644 is octal), but without its dates and numbers of base 60. */
export const KUBECTL_YAML = {
  version: "1.1",
  customTags: (tags: Tags) =>
    tags.filter((tag) =>
      typeof tag === "string" || !(tag.tag.endsWith(":timestamp") || "format" in tag && tag.format === "TIME")
    ),
  merge: true,
} as const;

/** Reads YAML: each document with the positions of its fields, or with its fault. */
export function yamlDocuments(text: string): YamlDocument[] {
  const lines = new LineCounter();
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const options = { ...KUBECTL_YAML, lineCounter: lines, prettyErrors: false, logLevel: "error" } as const;
  const documents = parseAllDocuments(text, options) as Document.Parsed[];
  return documents.flatMap((document): YamlDocument[] => {
    const fault = (message: string, offset: number): YamlDocument[] => {
      return [{ kind: "fault", reason: firstLineOf(message) + quoteRemedy(text, offset), at: at(offset) }];
    };
    const [error] = document.errors;
    if (error) return fault(error.message, error.pos[0]);
    if (document.contents === null) return [];
    const [start] = document.contents.range;
    try {
      // Aliases of aliases could fill the memory.
      const value = document.toJS({ maxAliasCount: 100 });
      const position = (path: Path) => at(nearestNode(document, path)?.range[0] ?? start);
      return value === null ? [] : [{ kind: "value", value, position }];
    } catch (error) {
      return fault((error as Error).message, unresolvedAlias(document) ?? start);
    }
  });
}

/** Returns the offset of an alias without an anchor: `*` at the front of a plain schedule is read as one. */
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

/** Returns the remedy for the commonest mistake, a schedule whose first character means something to YAML; else nothing. */
function quoteRemedy(text: string, offset: number): string {
  const lineStart = text.lastIndexOf("\n", offset - 1) + 1;
  const schedule = /^[^\n]*\bschedule:\s*([*@][^\n#]*)/.exec(text.slice(lineStart))?.[1]?.trim();
  return schedule === undefined ? "" : `; write the schedule in quotes: "${schedule}"`;
}

function nearestNode(document: Document.Parsed, path: Path): ParsedNode | undefined {
  for (let length = path.length; length >= 0; length--) {
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node as ParsedNode;
  }
  return undefined;
}
