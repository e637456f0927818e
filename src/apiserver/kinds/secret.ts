import { isDeepStrictEqual } from "node:util";
import type { FieldError, Json } from "../resource_kind.ts";
import { KUBERNETES_TYPES } from "../schema/kubernetes_types.ts";
import { isTooLong, TOO_LONG, validateImmutableData, validateKeys } from "./config_map.ts";
import { defineKind } from "./define.ts";
import { since, size } from "./tables/cells.ts";
import { AGE, NAME, text } from "./tables/columns.ts";
import { immutable, invalidValue, required } from "./validation/field_errors.ts";
import { subdomainErrors } from "./validation/names.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "./validation/object_meta.ts";

export const SECRETS = defineKind({
  group: "",
  version: "v1",
  plural: "secrets",
  kind: "Secret",
  namespaced: true,
  schema: KUBERNETES_TYPES.object("core.Secret"),
  selectableFields: { type: ({ type }) => type ?? "" },
  setDefaults,
  validate,
  validateUpdate: (secret, old) => [
    ...validateObjectMetaUpdate(secret, old),
    ...immutable("type", secret.type, old.type, isDeepStrictEqual),
    ...validateImmutableData(secret, old),
    ...validateObjectMeta(secret.metadata, { namespaced: true, custom: false, validateName: subdomainErrors }),
    ...validate(secret),
  ],
  table: {
    columns: [
      NAME,
      text("Type", "What kind of secret this is, which says what keys its data must have."),
      text("Data", "How many keys the data has."),
      AGE,
    ],
    row: ({ metadata, type, data }, now) => ({
      cells: [metadata.name, type, size(data), since(metadata.creationTimestamp, now)],
    }),
  },
});

const ACCOUNT = "kubernetes.io/service-account.name";

/** What each type asks of its Secrets; core `ValidateSecret`. */
const TYPES: Readonly<Record<string, (secret: Json) => FieldError[]>> = {
  "kubernetes.io/service-account-token": ({ metadata }) =>
    metadata.annotations?.[ACCOUNT] ? [] : [required(`metadata.annotations[${ACCOUNT}]`)],
  "kubernetes.io/dockercfg": withJson(".dockercfg"),
  "kubernetes.io/dockerconfigjson": withJson(".dockerconfigjson"),
  "kubernetes.io/basic-auth": ({ data = {} }) =>
    Object.hasOwn(data, "username") || Object.hasOwn(data, "password")
      ? []
      : [required("data[username]"), required("data[password]")],
  "kubernetes.io/ssh-auth": ({ data = {} }) => data["ssh-privatekey"] ? [] : [required("data[ssh-privatekey]")],
  "kubernetes.io/tls": ({ data = {} }) =>
    ["tls.crt", "tls.key"].filter((key) => !Object.hasOwn(data, key)).map((key) => required(`data[${key}]`)),
};

function validate(secret: Json): FieldError[] {
  const { type, data = {} } = secret;
  return [
    ...validateKeys(data, "data"),
    ...(isTooLong({ data, isBase64: true }) ? [TOO_LONG("data")] : []),
    ...TYPES[type]?.(secret) ?? [],
  ];
}

function withJson(key: string): (secret: Json) => FieldError[] {
  return ({ data = {} }) => {
    if (!Object.hasOwn(data, key)) return [required(`data[${key}]`)];
    try {
      JSON.parse(atob(data[key]));
      return [];
    } catch (error) {
      return [invalidValue(`data[${key}]`, "<secret contents redacted>", (error as Error).message)];
    }
  };
}

/** `stringData` is for writing only: it becomes `data`. */
function setDefaults(secret: Json): void {
  secret.type ??= "Opaque";
  for (const [key, text] of Object.entries(secret.stringData ?? {})) {
    (secret.data ??= {})[key] = new TextEncoder().encode(String(text)).toBase64();
  }
  delete secret.stringData;
}
