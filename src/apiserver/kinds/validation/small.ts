import { isDeepStrictEqual } from "node:util";
import type { FieldError, Json } from "../../resource_kind.ts";
import { eachInvalid, forbidden, immutable, invalidValue, notNegative, required, tooLong } from "./field_errors.ts";
import { configKeyErrors, qualifiedNameErrors } from "./names.ts";

// The kinds whose rules fill less than a page.

const MAX_DATA_BYTES = 1024 * 1024;

export function validateConfigMap({ data = {}, binaryData = {} }: Json): FieldError[] {
  const errors: FieldError[] = [];
  for (const key of Object.keys(data).sort()) {
    errors.push(...eachInvalid(`data[${key}]`, key, configKeyErrors(key)));
    if (Object.hasOwn(binaryData, key)) {
      errors.push(invalidValue("data[" + key + "]", key, "duplicate of key present in binaryData"));
    }
  }
  for (const key of Object.keys(binaryData).sort()) {
    errors.push(...eachInvalid(`binaryData[${key}]`, key, configKeyErrors(key)));
  }
  const bytes = sum(Object.values(data).map(byteLength)) + sum(Object.values(binaryData).map(decodedLength));
  if (bytes > MAX_DATA_BYTES) errors.push(tooLong("", MAX_DATA_BYTES));
  return errors;
}

/** ConfigMaps and Secrets that say `immutable` stay as they are, and stay immutable. */
export function validateImmutableData(object: Json, old: Json): FieldError[] {
  if (old.immutable !== true) return [];
  const reason = "field is immutable when `immutable` is set";
  return [
    ...(object.immutable === true ? [] : [forbidden("immutable", reason)]),
    ...["data", "binaryData"].flatMap((field) =>
      isDeepStrictEqual(object[field], old[field]) ? [] : [forbidden(field, reason)]
    ),
  ];
}

const KEYS_OF_SECRETS: Record<string, readonly string[]> = {
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
  "kubernetes.io/ssh-auth": ["ssh-privatekey"],
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
};

export function validateSecret({ type, data = {} }: Json): FieldError[] {
  const errors: FieldError[] = [];
  for (const key of Object.keys(data).sort()) errors.push(...eachInvalid(`data[${key}]`, key, configKeyErrors(key)));
  if (sum(Object.values(data).map(decodedLength)) > MAX_DATA_BYTES) errors.push(tooLong("data", MAX_DATA_BYTES));
  for (const key of KEYS_OF_SECRETS[type] ?? []) if (!Object.hasOwn(data, key)) errors.push(required(`data[${key}]`));
  if (type === "kubernetes.io/basic-auth" && !Object.hasOwn(data, "username") && !Object.hasOwn(data, "password")) {
    errors.push(required("data[username]"), required("data[password]"));
  }
  return errors;
}

export function validateSecretUpdate(secret: Json, old: Json): FieldError[] {
  return [
    ...immutable("type", secret.type, old.type, isDeepStrictEqual),
    ...validateImmutableData(secret, old),
    ...validateSecret(secret),
  ];
}

export function validateLease({ spec }: Json): FieldError[] {
  const { leaseDurationSeconds, leaseTransitions } = spec;
  return [
    ...(leaseDurationSeconds !== undefined && leaseDurationSeconds <= 0
      ? [invalidValue("spec.leaseDurationSeconds", leaseDurationSeconds, "must be greater than 0")]
      : []),
    ...notNegative("spec.leaseTransitions", leaseTransitions),
  ];
}

/** An Event in the form of the core group, as that group's API takes it. */
export function validateEvent(event: Json): FieldError[] {
  const { metadata, involvedObject = {} } = event;
  const about = involvedObject.namespace ?? "";
  const agrees = about === ""
    ? ["", "default", "kube-system"].includes(metadata.namespace)
    : about === metadata.namespace;
  const errors = agrees ? [] : [invalidValue("involvedObject.namespace", about, "does not match event.namespace")];
  return event.eventTime ? [...errors, ...validateReport(event, "reportingComponent")] : errors;
}

/** The same, as `events.k8s.io/v1` takes it: every Event says who reports it, and when. */
export function validateNewEvent(event: Json): FieldError[] {
  return [
    ...validateEvent(event),
    ...(event.eventTime ? [] : [required("eventTime"), ...validateReport(event, "reportingController")]),
    ...(["Normal", "Warning"].includes(event.type)
      ? []
      : [invalidValue("type", "", `has invalid value: ${event.type ?? ""}`)]),
  ];
}

function validateReport(event: Json, controllerField: string): FieldError[] {
  const { reportingComponent: controller, reportingInstance: instance, action, reason, message } = event;
  const short = (field: string, value: string | undefined) =>
    !value ? [required(field)] : value.length > 128 ? [invalidValue(field, "", "can have at most 128 characters")] : [];
  return [
    ...(controller ? eachInvalid(controllerField, controller, qualifiedNameErrors(controller)) : [
      required(controllerField),
    ]),
    ...short("reportingInstance", instance),
    ...short("action", action),
    ...short("reason", reason),
    ...((message ?? "").length > 1024 ? [invalidValue("message", "", "can have at most 1024 characters")] : []),
  ];
}

function byteLength(text: unknown): number {
  return new TextEncoder().encode(String(text)).length;
}

function decodedLength(base64: unknown): number {
  return Math.floor(String(base64).replaceAll("=", "").length * 3 / 4);
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
