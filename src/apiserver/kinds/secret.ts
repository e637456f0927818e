import type { FieldError, Json } from "../resource_kind.ts";
import { tooMuch, validateImmutableData, validateKeys } from "./config_map.ts";
import { defineKind } from "./define.ts";
import { CORE_TYPES } from "../schema/types/core.ts";
import { size } from "./tables/cells.ts";
import { AGE, NAME, table } from "./tables/columns.ts";
import { immutable } from "./validation/check.ts";
import { found } from "./validation/field_errors.ts";

export const SECRETS = defineKind(CORE_TYPES, "Secret", {
  selectableFields: { type: "" },
  setDefaults,
  validate,
  validateUpdate: (secret, old) =>
    found(
      immutable("type", secret.type, old.type),
      validateImmutableData(secret, old),
      validate(secret),
    ),
  table: table({
    Name: NAME,
    Type: ({ type }) => type,
    Data: ({ data }) => size(data),
    Age: AGE,
  }),
});

/** A type does not say here what keys there must be: nothing here reads Secrets by their type. */
function validate({ data = {} }: Json): FieldError[] {
  return found(validateKeys(data, "data"), tooMuch("data", {}, data));
}

/** `stringData` is for writing only: it becomes `data`. */
function setDefaults(secret: Json): void {
  secret.type ??= "Opaque";
  for (const [key, text] of Object.entries(secret.stringData ?? {})) {
    (secret.data ??= {})[key] = new TextEncoder().encode(String(text)).toBase64();
  }
  delete secret.stringData;
}
