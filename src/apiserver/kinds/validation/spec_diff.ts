import type { Json } from "../../resource_kind.ts";
import type { FieldSchema } from "../../schema/field_schema.ts";

const CONTEXT_LINES = 3;

/**
 * Where two objects differ, as kube-apiserver shows it in messages: a unified diff of the two written out with every field of
 * their Go struct.
 */
export function structDiff(before: Json, after: Json, schema: FieldSchema): string {
  return unifiedDiff(dump(before, schema), dump(after, schema));
}

function dump(value: Json, schema: FieldSchema): string[] {
  return JSON.stringify(asStruct(value, schema), null, 1).split("\n");
}

/** With Go's names, and all fields: absent ones with what Go holds in their place. */
export function asStruct(value: unknown, schema: FieldSchema): unknown {
  if (value === undefined || value === null) return absent(schema);
  switch (schema.type) {
    case "object":
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map((
          [name, field],
        ) => [goName(name), asStruct((value as Json)[name], field)]),
      );
    case "list":
      return (value as unknown[]).map((item) => asStruct(item, schema.items!));
    case "map":
      return Object.fromEntries(
        Object.entries(value as Json).sort(([a], [b]) => a < b ? -1 : 1)
          .map(([key, item]) => [key, asStruct(item, schema.values!)]),
      );
    default:
      return value;
  }
}

function absent(schema: FieldSchema): unknown {
  if (schema.presence === "pointer") return null;
  switch (schema.type) {
    case "string":
      return schema.format ? null : "";
    case "boolean":
      return false;
    case "integer":
    case "number":
      return 0;
    default:
      return null;
  }
}

const SPECIAL_NAMES: Readonly<Record<string, string>> = { tty: "TTY", dnsPolicy: "DNSPolicy", dnsConfig: "DNSConfig" };

function goName(name: string): string {
  return SPECIAL_NAMES[name] ?? name.charAt(0).toUpperCase() + name.slice(1);
}

function unifiedDiff(before: readonly string[], after: readonly string[]): string {
  const edits = lineEdits(before, after);
  const shown = new Set<number>();
  for (const [index, { mark }] of edits.entries()) {
    if (mark === " ") continue;
    for (let near = index - CONTEXT_LINES; near <= index + CONTEXT_LINES; near++) shown.add(near);
  }
  let text = "";
  for (let index = 0; index < edits.length; index++) {
    if (!shown.has(index)) continue;
    let end = index;
    while (end < edits.length && shown.has(end)) end++;
    const hunk = edits.slice(index, end);
    const count = (side: string) => hunk.filter(({ mark }) => mark === " " || mark === side).length;
    text += `@@ -${hunk[0].beforeLine},${count("-")} +${hunk[0].afterLine},${count("+")} @@\n`;
    text += hunk.map(({ mark, line }) => `${mark}${line}\n`).join("");
    index = end;
  }
  return text;
}

interface Edit {
  readonly mark: " " | "-" | "+";
  readonly line: string;
  /** Line numbers from 1, of where the edit stands on either side. */
  readonly beforeLine: number;
  readonly afterLine: number;
}

/** The shortest way from one text to the other, line by line. */
function lineEdits(before: readonly string[], after: readonly string[]): Edit[] {
  // common[i][j]: how many lines the texts from i and j on have in common.
  const common = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      common[i][j] = before[i] === after[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
    }
  }
  const edits: Edit[] = [];
  for (let i = 0, j = 0; i < before.length || j < after.length;) {
    const place = { beforeLine: i + 1, afterLine: j + 1 };
    if (i < before.length && j < after.length && before[i] === after[j]) {
      edits.push({ mark: " ", line: before[i++], ...place });
      j++;
    } else if (i < before.length && (j === after.length || common[i + 1][j] >= common[i][j + 1])) {
      edits.push({ mark: "-", line: before[i++], ...place });
    } else edits.push({ mark: "+", line: after[j++], ...place });
  }
  return edits;
}
