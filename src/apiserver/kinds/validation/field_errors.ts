import type { FieldError, FieldErrorType } from "../../resource_kind.ts";
import { flattened, type Nested } from "../nested.ts";

/** Errors, or falsy values for none. */
export type Findings = Nested<FieldError>;

/** Returns all that has been found, as a list. */
export function found(...findings: readonly Findings[]): FieldError[] {
  return flattened<FieldError>(findings);
}

/** Returns the error of a field that is missing. */
export function required(field: string, detail = ""): FieldError {
  return { type: "FieldValueRequired", field, detail };
}

/** Returns the error of a field whose value is not allowed. */
export function invalidValue(field: string, value: unknown, detail: string): FieldError {
  return { type: "FieldValueInvalid", field, value: value ?? null, detail };
}

/** As {@linkcode invalidValue}, where the value explains nothing. */
export function invalidState(field: string, detail: string): FieldError {
  return { type: "FieldValueInvalid", field, detail };
}

/** Returns the error of a value of another type than the schema's. */
export function wrongType(field: string, wanted: string, actual: string): FieldError {
  return { type: "FieldValueTypeInvalid", field, detail: `must be of type ${wanted}, not ${actual}` };
}

/** Returns the error of a value that is none of the supported ones. */
export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const detail = `must be one of ${supported.map((one) => JSON.stringify(one)).join(", ")}`;
  return { type: "FieldValueNotSupported", field, value: value ?? null, detail };
}

/** Returns the error of an item that has the key of an earlier one. */
export function duplicate(field: string, value: unknown): FieldError {
  return { type: "FieldValueDuplicate", field, value: value ?? null, detail: "" };
}

/** Returns the error of a field that must not be there, or must not change. */
export function forbidden(field: string, detail: string): FieldError {
  return { type: "FieldValueForbidden", field, detail };
}

/** Returns the error of a text, whose value is left out. */
export function tooLong(field: string, maxBytes: number): FieldError {
  return { type: "FieldValueTooLong", field, detail: `may not be more than ${maxBytes} bytes` };
}

/** Returns the error of a list, whose items are left out. */
export function tooMany(field: string, actual: number, most: number): FieldError {
  return { type: "FieldValueTooMany", field, detail: `has ${actual} items, and may have ${most} at most` };
}

/** Returns the error of a name that refers to nothing. */
export function notFound(field: string, value: unknown): FieldError {
  return { type: "FieldValueNotFound", field, value: value ?? null, detail: "" };
}

/** One error a message. */
export function eachInvalid(field: string, value: unknown, messages: readonly string[]): FieldError[] {
  return messages.map((message) => invalidValue(field, value, message));
}

/** Kubernetes' word for each type, with which a message begins. */
const TITLES: Readonly<Record<FieldErrorType, string>> = {
  FieldValueRequired: "Required value",
  FieldValueInvalid: "Invalid value",
  FieldValueNotSupported: "Unsupported value",
  FieldValueDuplicate: "Duplicate value",
  FieldValueForbidden: "Forbidden",
  FieldValueTooLong: "Too long",
  FieldValueTooMany: "Too many",
  FieldValueTypeInvalid: "Invalid value",
  FieldValueNotFound: "Not found",
};

/** Returns the message of an error in a `Status`: `Invalid value: "x": must be …`. */
export function messageOf({ type, value, detail }: FieldError): string {
  return [TITLES[type], ...value === undefined ? [] : [shown(value)], ...detail ? [detail] : []].join(": ");
}

const LONGEST_VALUE = 200;

/** Returns a value as a message shows it, cut where it is long. */
export function shown(value: unknown, longest = LONGEST_VALUE): string {
  const text = JSON.stringify(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
