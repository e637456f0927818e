import { ownValue } from "../../base/own_value.ts";
import { jsonTypeOf } from "../schema/scalars.ts";
import { badRequest, Refusal, rejected } from "../refusals.ts";
import type { Json } from "../resource_kind.ts";
import type { FieldSchema } from "../schema/field_schema.ts";
import { isObject } from "../../base/is_object.ts";

const DIRECTIVE = "$patch";
const RETAIN_KEYS = "$retainKeys";
const DELETE_FROM = "$deleteFromPrimitiveList";
const ELEMENT_ORDER = "$setElementOrder";

/**
 * Kubernetes' own merge patch: what the schema says of a list decides whether its items are merged, and directives
 * (`$patch`, `$retainKeys`, `$deleteFromPrimitiveList/…`, `$setElementOrder/…`) do what a patch without them couldn't say.
 * Gives a new object. Apimachinery `StrategicMergeMapPatch`.
 *
 * @throws {Refusal} for directives that make no sense; kube-apiserver takes most of them for a fault of its own
 */
export function strategicMergePatch(target: Json, patch: Json, schema: FieldSchema): Json {
  return mergeObject(structuredClone(target), structuredClone(patch), schema);
}

function mergeObject(original: Json, patch: Json, schema: FieldSchema | undefined): Json {
  if (Object.hasOwn(patch, DIRECTIVE)) return replacement(patch);
  retainOnly(original, patch);
  mergeOrderedLists(original, patch, schema);
  for (const [name, value] of Object.entries(patch)) {
    if (name.startsWith(DELETE_FROM)) deleteFromList(original, name, value);
    else if (value === null) delete original[name];
    else mergeField(original, name, value, fieldOf(schema, name));
  }
  return original;
}

/** The object that its own directive makes of it. */
function replacement(patch: Json): Json {
  const { [DIRECTIVE]: directive, ...rest } = patch;
  if (directive === "replace") return rest;
  if (directive === "delete") return {};
  throw broken(`unknown ${DIRECTIVE} directive ${JSON.stringify(directive)}`);
}

function mergeField(original: Json, name: string, value: unknown, field: FieldSchema | undefined): void {
  const there = ownValue(original, name);
  if (isObject(there) && isObject(value)) original[name] = mergeObject(there, value, field);
  else if (Array.isArray(there) && Array.isArray(value)) {
    original[name] = field?.patchStrategy?.includes("merge") ? mergeList(there, value, field) : value;
  } else {
    const kept = withoutDirectives(value);
    if (kept === undefined) delete original[name];
    else original[name] = kept;
  }
}

function mergeList(original: unknown[], patch: unknown[], field: FieldSchema): unknown[] {
  if (original.length === 0 && patch.length === 0) return original;
  if (!areObjects(original, patch)) return inOrder([...new Set([...original, ...patch])], patch, original, "");
  const key = field.patchMergeKey;
  if (!key) throw broken("cannot merge lists without merge key for struct");
  const { merged, wanted } = applyItemDirectives(original as Json[], patch as Json[], key);
  const kept = [...merged], places = firstPlaces(merged, key);
  for (const item of wanted) {
    const name = keyOf(item, key), index = places.get(name);
    if (index === undefined) places.set(name, merged.push(item) - 1);
    else merged[index] = mergeObject(merged[index]!, item, field.items);
  }
  return inOrder(merged, wanted, kept, key);
}

/** Takes items out of the list that say what to do with it, and does it. */
function applyItemDirectives(original: Json[], patch: Json[], key: string): { merged: Json[]; wanted: Json[] } {
  const wanted: Json[] = [], deleted = new Set<unknown>();
  let replaces = false;
  for (const item of patch) {
    const directive = item[DIRECTIVE];
    if (!Object.hasOwn(item, DIRECTIVE)) wanted.push(item);
    else if (directive === "replace") replaces = true;
    else if (directive === "delete") deleted.add(keyOf(item, key));
    else if (directive === "merge") throw broken("merging lists cannot yet be specified in the patch");
    else throw broken(`unknown ${DIRECTIVE} directive ${JSON.stringify(directive)}`);
  }
  if (replaces) return { merged: wanted, wanted: [] };
  return { merged: deleted.size ? original.filter((one) => !deleted.has(keyOf(one, key))) : original, wanted };
}

/** Lists for which the patch also says in which order their items shall stand. */
function mergeOrderedLists(original: Json, patch: Json, schema: FieldSchema | undefined): void {
  for (const [directive, order] of Object.entries(patch)) {
    if (!directive.startsWith(ELEMENT_ORDER)) continue;
    delete patch[directive];
    expectList(order);
    const name = listName(directive, ELEMENT_ORDER, "setElementOrder list");
    const there: unknown = ownValue(original, name), wanted: unknown = ownValue(patch, name);
    if (there !== undefined) expectList(there);
    if (wanted !== undefined) expectList(wanted);
    const field = fieldOf(schema, name);
    if (!field) throw broken(`there is no field ${name} to put in order`);
    const key = field.patchMergeKey ?? "";
    if (wanted === undefined && there === undefined) continue;
    if (wanted !== undefined) {
      if (there !== undefined) mergeField(original, name, wanted, field);
      else original[name] = withoutDirectives(wanted);
    }
    delete patch[name];
    original[name] = inOrder(original[name], order, there ?? [], key);
  }
}

/**
 * Items of the patch in the patch's order, others in the server's; an item of the server's comes before the first of the
 * patch's that the server had after it.
 */
function inOrder(
  items: unknown[],
  patchOrder: readonly unknown[],
  serverOrder: readonly unknown[],
  key: string,
): unknown[] {
  const inPatch = firstPlaces(patchOrder, key), onServer = firstPlaces(serverOrder, key);
  const placeOf = (item: unknown, places: typeof inPatch) => places.get(keyOf(item, key)) ?? -1;
  const by = (places: typeof inPatch) => (a: unknown, b: unknown) => placeOf(a, places) - placeOf(b, places);
  const patched = items.filter((item) => placeOf(item, inPatch) >= 0).sort(by(inPatch));
  const others = items.filter((item) => placeOf(item, inPatch) < 0).sort(by(onServer));
  const result: unknown[] = [];
  let next = 0;
  for (const item of patched) {
    const place = placeOf(item, onServer);
    while (next < others.length && place >= 0 && placeOf(others[next], onServer) < place) {
      result.push(others[next++]);
    }
    result.push(item);
  }
  return [...result, ...others.slice(next)];
}

function firstPlaces(items: readonly unknown[], key: string): Map<unknown, number> {
  const places = new Map<unknown, number>();
  for (const [index, item] of items.entries()) places.getOrInsert(keyOf(item, key), index);
  return places;
}

/** By what an item is known: itself, where the list has no key. */
function keyOf(item: unknown, key: string): unknown {
  if (!key) return item;
  if (!isObject(item)) throw unexpected("object", item);
  if (!Object.hasOwn(item, key)) throw broken(`an item of a list lacks its merge key ${key}`);
  return item[key];
}

function deleteFromList(object: Json, directive: string, values: unknown): void {
  const name = listName(directive, DELETE_FROM, "primitive list");
  const there = ownValue(object, name);
  if (values === null) delete object[name];
  else if (Array.isArray(there) && Array.isArray(values)) {
    const removed = new Set(values);
    object[name] = there.filter((item) => !removed.has(item));
  }
}

/** With `$retainKeys`, fields that the patch doesn't name go: of a union, only one is left. */
function retainOnly(original: Json, patch: Json): void {
  if (!Object.hasOwn(patch, RETAIN_KEYS)) return;
  const list = patch[RETAIN_KEYS];
  delete patch[RETAIN_KEYS];
  if (!Array.isArray(list)) throw badFormat("retainKeys");
  const retained = new Set(list);
  for (const key of Object.keys(original)) if (!retained.has(key)) delete original[key];
}

/** `$setElementOrder/containers` is about `containers`. */
function listName(directive: string, prefix: string, what: string): string {
  if (!directive.startsWith(`${prefix}/`)) throw badFormat(what);
  return directive.slice(prefix.length + 1);
}

function fieldOf(schema: FieldSchema | undefined, key: string): FieldSchema | undefined {
  return schema?.type === "map" ? schema.values : ownValue(schema?.properties, key);
}

/** A new value must bring along neither objects that are directives, nor the nulls that remove. */
function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, DIRECTIVE)) return undefined;
  const entries = Object.entries(value).filter(([, one]) => one !== null)
    .map(([key, one]): [string, unknown] => [key, withoutDirectives(one)]);
  return Object.fromEntries(entries.filter(([, one]) => one !== undefined));
}

function areObjects(...lists: readonly unknown[][]): boolean {
  const items = lists.flat();
  if (items.some(Array.isArray)) throw rejected();
  if (new Set(items.map((item) => jsonTypeOf(item))).size > 1) {
    throw broken("the items of a list must be of one type");
  }
  return isObject(items[0]);
}

function expectList(value: unknown): asserts value is unknown[] {
  if (!Array.isArray(value)) throw unexpected("array", value);
}

function unexpected(type: string, found: unknown): Refusal {
  return broken(`must be ${type}, not ${jsonTypeOf(found)}`);
}

function badFormat(what: string): Refusal {
  return badRequest(`invalid patch format of ${what}`);
}

function broken(why: string): Refusal {
  return new Refusal(500, "", why);
}
