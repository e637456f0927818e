import type { Json } from "../apiserver/resource_kind.ts";
import type { FieldSchema } from "../apiserver/schema/field_schema.ts";
import { SCALARS, type ScalarType, TypeMismatch } from "../apiserver/schema/scalars.ts";
import { isObject } from "../apiserver/is_object.ts";
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
function demandOf(value: unknown, { type, orElse }: FieldSchema): string | undefined {
  switch (type) {
    case "object":
      return isObject(value) || orElse ? undefined : "must be a mapping of fields";
    case "map":
      return isObject(value) ? undefined : "must be a mapping";
    case "list":
      return Array.isArray(value) ? undefined : "must be a list";
    default:
      return isOfType(value, type) ? undefined : DEMANDS[type](value);
  }
}

function isOfType(value: unknown, type: ScalarType): boolean {
  try {
    return SCALARS[type].read(value) !== undefined;
  } catch (error) {
    if (error instanceof TypeMismatch) return false;
    throw error;
  }
}

/** What a value must be that is not of its type. */
const DEMANDS: Readonly<Record<ScalarType, (value: unknown) => string>> = {
  bool: () => "must be true or false, without quotes",
  double: () => "must be a number",
  int32: (value) => integerDemand(value, 2 ** 31),
  int64: (value) => integerDemand(value, 2 ** 63),
  intOrString: () => "must be a whole number or a text",
  quantity: () => "must be a quantity such as 500m, 2 or 128Mi",
  string: (value) =>
    typeof value === "object" ? "must be a text" : `must be a text: write ${JSON.stringify(String(value))}`,
  time: textDemand("a time such as 2026-01-02T03:04:05Z"),
  microtime: textDemand("a time such as 2026-01-02T03:04:05.000000Z"),
  bytes: textDemand("base64"),
  any: () => "",
};

function integerDemand(value: unknown, limit: number): string {
  if (typeof value === "string" && /^\d+$/.test(value)) return "must be a number, without quotes";
  return Number.isInteger(value) ? `must be from -${limit} to ${limit - 1}` : "must be a whole number";
}

function textDemand(form: string): (value: unknown) => string {
  return (value) => typeof value === "string" ? `must be ${form}` : DEMANDS.string(value);
}

const SHOWN_CHARACTERS = 60;

/** Returns the value as a message shows it, never longer than a line. */
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "";
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}
