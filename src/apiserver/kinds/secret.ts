import { ownValue } from "../../base/own_value.ts";
import { messageOf } from "../../telemetry/message_of.ts";
import type { FieldError, Json } from "../resource_kind.ts";
import { tooMuch, validateImmutableData, validateKeys } from "./config_map.ts";
import { isObject } from "../is_object.ts";
import { defineKind } from "./define.ts";
import { CORE_TYPES } from "../schema/types/core.ts";
import { size } from "./tables/cells.ts";
import { AGE, NAME, table } from "./tables/columns.ts";
import { immutable } from "./validation/check.ts";
import { type Findings, found, invalidValue, required } from "./validation/field_errors.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "./validation/object_meta.ts";

export const SECRETS = defineKind(CORE_TYPES, "Secret", {
  selectableFields: { type: "" },
  setDefaults,
  validate,
  validateUpdate: (secret, old) =>
    found(
      validateObjectMetaUpdate(secret, old),
      immutable("type", secret.type, old.type),
      validateImmutableData(secret, old),
      validateObjectMeta(secret.metadata),
      validate(secret),
    ),
  table: table({
    Name: NAME,
    Type: ["What kind of secret this is, which says what keys its data must have.", ({ type }) => type],
    Data: ["How many keys the data has.", ({ data }) => size(data)],
    Age: AGE,
  }),
});

const ACCOUNT = "kubernetes.io/service-account.name";

/** The rules of each type of Secret; core `ValidateSecret`. */
const TYPES: Readonly<Record<string, (secret: Json) => Findings>> = {
  "kubernetes.io/service-account-token": ({ metadata }) =>
    !metadata.annotations?.[ACCOUNT] && required(`metadata.annotations[${ACCOUNT}]`),
  "kubernetes.io/dockercfg": withJson(".dockercfg"),
  "kubernetes.io/dockerconfigjson": withJson(".dockerconfigjson"),
  "kubernetes.io/basic-auth": ({ data = {} }) =>
    !["username", "password"].some((key) => Object.hasOwn(data, key)) && withKeys("username", "password")({}),
  "kubernetes.io/ssh-auth": ({ data = {} }) => !data["ssh-privatekey"] && required("data[ssh-privatekey]"),
  "kubernetes.io/tls": withKeys("tls.crt", "tls.key"),
};

function validate(secret: Json): FieldError[] {
  const { type, data = {} } = secret;
  return found(validateKeys(data, "data"), tooMuch("data", {}, data), ownValue(TYPES, type)?.(secret));
}

function withKeys(...keys: string[]): (secret: Json) => Findings {
  return ({ data = {} }) => keys.map((key) => !Object.hasOwn(data, key) && required(`data[${key}]`));
}

function withJson(key: string): (secret: Json) => Findings {
  return ({ data = {} }) => {
    if (!Object.hasOwn(data, key)) return required(`data[${key}]`);
    const why = whyNoObject(Uint8Array.fromBase64(data[key]));
    return why !== undefined && invalidValue(`data[${key}]`, "<secret contents redacted>", why);
  };
}

function whyNoObject(text: Uint8Array): string | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(text));
    return value === null || isObject(value) ? undefined : "must be a JSON object";
  } catch (error) {
    return `must be a JSON object: ${messageOf(error)}`;
  }
}

/** `stringData` is for writing only: it becomes `data`. */
function setDefaults(secret: Json): void {
  secret.type ??= "Opaque";
  for (const [key, text] of Object.entries(secret.stringData ?? {})) {
    (secret.data ??= {})[key] = new TextEncoder().encode(String(text)).toBase64();
  }
  delete secret.stringData;
}
