import { type EpochMs, formatTime, parseTime } from "../../base/epoch_ms.ts";
import type { Loose } from "../../base/loose.ts";
import { ownValue } from "../../base/own_value.ts";
import { SCHEDULE, type Shape } from "./patterns.ts";

/** An OpenAPI schema of values of one type, which the compiler alone knows. */
export interface Schema<Value = unknown> {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
  readonly [VALUE]?: Value;
}

declare const VALUE: unique symbol;

export type ValueOf<S> = S extends Schema<infer Value> ? Value : never;

/** RFC 3339 text, which the compiler alone distinguishes from other text. */
export type TimeText = string & { readonly [TIME_TEXT]?: true };

declare const TIME_TEXT: unique symbol;

/** A value of a schema, with instants in place of its times. */
export type Instants<Value> = Value extends string ? (typeof TIME_TEXT extends keyof Value ? EpochMs : Value)
  : Value extends readonly (infer Item)[] ? readonly Instants<Item>[]
  : Value extends object ? Loose<{ readonly [Name in keyof Value]: Instants<Value[Name]> }>
  : Value;

/** An object with such properties: some that it must have, and some that it may. */
type Fields<Properties, Required extends keyof Properties> =
  & { [Name in Required]: ValueOf<Properties[Name]> }
  & { [Name in Exclude<keyof Properties, Required>]?: ValueOf<Properties[Name]> };

/** Returns the schema of any text. */
export function text(description: string): Schema<string> {
  return { type: "string", description };
}

/**
 * Returns the schema of text of a shape, judged by rules of CEL (Kubernetes 1.25), whose refusals are sentences. A `pattern`
 * beside a rule would be reported too, and as the expression itself.
 */
export function shaped({ maxLength, rules }: Shape, description: string): Schema<string> {
  const validations = rules.map(({ pattern, message }) => ({ rule: `self.matches(r'${pattern}')`, message }));
  return { ...text(description), maxLength, "x-kubernetes-validations": validations };
}

/** Returns the schema of a schedule. */
export function schedule(description: string): Schema<string> {
  return shaped(SCHEDULE, description);
}

/** Returns the schema of an RFC 3339 time. */
export function time(description: string): Schema<TimeText> {
  return { type: "string", format: "date-time", description };
}

/** Returns the schema of a switch; that it is left out may mean a third thing. */
export function flag(description: string): Schema<boolean> {
  return { type: "boolean", description };
}

/** Returns the schema of one word among `values`, which its type has too. */
export function choice<const Value extends string>(values: readonly Value[], description: string): Schema<Value> {
  return { type: "string", enum: values, description };
}

/** Returns the schema of a whole number that is no less than `minimum`. */
export function count(description: string, minimum = 0, format: "int32" | "int64" = "int32"): Schema<number> {
  return { type: "integer", format, minimum, description };
}

/** Returns the schema of a list; `more` are further keywords, such as `minItems`. */
export function list<Item>(
  description: string,
  items: Schema<Item>,
  more?: Readonly<Record<string, unknown>>,
): Schema<readonly Item[]> {
  return { type: "array", description, ...more, items };
}

/** Returns the schema of an object with such fields, which may be left out but for those in `required`. */
export function object<Properties extends Record<string, Schema>, Required extends string & keyof Properties = never>(
  description: string,
  properties: Properties,
  required?: readonly Required[],
): Schema<Fields<Properties, Required>> {
  return { type: "object", description, ...(required && { required }), properties };
}

/**
 * Returns the schema of an object that this program alone writes, always with all its fields but for those in `optional`. API
 * servers are asked to check those in `required`.
 */
export function record<Properties extends Record<string, Schema>, Optional extends string & keyof Properties = never>(
  description: string,
  properties: Properties,
  _optional: readonly Optional[] = [],
  required?: readonly string[],
): Schema<Fields<Properties, Exclude<keyof Properties, Optional>>> {
  return { type: "object", description, ...(required && { required }), properties };
}

/** Fields whose names say enough. */
export const TEXT: Schema<string> = { type: "string" };
export const TIME: Schema<TimeText> = { type: "string", format: "date-time" };
export const NUMBER: Schema<number> = { type: "integer", format: "int64" };

/** Returns the schema of one of some words, which the compiler alone knows. */
export function word<Value extends string>(): Schema<Value> {
  return TEXT as Schema<Value>;
}

/** The check of a value of each type, and the words for the values that a schema admits. */
const TYPES: Readonly<Record<string, TypeCheck>> = {
  boolean: { admits: (value) => typeof value === "boolean", words: () => "true or false" },
  integer: {
    admits: (value, { minimum = 0, maximum = Infinity }) =>
      Number.isSafeInteger(value) && value >= minimum && value <= maximum,
    words: ({ minimum = 0, maximum }) =>
      `a whole number, ${minimum} ${maximum === undefined ? "or more" : `to ${maximum}`}`,
  },
  string: {
    admits: (value, { enum: words = [value], format, minLength = 0, maxLength = Infinity }) =>
      typeof value === "string" && words.includes(value) && value.length >= minLength && value.length <= maxLength &&
      (format === undefined || parseTime(value) !== undefined),
    words: ({ enum: words, format, minLength = 0, maxLength }) => {
      if (words) return `one of ${words.join(", ")}`;
      if (format) return "a time such as 2026-01-02T03:04:05Z";
      return `a text${maxLength === undefined ? "" : ` of ${minLength} to ${maxLength} characters`}`;
    },
  },
  array: {
    admits: (value, { minItems = 0, maxItems = Infinity }) =>
      Array.isArray(value) && value.length >= minItems && value.length <= maxItems,
    words: ({ minItems = 0, maxItems }) =>
      maxItems === undefined ? "a list" : `a list of ${minItems} to ${maxItems} entries`,
  },
  object: {
    admits: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
    words: () => "an object",
  },
};

interface TypeCheck {
  // deno-lint-ignore no-explicit-any
  admits(value: any, schema: Schema): boolean;
  words(schema: Schema): string;
}

/** Returns a value that a schema admits, but for its rules in CEL. @throws {Error} that names the field, and what it must be */
export function admitted<Value>(schema: Schema<Value>, value: unknown, path = ""): Value {
  const { type = "object", properties, required = [], items } = schema;
  const { admits, words } = TYPES[type]!;
  if (!admits(value, schema)) throw new Error(`${path} must be ${words(schema)}`.trimStart());
  if (items) (value as unknown[]).forEach((item, i) => admitted(items, item, `${path}[${i}]`));
  if (!properties) return value as Value;
  const fields = value as Record<string, unknown>;
  for (const name of new Set([...required, ...Object.keys(fields)])) {
    const property = ownValue(properties, name);
    const at = path === "" ? name : `${path}.${name}`;
    if (!property) throw new Error(`unknown field ${at}: ${Object.keys(properties).join(", ")} are known`);
    if (fields[name] !== undefined || required.includes(name)) admitted(property, fields[name], at);
  }
  return value as Value;
}

/** Reads JSON that a schema admits, such as the `example`. @throws {Error} with the remedy for other text */
export function parseAdmitted<Value>(schema: Schema<Value>, text: string, example: string): Value {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(`must be JSON, such as ${example}`);
  }
  const { admits, words } = TYPES[schema.type!]!;
  if (!admits(value, schema)) throw new Error(`must be ${words(schema)}, such as ${example}`);
  return admitted(schema, value);
}

/** Returns what a schema admits of a value, with instants in place of times: the rest counts as absent. */
export function readInstants<Value>(schema: Schema<Value>, value: unknown): Instants<Value> | undefined {
  return instantsIn(schema, value) as Instants<Value> | undefined;
}

function instantsIn(schema: Schema, value: unknown): unknown {
  const { type = "object", format, items, properties, required = [] } = schema;
  if (format === "date-time") return parseTime(value as string);
  if (!TYPES[type]!.admits(value, schema)) return undefined;
  if (items) return (value as unknown[]).map((item) => instantsIn(items, item)).filter((item) => item !== undefined);
  if (!properties) return value;
  const read = mapFields(properties, value as Record<string, unknown>, instantsIn);
  return required.every((name) => Object.hasOwn(read, name)) ? read : undefined;
}

/** Returns the text of what {@linkcode readInstants} reads. */
export function writeInstants<Value>(schema: Schema<Value>, value: Instants<Value>): Value {
  return textIn(schema, value) as Value;
}

function textIn({ format, items, properties }: Schema, value: unknown): unknown {
  if (format === "date-time") return formatTime(value as EpochMs);
  if (items) return (value as unknown[]).map((item) => textIn(items, item));
  return properties ? mapFields(properties, value as Record<string, unknown>, textIn) : value;
}

function mapFields(
  properties: Readonly<Record<string, Schema>>,
  fields: Readonly<Record<string, unknown>>,
  map: (schema: Schema, value: unknown) => unknown,
): Record<string, unknown> {
  const mapped = Object.entries(properties).map((
    [name, schema],
  ) => [name, fields[name] === undefined ? undefined : map(schema, fields[name])]);
  return Object.fromEntries(mapped.filter(([, value]) => value !== undefined));
}
