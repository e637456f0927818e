import type { FieldSchema } from "../field_schema.ts";
import { META_TYPES } from "../types/meta.ts";
import type { JsonSchema } from "./json_schema.ts";

const SCALAR_TYPES: Readonly<Record<string, FieldSchema["type"]>> = {
  string: "string",
  integer: "int64",
  number: "double",
  boolean: "bool",
};

/** Returns a definition's schema as patches and server-side apply see it. */
export function resourceFieldSchema(schema: JsonSchema): FieldSchema {
  const fields = fieldSchema(schema);
  return {
    ...fields,
    type: "object",
    properties: {
      ...fields.properties,
      apiVersion: { type: "string" },
      kind: { type: "string" },
      metadata: META_TYPES.struct("ObjectMeta"),
    },
  };
}

function fieldSchema(schema: JsonSchema): FieldSchema {
  const { type, properties, additionalProperties, items = {} } = schema, common = { default: schema.default };
  if (schema["x-kubernetes-int-or-string"]) return { ...common, type: "intOrString" };
  if (type === "array") {
    const { "x-kubernetes-list-type": listType, "x-kubernetes-list-map-keys": listMapKeys = [] } = schema;
    return { ...common, type: "list", items: fieldSchema(items), listType, listMapKeys };
  }
  if (type !== "object") return { ...common, type: SCALAR_TYPES[type ?? ""] ?? "any" };
  const atomic = schema["x-kubernetes-map-type"] === "atomic";
  if (!properties && typeof additionalProperties === "object") {
    return { ...common, atomic, type: "map", values: fieldSchema(additionalProperties) };
  }
  return {
    ...common,
    atomic,
    type: "object",
    properties: Object.fromEntries(Object.entries(properties ?? {}).map(([name, one]) => [name, fieldSchema(one)])),
    preserveUnknown: schema["x-kubernetes-preserve-unknown-fields"],
  };
}
