import type { Mistyped } from "../apiserver/dry_run.ts";
import type { FieldError, FieldErrorType } from "../apiserver/resource_kind.ts";
import { splitPath } from "../manifest_files/parse.ts";
import type { Path } from "../manifest_files/yaml_documents.ts";
import { nearestWord } from "../schedule/nearest_word.ts";
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

/** Returns what is wrong with a value of another type than its field's, and what to write in its place. */
export function typeMessage({ type, value }: Mistyped): string {
  return `cannot be ${shown(value)}: ${DEMANDS[type](value)}`;
}

/** Demands on a value that is not of its field's type. */
const DEMANDS: Readonly<Record<Mistyped["type"], (value: unknown) => string>> = {
  object: () => "must be a mapping of fields",
  map: () => "must be a mapping",
  list: () => "must be a list",
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

/** Where a field of a CronJob is often meant to be, the outermost first. */
const PLACES = ["metadata", "spec", "spec.jobTemplate.spec", "spec.jobTemplate.spec.template.spec"];

/** Returns what can be said of a field that the API server does not know: which was meant, or where it belongs. */
export function unknownFieldMessage(path: string, fieldsAt: (path: Path) => readonly string[]): string {
  const keys = splitPath(path);
  const name = String(keys.at(-1));
  const siblings = fieldsAt(keys.slice(0, -1));
  const near = nearestWord(name, siblings);
  if (near !== undefined) return `there is no such field: did you mean ${near}?`;
  const place = PLACES.find((place) => fieldsAt(splitPath(place)).includes(name));
  return place === undefined ? "there is no such field" : `there is no such field here: it belongs to ${place}`;
}
