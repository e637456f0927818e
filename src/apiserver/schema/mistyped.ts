import { isObject } from "../../base/is_object.ts";
import type { Json } from "../resource_kind.ts";
import type { FieldSchema } from "./field_schema.ts";
import { SCALARS, TypeMismatch } from "./scalars.ts";

/** A value that is not of its field's type. */
export interface Mistyped {
  readonly field: string;
  readonly value: unknown;
  /** The kind of value that the field must have. */
  readonly type: FieldSchema["type"];
}

/**
 * Returns the value with null, which stands for an absent value, in the place of everything that is not of its field's
 * type. Decoding stops at the first of these; here all else can still be judged.
 */
export function withoutMistyped(value: Json, schema: FieldSchema): { object: Json; mistyped: Mistyped[] } {
  const mistyped: Mistyped[] = [];
  const object = typed(value, schema, "", mistyped);
  return { object: isObject(object) ? object : {}, mistyped };
}

function typed(value: unknown, schema: FieldSchema, field: string, mistyped: Mistyped[]): unknown {
  if (value === null || value === undefined) return value;
  if (!isOfType(value, schema)) {
    mistyped.push({ field, value, type: schema.type });
    return null;
  }
  const { items, properties, values } = schema;
  if (Array.isArray(value)) {
    return items ? value.map((item, index) => typed(item, items, `${field}[${index}]`, mistyped)) : value;
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => {
    if (values) return [key, typed(inner, values, `${field}[${key}]`, mistyped)];
    const known = properties && Object.hasOwn(properties, key) ? properties[key] : undefined;
    return [key, known ? typed(inner, known, field === "" ? key : `${field}.${key}`, mistyped) : inner];
  });
  return Object.fromEntries(entries);
}

/** Returns whether a value, which is not absent, is of its field's type; of an object's or a list's parts nothing is said. */
export function isOfType(value: unknown, { type, orElse }: FieldSchema): boolean {
  if (type === "list") return Array.isArray(value);
  if (type === "object" || type === "map") return isObject(value) || orElse !== undefined;
  try {
    return SCALARS[type].read(value) !== undefined;
  } catch (error) {
    if (error instanceof TypeMismatch) return false;
    throw error;
  }
}
