import { isDeepStrictEqual } from "node:util";
import type { FieldError, Json } from "../../resource_kind.ts";
import { flattened } from "../nested.ts";
import {
  duplicate,
  eachInvalid,
  type Findings,
  forbidden,
  found,
  invalidValue,
  notSupported,
  required,
  tooLong,
  tooMany,
} from "./field_errors.ts";

/**
 * Finds the errors of a value that stands at `at`. `scope` holds the parts of the rest of the object that a rule needs.
 * A value is whatever the schema has let through, as its defaults left it.
 */
// deno-lint-ignore no-explicit-any
export type Check = (value: any, at: string, scope?: any) => Findings;

/** How an absent field is judged, where it is not just passed over. */
interface Presence {
  /** The message of the error for an absent field, which may be empty. */
  readonly required?: string;
  /** The value by which an absent field is judged. */
  readonly absent?: unknown;
}

export const REQUIRED: Presence = { required: "" };
export const requiredAs = (detail: string): Presence => ({ required: detail });
export const orElse = (absent: unknown): Presence => ({ absent });

/** A rule: the checks of one field, or of each of some fields; or a check of the whole struct, for several fields together. */
export type Rule = readonly [field: string | readonly string[], ...checks: (Check | Presence)[]] | Check;

/**
 * The rules about one struct, in the order in which Kubernetes finds errors.
 *
 * @param _source the functions of Kubernetes that have these rules
 */
export function rules(
  _source: string,
  ...rows: Rule[]
): (value: Json, at: string, scope?: unknown) => FieldError[] {
  const prepared = rows.flatMap((row) => {
    const [fields, ...steps] = typeof row === "function" ? ["", row] as const : row;
    const presence = steps.find((step) => typeof step === "object");
    const checks = steps.filter((step) => typeof step === "function");
    return [fields].flat().map((field) => ({ field, presence, checks }));
  });
  return (object, at, scope) => {
    const findings: FieldError[] = [];
    for (const { field, presence, checks } of prepared) {
      const value = (field ? object[field] : object) ?? presence?.absent;
      const place = field ? inside(at, field) : at;
      if (presence?.required !== undefined && isMissing(value)) findings.push(required(place, presence.required));
      else if (value !== undefined && value !== null) {
        for (const check of checks) flattened(check(value, place, scope), findings);
      }
    }
    return findings;
  };
}

/** Returns the path of a field of what stands at `at`. */
function inside(at: string, field: string): string {
  return at ? `${at}.${field}` : field;
}

/** Returns whether a required field is missing. In Go an empty text or list is the same as none. */
function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
}

/** Returns the check of a list that makes `check` of each item. */
export function each(check: Check): Check {
  return (items: unknown[], at, scope) => items.map((item, index) => check(item, `${at}[${index}]`, scope));
}

/** Returns the check that makes all of these. */
export function all(...checks: Check[]): Check {
  return (value, at, scope) => checks.map((check) => check(value, at, scope));
}

/** Returns the check that makes an error of each of the messages about a name. */
export function named(messages: (name: string) => readonly string[]): Check {
  return (name: string, at) => eachInvalid(at, name, messages(name));
}

/** Returns a check for values that must be among these. */
export function oneOf(...supported: string[]): Check {
  return (value, at) => !supported.includes(value) && notSupported(at, value, supported);
}

/** Returns a check that demands of a value what `detail` says. */
export function must<S>(detail: string, isRight: (value: never, scope: S) => boolean): Check {
  return (value, at, scope) => !isRight(value as never, scope) && invalidValue(at, value, detail);
}

/** Returns a check that refuses a value for the reason in `detail`. */
export function forbid(detail: string, isForbidden: (value: never) => boolean = () => true): Check {
  return (value, at) => isForbidden(value as never) && forbidden(at, detail);
}

/** Returns a check for numbers within bounds, both included. */
export function between(least: number, most: number): Check {
  return must(`must be between ${least} and ${most}, inclusive`, (value: number) => value >= least && value <= most);
}

/** Returns a check for numbers that are no less; `detail` is the message about a smaller number. */
export function atLeast(least: number, detail = `must be greater than or equal to ${least}`): Check {
  return must(detail, (value: number) => value >= least);
}

/** Returns a check for the length of a list. */
export function atMostItems(most: number): Check {
  return (items: unknown[], at) => items.length > most && tooMany(at, items.length, most);
}

/** Returns a check for the length of a text as UTF-8. */
export function atMostBytes(most: number): Check {
  return (text: string, at) => new TextEncoder().encode(text).length > most && tooLong(at, most);
}

export const NOT_NEGATIVE: Check = atLeast(0);
/** A user's or a group's number. */
export const ID: Check = between(0, 2 ** 31 - 1);
export const FILE_MODE: Check = must(
  "must be a number between 0 and 0777 (octal), both inclusive",
  (mode: number) => mode >= 0 && mode <= 0o777,
);

/** Finds an error where a field has changed. Absent and null are the same. */
export function immutable(field: string, next: unknown, previous: unknown): Findings {
  return !isDeepStrictEqual(next ?? null, previous ?? null) && invalidValue(field, next, "field is immutable");
}

/** Returns the items that have the same value of a field as an earlier item. */
export function repeatedBy(items: readonly Json[], field: string): ReadonlySet<Json> {
  const seen = new Set<unknown>();
  return new Set(items.filter((item) => seen.size === seen.add(item[field]).size));
}

/** Returns the same check of a list in which no two items may have the same value of a field. */
export function eachUnique(field: string, check: Check): Check {
  return (items: Json[], at, scope) => {
    const seen = new Set<unknown>();
    return items.map((item, index) => {
      const errors = found(check(item, `${at}[${index}]`, scope));
      const place = `${at}[${index}].${field}`, value = item[field];
      if (!value || errors.some((error) => error.field === place)) return errors;
      if (seen.has(value)) return [duplicate(place, value), errors];
      seen.add(value);
      return errors;
    });
  };
}

/** A path without a step back. */
export const NO_BACKSTEPS: Check = must("must not contain '..'", (path: string) => !path.split("/").includes(".."));

/** A path below some other place. */
export const DESCENDING_PATH: Check = all(
  must("must be a relative path", (path: string) => !path.startsWith("/")),
  NO_BACKSTEPS,
);

/** A descending path whose first part the kubelet does not keep to itself, as it does names that begin with `..`. */
export const LOCAL_PATH: Check = all(
  DESCENDING_PATH,
  must("must not start with '..'", (path: string) => !path.startsWith("..") || path.startsWith("../")),
);
