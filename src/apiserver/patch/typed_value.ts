import { isDeepStrictEqual } from "node:util";
import { ownValue } from "../../base/own_value.ts";
import type { Json } from "../resource_kind.ts";
import type { FieldSchema } from "../schema/field_schema.ts";
import { isObject } from "../../base/is_object.ts";
import { FieldSet, type Path, type PathElement } from "./field_set.ts";

/** How server-side apply sees a value: as one thing, as fields or keys, or as items that have a name each. */
type Shape = "leaf" | "fields" | "keyed" | "set";

const UNKNOWN: FieldSchema = { type: "any" };

function shapeOf(schema: FieldSchema, value: unknown): Shape {
  switch (schema.type) {
    case "object":
    case "map":
      return schema.atomic || !isObject(value ?? {}) ? "leaf" : "fields";
    case "list":
      // Validation refuses a value later that is no list in spite of its schema.
      if (!Array.isArray(value ?? [])) return "leaf";
      if (schema.listType === "map") return "keyed";
      return schema.listType === "set" ? "set" : "leaf";
    case "any":
      // A value without a schema is taken apart by its looks, a list as a whole.
      return isObject(value) ? "fields" : "leaf";
    default:
      return "leaf";
  }
}

function childSchema(schema: FieldSchema, key: string): FieldSchema {
  if (schema.type === "map") return schema.values!;
  return ownValue(schema.properties, key) ?? UNKNOWN;
}

/** Returns whether the field is one that the schema names, rather than a key that any manager may add. */
function isNamed(schema: FieldSchema, key: string): boolean {
  return ownValue(schema.properties, key) !== undefined;
}

/** Returns the list's items by the path element that names each. */
function itemsByElement(list: readonly unknown[], schema: FieldSchema): Map<PathElement, unknown> {
  const items = new Map<PathElement, unknown>();
  for (const item of list) {
    const element = itemElement(item, schema);
    if (!items.has(element)) items.set(element, item);
  }
  return items;
}

/** Returns the path element that names an item of a list. */
export function itemElement(item: unknown, schema: FieldSchema): PathElement {
  if (schema.listType === "set") return `v:${JSON.stringify(item)}`;
  const keys: Json = {};
  for (const key of [...schema.listMapKeys!].sort()) {
    const value = (item as Json)?.[key] ?? schema.items?.properties?.[key]?.default;
    if (value !== undefined) keys[key] = value;
  }
  return `k:${JSON.stringify(keys)}`;
}

/** Returns every path of a value that a manager owns by applying it. */
export function fieldSetOf(value: unknown, schema: FieldSchema): FieldSet {
  const set = new FieldSet();
  collect(value, schema, [], set);
  return set;
}

/** `path` is lent: it is as it was when this returns. */
function collect(value: unknown, schema: FieldSchema, path: PathElement[], set: FieldSet): void {
  switch (shapeOf(schema, value)) {
    case "leaf":
      set.insert(path);
      return;
    case "fields":
      for (const [key, field] of Object.entries((value ?? {}) as Json)) {
        path.push(`f:${key}`);
        collect(field, childSchema(schema, key), path, set);
        const isEmpty = field === null || (isObject(field) && Object.keys(field).length === 0);
        if (isEmpty || !isNamed(schema, key)) set.insert(path);
        path.pop();
      }
      return;
    case "keyed":
    case "set":
      for (const [element, item] of itemsByElement((value ?? []) as unknown[], schema)) {
        path.push(element);
        collect(item, schema.items!, path, set);
        set.insert(path);
        path.pop();
      }
  }
}

export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** Returns which fields differ, by the schema: an item of a list by its key, an atomic value as a whole. */
export function compareValues(before: unknown, after: unknown, schema: FieldSchema): Comparison {
  const comparison = { added: new FieldSet(), modified: new FieldSet(), removed: new FieldSet() };
  compare(before, after, schema, [], comparison);
  return comparison;
}

/** `path` is lent: it is as it was when this returns. */
function compare(
  before: unknown,
  after: unknown,
  schema: FieldSchema,
  path: PathElement[],
  result: Comparison,
): void {
  const shape = shapeOf(schema, after ?? before);
  const otherShape = shapeOf(schema, before ?? after);
  if (shape === "leaf" || otherShape !== shape || (isEmptyValue(before) && isEmptyValue(after))) {
    if (before === undefined) result.added.insert(path);
    else if (after === undefined) result.removed.insert(path);
    else if (before !== after && !isDeepStrictEqual(before, after)) result.modified.insert(path);
    return;
  }
  if (shape === "fields") {
    const left = (before ?? {}) as Json, right = (after ?? {}) as Json;
    const descend = (key: string) => {
      path.push(`f:${key}`);
      compare(ownValue(left, key), ownValue(right, key), childSchema(schema, key), path, result);
      path.pop();
    };
    for (const key in right) descend(key);
    for (const key in left) if (!Object.hasOwn(right, key)) descend(key);
  } else {
    const left = itemsByElement((before ?? []) as unknown[], schema);
    const right = itemsByElement((after ?? []) as unknown[], schema);
    for (const element of new Set([...left.keys(), ...right.keys()])) {
      path.push(element);
      compare(left.get(element), right.get(element), schema.items!, path, result);
      path.pop();
    }
  }
  if (before === undefined) result.added.insert(path);
  else if (after === undefined) result.removed.insert(path);
}

function isEmptyValue(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0);
}

/** `set` with every named field that it says something below of: who owns `spec.suspend` holds on to `spec`. */
export function withNamedFields(set: FieldSet, schema: FieldSchema): FieldSet {
  const result = new FieldSet();
  addNamed(set, schema, [], result);
  return result;
}

function addNamed(set: FieldSet, schema: FieldSchema, path: Path, result: FieldSet): void {
  for (const element of set.elements()) {
    const below = [...path, element];
    const child = set.childOf(element);
    const isField = element.startsWith("f:");
    const key = element.slice(2);
    if (set.hasMember(element) || (child && isField && isNamed(schema, key))) result.insert(below);
    if (child) addNamed(child, isField ? childSchema(schema, key) : schema.items ?? UNKNOWN, below, result);
  }
}

/** Returns the value without what `paths` names. What is left empty by that goes too. */
export function withoutPaths(value: unknown, paths: FieldSet, schema: FieldSchema): unknown {
  switch (shapeOf(schema, value)) {
    case "leaf":
      return value;
    case "fields": {
      const kept = Object.entries((value ?? {}) as Json)
        .map(([key, field]): [string, unknown] => [key, keep(field, `f:${key}`, paths, childSchema(schema, key))])
        .filter(([, left]) => left !== undefined);
      return kept.length === 0 && !isEmptyValue(value) ? undefined : Object.fromEntries(kept);
    }
    default: {
      const list = (value ?? []) as unknown[];
      const kept = list.map((item) => keep(item, itemElement(item, schema), paths, schema.items!))
        .filter((item) => item !== undefined);
      return kept.length === 0 && list.length > 0 ? undefined : kept;
    }
  }
}

function keep(value: unknown, element: PathElement, paths: FieldSet, schema: FieldSchema): unknown {
  if (paths.hasMember(element)) return undefined;
  const below = paths.childOf(element);
  return below ? withoutPaths(value, below, schema) : value;
}

/** Lays the wanted value over the live value. Gives a new value. */
export function mergeValues(live: unknown, wanted: unknown, schema: FieldSchema): unknown {
  if (wanted === undefined) return live;
  const shape = shapeOf(schema, wanted);
  if (shape === "leaf" || live === undefined || live === null || shapeOf(schema, live) !== shape) return wanted;
  if (shape === "fields") {
    const merged = new Map(Object.entries(live as Json));
    for (const [key, field] of Object.entries((wanted ?? {}) as Json)) {
      merged.set(key, mergeValues(merged.get(key), field, childSchema(schema, key)));
    }
    return Object.fromEntries(merged);
  }
  return mergeLists(live as unknown[], (wanted ?? []) as unknown[], schema);
}

/**
 * Items of both lists: those that are wanted in the order that is wanted, those that are only there where they were, and before new
 * ones that are wanted at the same place.
 */
function mergeLists(live: unknown[], wanted: unknown[], schema: FieldSchema): unknown[] {
  const there = itemsByElement(live, schema), desired = itemsByElement(wanted, schema);
  const left = [...there.keys()], right = [...desired.keys()];
  const shared = right.filter((element) => there.has(element));
  const result: unknown[] = [];
  const merged = new Set<PathElement>();
  for (let l = 0, r = 0, s = 0; l < left.length || r < right.length;) {
    const [own, element, next] = [left[l], right[r], shared[s]];
    if (own !== undefined && !desired.has(own)) {
      result.push(there.get(own));
      l++;
      continue;
    }
    // An item of both that comes later, or has come, in the wanted order has no place of its own here.
    const isElsewhere = own !== undefined &&
      (merged.has(own) || (next !== undefined && own !== next && r < right.length));
    if (isElsewhere || element === undefined) {
      l++;
      continue;
    }
    r++;
    result.push(mergeValues(there.get(element), desired.get(element), schema.items!));
    merged.add(element);
    if (next === element) s++;
    if (left[l] === element) l++;
  }
  return result;
}
