import type { FieldError } from "../../resource_kind.ts";
import { flattened, type Nested } from "../nested.ts";

/** What is wrong, if anything is. */
export type Findings = Nested<FieldError>;

/** Returns all that has been found, as a list. */
export function found(...findings: readonly Findings[]): FieldError[] {
  return flattened<FieldError>(findings);
}

// The constructors word things as Kubernetes' field package does. Paths are text: `spec.containers[0].name`.

/** Returns the error of a field that is missing. */
export function required(field: string, detail = ""): FieldError {
  return { type: "FieldValueRequired", field, message: detail ? `Required value: ${detail}` : "Required value" };
}

/** Returns the error of a field whose value is not allowed. */
export function invalidValue(field: string, value: unknown, detail: string): FieldError {
  return { type: "FieldValueInvalid", field, message: `Invalid value: ${shown(value)}: ${detail}` };
}

/** As {@linkcode invalidValue}, where the value says nothing. */
export function invalidState(field: string, detail: string): FieldError {
  return { type: "FieldValueInvalid", field, message: `Invalid value: ${detail}` };
}

/** Said of a value that is none of those that there are. */
export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const message = `Unsupported value: ${shown(value)}: supported values: ${supported.map(shown).join(", ")}`;
  return { type: "FieldValueNotSupported", field, message };
}

/** Said of an item of a list that has the key of an earlier one. */
export function duplicate(field: string, value: unknown): FieldError {
  return { type: "FieldValueDuplicate", field, message: `Duplicate value: ${shown(value)}` };
}

/** Said of a field that must not be there, or must not change. */
export function forbidden(field: string, detail: string): FieldError {
  return { type: "FieldValueForbidden", field, message: `Forbidden: ${detail}` };
}

/** Said of a text; its value is left out. */
export function tooLong(field: string, maxBytes: number): FieldError {
  return { type: "FieldValueTooLong", field, message: `Too long: may not be more than ${maxBytes} bytes` };
}

/** Said of a list; its items are left out. */
export function tooMany(field: string, actual: number, most: number): FieldError {
  return { type: "FieldValueTooMany", field, message: `Too many: ${actual}: must have at most ${most} items` };
}

/** Said of a name that refers to nothing. */
export function notFound(field: string, value: unknown, detail = ""): FieldError {
  return { type: "FieldValueNotFound", field, message: `Not found: ${shown(value)}${detail && `: ${detail}`}` };
}

/** One error a message. */
export function eachInvalid(field: string, value: unknown, messages: readonly string[]): FieldError[] {
  return messages.map((message) => invalidValue(field, value, message));
}

/** The schema has put fields and keys into Go's order. */
function shown(value: unknown): string {
  return JSON.stringify(value ?? null);
}
