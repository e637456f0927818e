import { isObject } from "../../../base/is_object.ts";
import { fieldSchemaOf, type JsonSchema } from "./json_schema.ts";

/**
 * Fills in, in place, the schema's defaults where nothing is said. A null where null cannot be says nothing either, and goes.
 */
export function applyDefaults(value: unknown, schema: JsonSchema): void {
  if (Array.isArray(value)) {
    if (schema.items) { for (const item of value) applyDefaults(item, schema.items); }
    return;
  }
  if (!isObject(value)) return;
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    if (value[key] === null && !property.nullable) delete value[key];
    if (value[key] === undefined && property.default !== undefined) value[key] = structuredClone(property.default);
  }
  for (const [key, child] of Object.entries(value)) {
    const known = fieldSchemaOf(schema, key);
    if (!known) continue;
    if (child === null && !known.nullable) delete value[key];
    else applyDefaults(child, known);
  }
}
