/** `openAPIV3Schema` of a CustomResourceDefinition, as far as Kubernetes allows it (a "structural" schema). */
export interface JsonSchema {
  type?: string;
  format?: string;
  title?: string;
  description?: string;
  default?: unknown;
  nullable?: boolean;
  enum?: unknown[];
  required?: string[];
  properties?: Record<string, JsonSchema>;
  additionalProperties?: JsonSchema | boolean;
  items?: JsonSchema;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: boolean;
  exclusiveMaximum?: boolean;
  multipleOf?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minProperties?: number;
  maxProperties?: number;
  allOf?: JsonSchema[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  not?: JsonSchema;
  "x-kubernetes-preserve-unknown-fields"?: boolean;
  "x-kubernetes-embedded-resource"?: boolean;
  "x-kubernetes-int-or-string"?: boolean;
  "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  "x-kubernetes-list-map-keys"?: string[];
  "x-kubernetes-map-type"?: "atomic" | "granular";
  "x-kubernetes-validations"?: unknown[];
}

/** The fields of every object, whatever its schema says. */
export const OBJECT_FIELDS = ["apiVersion", "kind", "metadata"];

const ANYTHING: JsonSchema = { "x-kubernetes-preserve-unknown-fields": true, nullable: true };

/** Returns the schema of one field of an object; undefined for a field that its schema does not know. */
export function fieldSchemaOf({ properties, additionalProperties }: JsonSchema, field: string): JsonSchema | undefined {
  if (properties && Object.hasOwn(properties, field)) return properties[field];
  return additionalProperties === true ? ANYTHING : additionalProperties || undefined;
}
