import type { Json } from "../../resource_kind.ts";
import { isObject } from "../../../base/is_object.ts";
import { fieldSchemaOf, type JsonSchema, OBJECT_FIELDS } from "./json_schema.ts";

/**
 * Removes from `object`, in place, what its schema doesn't know.
 *
 * @param isResource whether it is a whole object, with metadata that is pruned elsewhere
 * @returns the paths of what was removed
 */
export function prune(object: Json, schema: JsonSchema, isResource: boolean): string[] {
  const pruned: string[] = [];
  pruneValue(object, schema, "", isResource, pruned);
  return pruned.sort();
}

function pruneValue(value: unknown, schema: JsonSchema, path: string, isResource: boolean, pruned: string[]): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      pruneValue(item, schema.items ?? {}, `${path}[${index}]`, false, pruned);
    }
    return;
  }
  if (!isObject(value)) return;
  const embedded = isResource || schema["x-kubernetes-embedded-resource"] === true;
  for (const key of Object.keys(value)) {
    if (embedded && OBJECT_FIELDS.includes(key)) continue;
    const below = path ? `${path}.${key}` : key;
    const child = fieldSchemaOf(schema, key);
    if (child) pruneValue(value[key], child, below, false, pruned);
    else if (!schema["x-kubernetes-preserve-unknown-fields"]) {
      delete value[key];
      pruned.push(below);
    }
  }
}
