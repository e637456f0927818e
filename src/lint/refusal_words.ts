import type { FieldError, FieldErrorType } from "../apiserver/resource_kind.ts";
import { shown } from "./finding.ts";

/** Words for each type of error that go on from the field's name. */
const WORDS: Readonly<Record<FieldErrorType, (value: string) => string>> = {
  FieldValueRequired: () => "is missing",
  FieldValueNotSupported: (value) => `cannot be ${value}`,
  FieldValueDuplicate: (value) => `cannot be ${value} a second time`,
  FieldValueForbidden: () => "is not allowed here",
  FieldValueTooLong: () => "is too long",
  FieldValueTooMany: () => "has too many items",
  FieldValueNotFound: (value) => `names ${value}, which is not there`,
  FieldValueInvalid: (value) => `cannot be ${value}`,
  FieldValueTypeInvalid: () => "",
  InternalError: () => "",
};

/**
 * Returns an error of a field in words that go on from the field's name.
 *
 * @param written the manifest's value: a `restartPolicy` of `Always` is "required" to the server too
 */
export function inOwnWords({ type, value, detail }: FieldError, written: unknown): string {
  const isWritten = type === "FieldValueRequired" && typeof written === "string" && written !== "";
  const given = isWritten ? written : value;
  const isBare = type === "FieldValueInvalid" && (given === undefined || typeof given === "object" && given !== null);
  const words = isBare ? "" : isWritten ? `cannot be ${text(given)}` : WORDS[type](text(given));
  return [words, detail].filter((part) => part !== "").join(": ");
}

function text(value: unknown): string {
  return value === undefined ? "" : shown(value);
}
