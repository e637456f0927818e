import type { Json } from "../apiserver/resource_kind.ts";
import type { FieldSchema } from "../apiserver/schema/field_schema.ts";
import { isObject } from "../apiserver/schema/typed_object.ts";
import { canonicalQuantity, QuantityError } from "../kube/quantity.ts";
import { parseTime } from "../schedule/epoch_ms.ts";
import { type Finding, finding } from "./finding.ts";

/** An object whose every value is of its field's type, and what stood in the place of those that are now null. */
export interface Typed {
  readonly object: Json;
  readonly findings: readonly Finding[];
}

/**
 * Finds every value that is not of its field's type. The API server stops at the first; here null, which stands for an absent
 * value, takes the place of each, so that all else can still be judged.
 */
export function typeFindings(value: Json, schema: FieldSchema): Typed {
  const findings: Finding[] = [];
  const object = typed(value, schema, "", findings);
  return { object: isObject(object) ? object : {}, findings };
}

function typed(value: unknown, schema: FieldSchema, path: string, findings: Finding[]): unknown {
  if (value === null || value === undefined) return value;
  const demand = demandOf(value, schema);
  if (demand !== undefined) {
    findings.push(finding("type", path, `cannot be ${shown(value)}: ${demand}`));
    return null;
  }
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.map((item, i) => typed(item, items, `${path}[${i}]`, findings)) : value;
  }
  if (!isObject(value)) return value;
  const { properties, values } = schema;
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => {
    if (values) return [key, typed(inner, values, `${path}[${key}]`, findings)];
    const known = properties && Object.hasOwn(properties, key) ? properties[key] : undefined;
    return [key, known ? typed(inner, known, path === "" ? key : `${path}.${key}`, findings) : inner];
  });
  return Object.fromEntries(entries);
}

/** Returns what the field must be; undefined where the value is that. */
function demandOf(value: unknown, schema: FieldSchema): string | undefined {
  switch (schema.type) {
    case "any":
      return undefined;
    case "object":
      return isObject(value) || schema.orElse ? undefined : "must be a mapping of fields";
    case "map":
      return isObject(value) ? undefined : "must be a mapping";
    case "list":
      return Array.isArray(value) ? undefined : "must be a list";
    case "boolean":
      return typeof value === "boolean" ? undefined : "must be true or false, without quotes";
    case "number":
      return typeof value === "number" ? undefined : "must be a number";
    case "integer":
      return integerDemand(value, schema.format);
    case "intOrString":
      return typeof value === "string" || Number.isInteger(value) ? undefined : "must be a whole number or a text";
    case "quantity":
      return isQuantity(value) ? undefined : "must be a quantity such as 500m, 2 or 128Mi";
    case "string":
      return textDemand(value, schema.format);
  }
}

const INTEGER_BITS: Readonly<Record<string, number>> = { int32: 31, int64: 63 };

function integerDemand(value: unknown, format = "int64"): string | undefined {
  if (typeof value === "string" && /^\d+$/.test(value)) return "must be a number, without quotes";
  if (!Number.isInteger(value)) return "must be a whole number";
  const limit = 2 ** (INTEGER_BITS[format] ?? 63);
  const isInside = -limit <= (value as number) && (value as number) < limit;
  return isInside ? undefined : `must be from -${limit} to ${limit - 1}`;
}

function isQuantity(value: unknown): boolean {
  if (typeof value !== "string" && typeof value !== "number") return false;
  try {
    canonicalQuantity(value);
    return true;
  } catch (error) {
    if (error instanceof QuantityError) return false;
    throw error;
  }
}

function textDemand(value: unknown, format: string | undefined): string | undefined {
  if (typeof value !== "string") {
    return typeof value === "object" ? "must be a text" : `must be a text: write ${JSON.stringify(String(value))}`;
  }
  switch (format) {
    case "date-time":
      return parseTime(value) === undefined ? "must be a time such as 2026-01-02T03:04:05Z" : undefined;
    case "micro-time":
      return parseTime(value) === undefined || !/\.\d{6}/.test(value)
        ? "must be a time such as 2026-01-02T03:04:05.000000Z"
        : undefined;
    case "byte":
      return isBase64(value) ? undefined : "must be base64";
    default:
      return undefined;
  }
}

function isBase64(text: string): boolean {
  const bare = text.replaceAll(/[\r\n]/g, "");
  return bare.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(bare);
}

const SHOWN_CHARACTERS = 60;

/** Returns the value as a message shows it, never longer than a line. */
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "";
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}
