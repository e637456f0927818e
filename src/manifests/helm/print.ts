import { yamlOf } from "../yaml.ts";
import type { Condition, Part } from "./conditional.ts";
import { fillIn } from "./tokens.ts";

/** Conditions of which one holds always; none: no such thing is known. */
type Certain = readonly Condition[];

/** Returns a template of Helm's that renders to the objects of a list, as a stream of documents. */
export function printDocuments({ content }: Part, certain: Certain): string[] {
  if (content.kind !== "list") throw new Error(`Cannot print a ${content.kind} as documents`);
  return guarded([...content.parts.values()], undefined, certain, (part) => ["---", ...printPart(part, certain)]);
}

/** Returns the lines of a part, without its own condition. */
export function printPart({ when, content }: Part, certain: Certain): string[] {
  if (content.kind === "scalar") return linesOf(content.value);
  const { kind, parts } = content;
  if (parts.size === 0) return [kind === "list" ? "[]" : "{}"];
  const entries = [...parts].map(([key, part]) => ({ key, ...part }));
  return guarded(entries, when, certain, ({ key, ...part }) => {
    const lines = printPart(part, certain);
    const [first = "", ...others] = lines;
    if (kind === "list" && first.startsWith("{{-")) throw new Error(`Cannot start an item with a condition: ${key}`);
    if (kind === "list") return [`- ${first}`, ...others.map((line) => `  ${line}`)];
    if (part.content.kind === "scalar") return linesOf({ [key]: part.content.value });
    return part.content.parts.size === 0
      ? [`${key}: ${lines[0]}`]
      : [`${key}:`, ...lines.map((line) => line && `  ${line}`)];
  });
}

/** Puts lines under a condition: `{{- if … }}`, the lines, `{{- end }}`. */
export function guard(condition: Condition, lines: readonly string[]): string[] {
  const opening = "range" in condition ? `range ${condition.range}` : `if ${condition.if}`;
  return [`{{- ${opening} }}`, ...lines, "{{- end }}"];
}

/** Returns the lines of a template that renders to a value, whatever the values of the chart. */
export function linesOf(value: unknown): string[] {
  return yamlOf(value).trimEnd().split("\n").map(fillIn);
}

/** Neighbours under one condition are put under it together. */
function guarded<Each extends Part>(
  parts: readonly Each[],
  around: Part["when"],
  certain: Certain,
  print: (part: Each) => string[],
): string[] {
  const groups: { condition?: Condition; lines: string[] }[] = [];
  for (const part of parts) {
    const condition = conditionOf(part.when, around, certain);
    const last = groups.at(-1);
    if (last && isSame(last.condition, condition)) last.lines.push(...print(part));
    else groups.push({ condition, lines: print(part) });
  }
  return groups.flatMap(({ condition, lines }) => condition ? guard(condition, lines) : lines);
}

/** Undefined: it is there wherever what is around it is. */
function conditionOf(when: Part["when"], around: Part["when"], certain: Certain): Condition | undefined {
  if (!when || (certain.length > 0 && certain.every((condition) => when.has(condition)))) return undefined;
  if (around && when.symmetricDifference(around).size === 0) return undefined;
  const [first, ...more] = when;
  return more.length === 0 ? first : { if: `or ${[...when].map(inBrackets).join(" ")}` };
}

function inBrackets(condition: Condition): string {
  if ("range" in condition) throw new Error(`Cannot join ${condition.range} with another condition`);
  return `(${condition.if})`;
}

function isSame(one: Condition | undefined, other: Condition | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
