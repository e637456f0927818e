import { isDeepStrictEqual } from "node:util";
import type { FieldError, Json } from "../resource_kind.ts";
import { defineKind } from "./define.ts";
import { CORE_TYPES } from "../schema/types/core.ts";
import { size } from "./tables/cells.ts";
import { AGE, NAME, table } from "./tables/columns.ts";
import { eachInvalid, type Findings, forbidden, found, invalidValue, tooLong } from "./validation/field_errors.ts";
import { byteLength, configKeyErrors } from "./validation/names.ts";

const MAX_DATA_BYTES = 1024 * 1024;

export const CONFIG_MAPS = defineKind(CORE_TYPES, "ConfigMap", {
  shortNames: ["cm"],
  validate,
  validateUpdate: (configMap, old) => found(validateImmutableData(configMap, old), validate(configMap)),
  table: table({
    Name: NAME,
    Data: ({ data, binaryData }) => size(data) + size(binaryData),
    Age: AGE,
  }),
});

/** Checks the keys of data, and how much there is; of Secrets too. */
export function validateKeys(data: Json, at: string): Findings {
  return Object.keys(data).sort().map((key) => eachInvalid(`${at}[${key}]`, key, configKeyErrors(key)));
}

/** Returns the error at `at` where there is more data than may be. */
export function tooMuch(at: string, data: Json, binaryData: Json): Findings {
  const bytes = [
    ...Object.values(data).map((text) => byteLength(String(text))),
    ...Object.values(binaryData).map(decodedLength),
  ];
  return bytes.reduce((total, one) => total + one, 0) > MAX_DATA_BYTES && tooLong(at, MAX_DATA_BYTES);
}

function validate({ data = {}, binaryData = {} }: Json): FieldError[] {
  return found(
    validateKeys(data, "data"),
    Object.keys(data).filter((key) => Object.hasOwn(binaryData, key))
      .map((key) => invalidValue(`data[${key}]`, key, "duplicate of key present in binaryData")),
    validateKeys(binaryData, "binaryData"),
    // The path of Kubernetes for the object as a whole.
    tooMuch("[]", data, binaryData),
  );
}

/** ConfigMaps and Secrets that say `immutable` stay as they are, and stay immutable. */
export function validateImmutableData(object: Json, old: Json): Findings {
  const reason = "field is immutable when `immutable` is set";
  return old.immutable === true && [
    object.immutable !== true && forbidden("immutable", reason),
    ["data", "binaryData"].map((field) => !isDeepStrictEqual(object[field], old[field]) && forbidden(field, reason)),
  ];
}

function decodedLength(base64: unknown): number {
  return Math.floor(String(base64).replaceAll("=", "").length * 3 / 4);
}
