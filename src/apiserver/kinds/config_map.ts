import { isDeepStrictEqual } from "node:util";
import type { FieldError, Json } from "../resource_kind.ts";
import { KUBERNETES_TYPES } from "../schema/kubernetes_types.ts";
import { defineKind } from "./define.ts";
import { since, size } from "./tables/cells.ts";
import { AGE, NAME, text } from "./tables/columns.ts";
import { eachInvalid, forbidden, invalidValue, tooLong } from "./validation/field_errors.ts";
import { configKeyErrors, subdomainErrors } from "./validation/names.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "./validation/object_meta.ts";

const MAX_DATA_BYTES = 1024 * 1024;

export const CONFIG_MAPS = defineKind({
  group: "",
  version: "v1",
  plural: "configmaps",
  kind: "ConfigMap",
  namespaced: true,
  shortNames: ["cm"],
  schema: KUBERNETES_TYPES.object("core.ConfigMap"),
  validate,
  validateUpdate: (configMap, old) => [
    ...validateObjectMetaUpdate(configMap, old),
    ...validateImmutableData(configMap, old),
    ...validateObjectMeta(configMap.metadata, { namespaced: true, custom: false, validateName: subdomainErrors }),
    ...validate(configMap),
  ],
  table: {
    columns: [
      NAME,
      text(
        "Data",
        "Data contains the configuration data. Each key must consist of alphanumeric characters, '-', '_' or '.'. Values with non-UTF-8 byte sequences must use the BinaryData field. The keys stored in Data must not overlap with the keys in the BinaryData field, this is enforced during validation process.",
      ),
      AGE,
    ],
    row: ({ metadata, data, binaryData }, now) => ({
      cells: [metadata.name, size(data) + size(binaryData), since(metadata.creationTimestamp, now)],
    }),
  },
});

/** The keys of data, and how much there is; of Secrets too. */
export function validateKeys(data: Json, at: string): FieldError[] {
  return Object.keys(data).sort().flatMap((key) => eachInvalid(`${at}[${key}]`, key, configKeyErrors(key)));
}

export function isTooLong(...texts: readonly { readonly data: Json; readonly isBase64: boolean }[]): boolean {
  const bytes = texts.flatMap(({ data, isBase64 }) => Object.values(data).map(isBase64 ? decodedLength : byteLength));
  return bytes.reduce((total, one) => total + one, 0) > MAX_DATA_BYTES;
}

export const TOO_LONG = (at: string) => tooLong(at, MAX_DATA_BYTES);

function validate({ data = {}, binaryData = {} }: Json): FieldError[] {
  return [
    ...Object.keys(data).sort().flatMap((key) => [
      ...validateKeys({ [key]: "" }, "data"),
      ...(Object.hasOwn(binaryData, key)
        ? [invalidValue(`data[${key}]`, key, "duplicate of key present in binaryData")]
        : []),
    ]),
    ...validateKeys(binaryData, "binaryData"),
    ...(isTooLong({ data, isBase64: false }, { data: binaryData, isBase64: true }) ? [TOO_LONG("")] : []),
  ];
}

/** ConfigMaps and Secrets that say `immutable` stay as they are, and stay immutable. */
export function validateImmutableData(object: Json, old: Json): FieldError[] {
  if (old.immutable !== true) return [];
  const reason = "field is immutable when `immutable` is set";
  const isOther = (field: string) => !isDeepStrictEqual(object[field], old[field]);
  return [
    ...(object.immutable === true ? [] : [forbidden("immutable", reason)]),
    ...["data", "binaryData"].filter(isOther).map((field) => forbidden(field, reason)),
  ];
}

function byteLength(text: unknown): number {
  return new TextEncoder().encode(String(text)).length;
}

function decodedLength(base64: unknown): number {
  return Math.floor(String(base64).replaceAll("=", "").length * 3 / 4);
}
