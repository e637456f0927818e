import { badRequest } from "../refusals.ts";
import type { Json } from "../resource_kind.ts";
import type { FieldSchema } from "../schema/field_schema.ts";
import { isObject } from "../schema/typed_object.ts";

const DIRECTIVE = "$patch";
const RETAIN_KEYS = "$retainKeys";
const DELETE_FROM = "$deleteFromPrimitiveList/";
const ELEMENT_ORDER = "$setElementOrder/";

/**
 * Kubernetes' own merge patch: what the schema says of a list decides whether its items are merged, and directives
 * (`$patch`, `$retainKeys`, `$deleteFromPrimitiveList/…`, `$setElementOrder/…`) do what a patch without them couldn't say.
 * Gives a new object.
 *
 * @throws {Refusal} 400 for directives that make no sense
 */
export function strategicMergePatch(target: Json, patch: Json, schema: FieldSchema): Json {
  return mergeObject(structuredClone(target), structuredClone(patch), schema);
}

function mergeObject(original: Json, patch: Json, schema: FieldSchema | undefined): Json {
  const directive = takeDirective(patch);
  if (directive === "replace") return withoutDirectives(patch) as Json;
  if (directive === "delete") return {};
  retainOnly(original, patch);
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith(DELETE_FROM) || key.startsWith(ELEMENT_ORDER)) continue;
    if (value === null) {
      delete original[key];
      continue;
    }
    original[key] = mergeField(original[key], value, fieldOf(schema, key));
  }
  applyListDirectives(original, patch, schema);
  return original;
}

function mergeField(original: unknown, value: unknown, field: FieldSchema | undefined): unknown {
  const merges = field?.patchStrategy?.includes("merge") ?? false;
  const replaces = field?.patchStrategy?.includes("replace") ?? false;
  if (isObject(value)) {
    return isObject(original) && !replaces ? mergeObject(original, value, field) : mergeObject({}, value, field);
  }
  if (Array.isArray(value)) {
    if (!merges) return withoutDirectives(value);
    return mergeList(Array.isArray(original) ? original : [], value, field!);
  }
  return value;
}

function mergeList(original: unknown[], patch: unknown[], field: FieldSchema): unknown[] {
  const key = field.patchMergeKey;
  const objects = [...original, ...patch].some(isObject);
  if (!objects) return inOrder([...new Set([...original, ...patch])], patch, original, (item) => item);
  if (!key) throw badRequest("cannot merge lists without merge key");
  const items = patch as Json[];
  for (const item of items) {
    if (!isObject(item)) throw badRequest("cannot merge lists of objects with lists of other values");
    if (item[DIRECTIVE] !== "replace" && item[key] === undefined) {
      throw badRequest(`map: ${JSON.stringify(item)} does not contain declared merge key: ${key}`);
    }
  }
  if (items.some((item) => item[DIRECTIVE] === "replace")) {
    return items.filter((item) => item[DIRECTIVE] !== "replace").map(withoutDirectives);
  }
  const deleted = new Set(items.filter((item) => item[DIRECTIVE] === "delete").map((item) => item[key]));
  const kept = (original as Json[]).filter((item) => !deleted.has(item[key]));
  const wanted = items.filter((item) => item[DIRECTIVE] !== "delete");
  const merged = [...kept];
  for (const item of wanted) {
    const index = merged.findIndex((one) => one[key] === item[key]);
    merged[index < 0 ? merged.length : index] = mergeObject(merged[index] ?? {}, item, field.items);
  }
  return inOrder(merged, wanted, kept, (item) => (item as Json)[key]);
}

/**
 * Items of the patch in the patch's order, others in the server's; an item of the server's comes before the first of the
 * patch's that the server had after it.
 */
function inOrder(
  items: unknown[],
  patchOrder: readonly unknown[],
  serverOrder: readonly unknown[],
  idOf: (item: unknown) => unknown,
): unknown[] {
  const patchIds = patchOrder.map(idOf), serverIds = serverOrder.map(idOf);
  const rank = (ids: unknown[]) => (a: unknown, b: unknown) => ids.indexOf(idOf(a)) - ids.indexOf(idOf(b));
  const patched = items.filter((item) => patchIds.includes(idOf(item))).sort(rank(patchIds));
  const others = items.filter((item) => !patchIds.includes(idOf(item))).sort(rank(serverIds));
  const result: unknown[] = [];
  let next = 0;
  for (const item of patched) {
    const place = serverIds.indexOf(idOf(item));
    while (next < others.length && place >= 0 && serverIds.indexOf(idOf(others[next])) < place) {
      result.push(others[next++]);
    }
    result.push(item);
  }
  return [...result, ...others.slice(next)];
}

/** Directives beside a list: what to remove from it, and in which order its items shall stand. */
function applyListDirectives(object: Json, patch: Json, schema: FieldSchema | undefined): void {
  for (const [directive, value] of Object.entries(patch)) {
    if (!directive.startsWith(DELETE_FROM)) continue;
    const name = directive.slice(DELETE_FROM.length);
    if (!Array.isArray(value)) throw badRequest(`invalid format for ${directive}: expected a list`);
    if (Array.isArray(object[name])) object[name] = object[name].filter((item) => !value.includes(item));
  }
  for (const [directive, value] of Object.entries(patch)) {
    if (!directive.startsWith(ELEMENT_ORDER)) continue;
    const name = directive.slice(ELEMENT_ORDER.length);
    if (!Array.isArray(value)) throw badRequest(`invalid format for ${directive}: expected a list`);
    if (!Array.isArray(object[name])) continue;
    const key = fieldOf(schema, name)?.patchMergeKey;
    const idOf = (item: unknown) => key && isObject(item) ? item[key] : item;
    object[name] = inOrder(object[name], value, object[name], idOf);
  }
}

/** With `$retainKeys`, fields that the patch doesn't name go: of a union, only one is left. */
function retainOnly(original: Json, patch: Json): void {
  const retained = patch[RETAIN_KEYS];
  delete patch[RETAIN_KEYS];
  if (retained === undefined) return;
  if (!Array.isArray(retained)) throw badRequest(`invalid format for ${RETAIN_KEYS}: expected a list`);
  for (const key of Object.keys(original)) if (!retained.includes(key)) delete original[key];
}

function takeDirective(patch: Json): "replace" | "delete" | "merge" | undefined {
  const directive = patch[DIRECTIVE];
  delete patch[DIRECTIVE];
  if (directive === undefined || ["replace", "delete", "merge"].includes(directive)) return directive;
  throw badRequest(`Unknown patch type: ${directive}`);
}

function fieldOf(schema: FieldSchema | undefined, key: string): FieldSchema | undefined {
  return schema?.type === "map" ? schema.values : schema?.properties?.[key];
}

/** What replaces something must not bring directives along, nor the nulls that remove. */
function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, one]) => one !== null && !key.startsWith("$"))
      .map(([key, one]) => [key, withoutDirectives(one)]),
  );
}
