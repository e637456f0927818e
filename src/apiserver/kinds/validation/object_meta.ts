import { isDeepStrictEqual } from "node:util";
import type { FieldError, Json, ResourceKind } from "../../resource_kind.ts";
import { eachInvalid, forbidden, immutable, invalidValue, required } from "./field_errors.ts";
import { labelValueErrors, qualifiedNameErrors, subdomainErrors } from "./names.ts";

const MAX_ANNOTATION_BYTES = 256 * 1024;
const STANDARD_FINALIZERS = ["orphan", "foregroundDeletion", "kubernetes"];

type Named = Pick<ResourceKind, "namespaced" | "validateName">;

/** What is wrong with the metadata of a new object. */
export function validateObjectMeta(meta: Json, kind: Named, path = "metadata"): FieldError[] {
  const errors: FieldError[] = [];
  if (meta.generateName) {
    errors.push(...eachInvalid(`${path}.generateName`, meta.generateName, kind.validateName(meta.generateName, true)));
  }
  if (!meta.name) errors.push(required(`${path}.name`, "name or generateName is required"));
  else errors.push(...eachInvalid(`${path}.name`, meta.name, kind.validateName(meta.name, false)));
  if (kind.namespaced && !meta.namespace) errors.push(required(`${path}.namespace`));
  if (!kind.namespaced && meta.namespace) {
    errors.push(forbidden(`${path}.namespace`, "not allowed on this type"));
  }
  if ((meta.generation ?? 0) < 0) {
    errors.push(invalidValue(`${path}.generation`, meta.generation, "must be greater than or equal to 0"));
  }
  errors.push(...validateLabels(meta.labels, `${path}.labels`));
  errors.push(...validateAnnotations(meta.annotations, `${path}.annotations`));
  errors.push(...validateOwnerReferences(meta.ownerReferences ?? [], `${path}.ownerReferences`));
  errors.push(...validateFinalizers(meta.finalizers ?? [], `${path}.finalizers`));
  return errors;
}

/** What is wrong with a change of metadata. The generation has been set by the server before. */
export function validateObjectMetaUpdate(meta: Json, old: Json, path = "metadata"): FieldError[] {
  const errors: FieldError[] = [];
  const mayNotChange = (name: string) => immutable(`${path}.${name}`, meta[name], old[name], isDeepStrictEqual);
  if (old.deletionTimestamp) {
    const added = (meta.finalizers ?? []).filter((one: string) => !(old.finalizers ?? []).includes(one));
    if (added.length > 0) {
      errors.push(forbidden(
        `${path}.finalizers`,
        `no new finalizers can be added if the object is being deleted, found new finalizers []string{${
          added.map((one: string) => JSON.stringify(one)).join(", ")
        }}`,
      ));
    }
  }
  errors.push(...mayNotChange("name"), ...mayNotChange("namespace"), ...mayNotChange("uid"));
  errors.push(...mayNotChange("creationTimestamp"), ...mayNotChange("deletionTimestamp"));
  errors.push(...mayNotChange("deletionGracePeriodSeconds"));
  errors.push(...validateLabels(meta.labels, `${path}.labels`));
  errors.push(...validateAnnotations(meta.annotations, `${path}.annotations`));
  errors.push(...validateOwnerReferences(meta.ownerReferences ?? [], `${path}.ownerReferences`));
  errors.push(...validateFinalizers(meta.finalizers ?? [], `${path}.finalizers`));
  return errors;
}

export function validateLabels(labels: Record<string, string> | undefined, path: string): FieldError[] {
  return Object.entries(labels ?? {}).sort(byKey).flatMap(([key, value]) => [
    ...eachInvalid(path, key, qualifiedNameErrors(key)),
    ...eachInvalid(path, value, labelValueErrors(value)),
  ]);
}

export function validateAnnotations(annotations: Record<string, string> | undefined, path: string): FieldError[] {
  const entries = Object.entries(annotations ?? {}).sort(byKey);
  const errors = entries.flatMap(([key]) => eachInvalid(path, key, qualifiedNameErrors(key.toLowerCase())));
  const bytes = entries.reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0);
  if (bytes > MAX_ANNOTATION_BYTES) {
    errors.push({
      type: "FieldValueTooLong",
      field: path,
      message: `Too long: may not be more than ${MAX_ANNOTATION_BYTES} bytes`,
    });
  }
  return errors;
}

function validateOwnerReferences(references: Json[], path: string): FieldError[] {
  const errors = references.flatMap((reference, index) => {
    const at = `${path}[${index}]`;
    return [
      ...(reference.apiVersion
        ? []
        : [invalidValue(`${at}.apiVersion`, reference.apiVersion, "version must not be empty")]),
      ...(reference.kind ? [] : [invalidValue(`${at}.kind`, reference.kind, "must not be empty")]),
      ...(reference.name ? [] : [invalidValue(`${at}.name`, reference.name, "must not be empty")]),
      ...(reference.uid ? [] : [invalidValue(`${at}.uid`, reference.uid, "must not be empty")]),
      ...(reference.apiVersion === "v1" && reference.kind === "Event"
        ? [invalidValue(at, reference, "/v1, Kind=Event is disallowed from being an owner")]
        : []),
    ];
  });
  const controllers = references.filter(({ controller }) => controller === true);
  if (controllers.length > 1) {
    errors.push(invalidValue(
      path,
      references,
      'Only one reference can have Controller set to true. Found "true" in references for ' +
        controllers.slice(0, 2).map(({ name }) => name).join(" and "),
    ));
  }
  return errors;
}

function validateFinalizers(finalizers: string[], path: string): FieldError[] {
  const errors = finalizers.flatMap((name, index) => {
    const messages = qualifiedNameErrors(name);
    if (messages.length > 0) return eachInvalid(`${path}[${index}]`, name, messages);
    if (!name.includes("/") && !STANDARD_FINALIZERS.includes(name)) {
      return [
        invalidValue(`${path}[${index}]`, name, "name is neither a standard finalizer name nor is it fully qualified"),
      ];
    }
    return [];
  });
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion")) {
    errors.push(invalidValue(
      path,
      finalizers,
      'finalizer "foregroundDeletion" and "orphan" cannot be both set',
    ));
  }
  return errors;
}

/** Whether every one of `keys` is a DNS subdomain with a path, as `example.com/mine`. */
export function domainPrefixedPathErrors(value: string, path: string): FieldError[] {
  if (value === "") return [required(path)];
  const [domain, ...rest] = value.split("/");
  if (rest.length === 0 || domain === "" || rest.join("/") === "") {
    return [invalidValue(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const errors = eachInvalid(path, domain, subdomainErrors(domain));
  if (!/^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(rest.join("/"))) {
    errors.push(
      invalidValue(
        path,
        rest.join("/"),
        "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')",
      ),
    );
  }
  return errors;
}

function byKey([a]: [string, string], [b]: [string, string]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
