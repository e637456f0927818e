import { isObject } from "../../base/is_object.ts";
import { shown } from "../kinds/validation/field_errors.ts";
import type { Json } from "../resource_kind.ts";
import type { FieldSchema } from "./field_schema.ts";
import { SCALARS } from "./scalars.ts";

const SHOWN_CHARACTERS = 60;

/** A field, and why its value is refused. */
export interface FieldFault {
  readonly field: string;
  readonly message: string;
}

/**
 * Returns the value with null, which means absent, in place of each part that is not of its field's type. Decoding stops at
 * the first such part; here the rest can still be validated.
 */
export function withoutMistyped(value: Json, schema: FieldSchema): { object: Json; mistyped: FieldFault[] } {
  const mistyped: FieldFault[] = [];
  const object = typed(value, schema, "", mistyped);
  return { object: isObject(object) ? object : {}, mistyped };
}

function typed(value: unknown, schema: FieldSchema, field: string, mistyped: FieldFault[]): unknown {
  if (value === null || value === undefined) return value;
  if (!isOfType(value, schema)) {
    mistyped.push({ field, message: `cannot be ${shown(value, SHOWN_CHARACTERS)}: ${typeMessage(value, schema)}` });
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

/** Returns whether a value, which is not absent, is of its field's type. Parts of objects and lists are not checked. */
export function isOfType(value: unknown, { type, orElse }: Pick<FieldSchema, "type" | "orElse">): boolean {
  if (type === "list") return Array.isArray(value);
  if (type === "object" || type === "map") return isObject(value) || orElse !== undefined;
  return SCALARS[type].read(value) !== undefined;
}

/**
 * Returns the type that a mistyped value must have, and whether only its quotes are wrong. The value itself is not shown,
 * as it may be a Secret's.
 */
export function typeMessage(value: unknown, { type }: Pick<FieldSchema, "type">): string {
  const isQuoted = typeof value === "string" && /^(true|false|-?[1-9]\d*|0)$/.test(value) &&
    isOfType(JSON.parse(value), { type });
  const inQuotes = type === "string" && typeof value !== "object" && ", in quotes";
  return `must be ${nameOf(type)}${isQuoted ? ", without quotes" : inQuotes || ""}`;
}

function nameOf(type: FieldSchema["type"]): string {
  if (type === "list") return "a list";
  return type === "object" || type === "map" ? "an object" : SCALARS[type].what;
}
