import type { FieldError, Json } from "../../resource_kind.ts";
import { duplicate, forbidden, invalidValue, notSupported, required } from "./field_errors.ts";

/**
 * What is wrong with a value that stands at `at`. `scope` is what a rule must know of the rest of the object.
 * A value is whatever the schema has let through, as its defaults left it.
 */
// deno-lint-ignore no-explicit-any
export type Check<S = any> = (value: any, at: string, scope: S) => FieldError[];

/** First among a row's checks: the field must be given. */
export const REQUIRED = "required";

/** A rule: what a field must be. The field `""` is the object itself. */
export type Rule<S> = readonly [field: string, ...checks: (Check<S> | typeof REQUIRED)[]];

/**
 * The rules about one struct, in the order in which Kubernetes finds what is wrong.
 *
 * @param _source the functions of Kubernetes that have them
 */
// deno-lint-ignore no-explicit-any
export function rules<S = any>(_source: string, ...rows: Rule<S>[]): Check<S> {
  const prepared = rows.map(([field, ...checks]) => ({
    field,
    isRequired: checks[0] === REQUIRED,
    checks: checks.filter((check) => check !== REQUIRED),
  }));
  return (object: Json, at, scope) => {
    const errors: FieldError[] = [];
    for (const { field, isRequired, checks } of prepared) {
      const value = field ? object[field] : object;
      if (!isRequired && (value === undefined || value === null)) continue;
      const place = field && at ? `${at}.${field}` : at || field;
      if (isRequired && isMissing(value)) errors.push(required(place));
      else for (const check of checks) errors.push(...check(value, place, scope));
    }
    return errors;
  };
}

/** Go has no text or list that is empty and yet given. */
function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
}

/** Each item of a list. */
export function each<S>(check: Check<S>): Check<S> {
  return (items: unknown[], at, scope) => items.flatMap((item, index) => check(item, `${at}[${index}]`, scope));
}

/** Texts about what is wrong, one error a text. */
export function named(messages: (name: string) => readonly string[]): Check {
  return (name: string, at) => messages(name).map((message) => invalidValue(at, name, message));
}

export function oneOf(...supported: string[]): Check {
  return (value, at) => supported.includes(value) ? [] : [notSupported(at, value, supported)];
}

/** What a value must be, in words, unless it is. */
export function must<S>(detail: string, isRight: (value: never, scope: S) => boolean): Check<S> {
  return (value, at, scope) => isRight(value as never, scope) ? [] : [invalidValue(at, value, detail)];
}

/** Why a value may not be given, where that is so. */
// deno-lint-ignore no-explicit-any
export function forbid<S = any>(
  detail: string,
  isForbidden: (value: never, scope: S) => boolean = () => true,
): Check<S> {
  return (value, at, scope) => isForbidden(value as never, scope) ? [forbidden(at, detail)] : [];
}

export function between(least: number, most: number): Check {
  return must(`must be between ${least} and ${most}, inclusive`, (value: number) => value >= least && value <= most);
}

export function atLeast(least: number, detail = `must be greater than or equal to ${least}`): Check {
  return must(detail, (value: number) => value >= least);
}

export const POSITIVE: Check = atLeast(1, "must be greater than zero");
export const NOT_NEGATIVE: Check = atLeast(0);
/** A user's or a group's number. */
export const ID: Check = between(0, 2 ** 31 - 1);
export const FILE_MODE: Check = must(
  "must be a number between 0 and 0777 (octal), both inclusive",
  (mode: number) => mode >= 0 && mode <= 0o777,
);

/** Two items of a list with the same value of a field. */
export function unique(field: string): Check {
  return (items: Json[], at) =>
    items.flatMap((item, index) =>
      item[field] && items.slice(0, index).some((earlier) => earlier[field] === item[field])
        ? [duplicate(`${at}[${index}].${field}`, item[field])]
        : []
    );
}

/** A path without a step back. */
export const NO_BACKSTEPS: Check = must("must not contain '..'", (path: string) => !path.split("/").includes(".."));

/** A path below some other place. */
export const DESCENDING_PATH: Check = all(
  must("must be a relative path", (path: string) => !path.startsWith("/")),
  NO_BACKSTEPS,
);

/** The same, and none of what the kubelet keeps to itself. */
export const LOCAL_PATH: Check = all(
  DESCENDING_PATH,
  must("must not start with '..'", (path: string) => !path.startsWith("..") || path.split("/").includes("..")),
);

export function all<S>(...checks: Check<S>[]): Check<S> {
  return (value, at, scope) => checks.flatMap((check) => check(value, at, scope));
}
