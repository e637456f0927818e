import { SCHEDULE, type Shape } from "./patterns.ts";

/** An OpenAPI schema of values of one type, which the compiler alone knows. */
export interface Schema<Value = unknown> {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly [keyword: string]: unknown;
  readonly [VALUE]?: Value;
}

declare const VALUE: unique symbol;

export type ValueOf<S> = S extends Schema<infer Value> ? Value : never;

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
export function time(description: string): Schema<string> {
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
export const TIME: Schema<string> = { type: "string", format: "date-time" };
export const NUMBER: Schema<number> = { type: "integer", format: "int64" };

/** Returns the schema of one of some words, which the compiler alone knows. */
export function word<Value extends string>(): Schema<Value> {
  return TEXT as Schema<Value>;
}

/** @throws {Error} with the remedy for text that is no JSON object, such as the `example` */
export function parseObject(text: string, example: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(`must be JSON, such as ${example}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Error(`must be an object, such as ${example}`);
  }
  return value as Record<string, unknown>;
}
