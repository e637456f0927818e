import type { FieldSchema } from "../field_schema.ts";
import { KUBERNETES_TYPES } from "../kubernetes_types.ts";
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
      metadata: KUBERNETES_TYPES.struct("meta.ObjectMeta"),
    },
  };
}

function fieldSchema(schema: JsonSchema): FieldSchema {
  const { type, properties, additionalProperties, items } = schema;
  const common = schema.default === undefined ? {} : { default: schema.default };
  if (schema["x-kubernetes-int-or-string"]) return { ...common, type: "intOrString" };
  const atomic = schema["x-kubernetes-map-type"] === "atomic" ? { atomic: true } : {};
  if (type === "array") {
    const listType = schema["x-kubernetes-list-type"];
    return {
      ...common,
      type: "list",
      items: fieldSchema(items ?? {}),
      ...(listType ? { listType } : {}),
      ...(listType === "map" ? { listMapKeys: schema["x-kubernetes-list-map-keys"] ?? [] } : {}),
    };
  }
  if (type === "object") {
    if (!properties && typeof additionalProperties === "object") {
      return { ...common, ...atomic, type: "map", values: fieldSchema(additionalProperties) };
    }
    return {
      ...common,
      ...atomic,
      type: "object",
      properties: Object.fromEntries(Object.entries(properties ?? {}).map(([name, one]) => [name, fieldSchema(one)])),
      ...(schema["x-kubernetes-preserve-unknown-fields"] ? { preserveUnknown: true } : {}),
    };
  }
  return { ...common, type: SCALAR_TYPES[type ?? ""] ?? "any" };
}
