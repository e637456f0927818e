/** When a part of a chart is rendered: if something holds of the values, or once for each of something. */
export type Condition = { readonly if: string } | { readonly range: string };

/** What a condition brings about: the objects are no longer those of `from`, but those of `to`. */
export interface Change<Setting> {
  readonly when: Condition;
  readonly from: Setting;
  readonly to: Setting;
}

/** A part of an object. One that is there under several conditions is there where any of them holds. */
export interface Part {
  /** Absent: always. */
  readonly when?: Set<Condition>;
  readonly content: Content;
}

type Content =
  | { readonly kind: "scalar"; readonly value: unknown }
  | { readonly kind: "map" | "list"; readonly parts: Map<string, Part> };

/**
 * Returns what `of` makes of all settings at once: a part that one of the changes adds has that change's condition.
 *
 * @throws {Error} if a change turns one value into another: conditions can only add something
 */
export function conditional<Setting>(
  of: (setting: Setting) => unknown,
  base: Setting,
  changes: readonly Change<Setting>[],
): Part {
  const whole: Part = { content: contentOf(of(base)) };
  for (const { when, from, to } of changes) addParts(whole, of(from), of(to), when);
  return whole;
}

function contentOf(value: unknown, when?: Condition): Content {
  const parts = entriesOf(value);
  if (!parts) return { kind: "scalar", value };
  const inside = [...parts].map(([key, part]): [string, Part] => [key, partOf(part, when)]);
  return { kind: Array.isArray(value) ? "list" : "map", parts: new Map(inside) };
}

function partOf(value: unknown, when?: Condition): Part {
  return { ...when && { when: new Set([when]) }, content: contentOf(value, when) };
}

/** Returns what a value consists of; undefined: it is a scalar. Items of a list are known by what they are about. */
function entriesOf(value: unknown): Map<string, unknown> | undefined {
  if (Array.isArray(value)) return new Map(value.map((item) => [subjectOf(item), item]));
  return typeof value === "object" && value !== null ? new Map(Object.entries(value)) : undefined;
}

function subjectOf(item: unknown): string {
  const { kind, metadata, name, apiGroups, resources, resourceNames } = Object(item);
  if (metadata) return [kind, metadata.namespace, metadata.name].join("/");
  if (resources) return JSON.stringify([apiGroups, resources, resourceNames]);
  return name ?? JSON.stringify(item);
}

function addParts(whole: Part, from: unknown, to: unknown, when: Condition): void {
  const before = entriesOf(from);
  const after = entriesOf(to);
  if (!after || !before || whole.content.kind === "scalar") {
    if (from !== to) throw new Error(`Cannot make a condition of a change from ${from} to ${to}`);
    return;
  }
  const { parts } = whole.content;
  for (const [key, value] of after) {
    const known = parts.get(key);
    if (before.has(key)) addParts(known!, before.get(key), value, when);
    else if (known) addCondition(known, value, when);
    else insert(parts, key, partOf(value, when), after);
  }
}

/** A part that is known already is there under one more condition, as far as it is the same. */
function addCondition(known: Part, value: unknown, when: Condition): void {
  known.when?.add(when);
  const after = entriesOf(value);
  if (!after || known.content.kind === "scalar") return;
  const { parts } = known.content;
  for (const [key, part] of after) {
    const there = parts.get(key);
    if (there) addCondition(there, part, when);
    else insert(parts, key, partOf(part, when), after);
  }
}

/** Before the next part of `order` that is there already. */
function insert(parts: Map<string, Part>, key: string, part: Part, order: Map<string, unknown>): void {
  const following = [...order.keys()].slice([...order.keys()].indexOf(key) + 1);
  const entries = [...parts];
  const next = entries.findIndex(([other]) => following.includes(other));
  entries.splice(next < 0 ? entries.length : next, 0, [key, part]);
  parts.clear();
  for (const [key, part] of entries) parts.set(key, part);
}
