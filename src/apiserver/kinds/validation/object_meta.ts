import { isDeepStrictEqual } from "node:util";
import type { FieldError, Json, ResourceKind } from "../../resource_kind.ts";
import { type Check, each, must, named, NOT_NEGATIVE, oneOf, REQUIRED, rules } from "./check.ts";
import { eachInvalid, forbidden, immutable, invalidValue, required, tooLong } from "./field_errors.ts";
import { labelErrors, labelValueErrors, qualifiedNameErrors, subdomainErrors } from "./names.ts";

const MAX_ANNOTATION_BYTES = 256 * 1024;
const MAX_MANAGER_BYTES = 128;
const MAX_SUBRESOURCE_BYTES = 256;
const STANDARD_FINALIZERS = ["orphan", "foregroundDeletion", "kubernetes"];

type Named = Pick<ResourceKind, "namespaced" | "validateName" | "custom">;

/** What is wrong with the metadata of a new object, or of a changed one as a whole. */
export function validateObjectMeta(meta: Json, kind: Named): FieldError[] {
  const field = (name: string) => `metadata.${name}`;
  return [
    ...(meta.generateName
      ? eachInvalid(field("generateName"), meta.generateName, kind.validateName(meta.generateName, true))
      : []),
    ...(meta.name
      ? eachInvalid(field("name"), meta.name, kind.validateName(meta.name, false))
      : [required(field("name"), "name or generateName is required")]),
    ...validateCommonMeta(meta, kind),
    ...(kind.custom ? [] : validateKubeFinalizers(meta)),
  ];
}

/** What every update is checked for, before a kind's own rules. Its name is that of the URL. */
export function validateCommonUpdate({ metadata }: Json, old: Json, kind: Named): FieldError[] {
  return [...validateCommonMeta(metadata, kind), ...changes(metadata, old.metadata)];
}

/** What the rules of a kind say of changed metadata once more. */
export function validateMetaUpdate({ metadata }: Json, { metadata: old }: Json): FieldError[] {
  return changes(metadata, old);
}

/** The same of the kinds that Kubernetes itself has. */
export function validateObjectMetaUpdate(object: Json, old: Json): FieldError[] {
  return [...validateMetaUpdate(object, old), ...validateKubeFinalizers(object.metadata)];
}

function validateCommonMeta(meta: Json, { namespaced }: Pick<Named, "namespaced">): FieldError[] {
  const at = "metadata.namespace";
  const namespace = !namespaced
    ? meta.namespace ? [forbidden(at, "not allowed on this type")] : []
    : meta.namespace
    ? eachInvalid(at, meta.namespace, labelErrors(meta.namespace))
    : [required(at)];
  return [...namespace, ...META(meta, "metadata", undefined)];
}

export function validateLabels(labels: Record<string, string> | undefined, path: string): FieldError[] {
  return Object.entries(labels ?? {}).sort(byKey).flatMap(([key, value]) => [
    ...eachInvalid(path, key, qualifiedNameErrors(key)),
    ...eachInvalid(path, value, labelValueErrors(value)),
  ]);
}

export function validateAnnotations(annotations: Record<string, string> | undefined, path: string): FieldError[] {
  const entries = Object.entries(annotations ?? {}).sort(byKey);
  const bytes = entries.reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0);
  return [
    ...entries.flatMap(([key]) => eachInvalid(path, key, qualifiedNameErrors(key.toLowerCase()))),
    ...(bytes > MAX_ANNOTATION_BYTES ? [tooLong(path, MAX_ANNOTATION_BYTES)] : []),
  ];
}

const NOT_EMPTY = "must not be empty";

/** Kubernetes leaves out which of the references it is. */
function ownerReferences(references: Json[], at: string): FieldError[] {
  let controller: string | undefined;
  return references.flatMap((reference) => {
    const { apiVersion = "", kind, name, uid } = reference;
    const missing = (field: string, why = NOT_EMPTY) =>
      reference[field] ? [] : [invalidValue(`${at}.${field}`, reference[field] ?? "", why)];
    const errors = [
      ...missing("apiVersion", "version must not be empty"),
      ...missing("kind"),
      ...missing("name"),
      ...missing("uid"),
      ...(apiVersion === "v1" && kind === "Event"
        ? [invalidValue(at, { apiVersion, kind, name, uid }, "/v1, Kind=Event is disallowed from being an owner")]
        : []),
    ];
    if (reference.controller !== true) return errors;
    const first = controller, own = `${kind}/${name}`;
    controller ??= own;
    if (first === undefined) return errors;
    const why =
      `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${own}`;
    return [...errors, invalidValue(at, references, why)];
  });
}

function finalizers(names: string[], at: string): FieldError[] {
  return [
    ...names.flatMap((name) => eachInvalid(at, name, qualifiedNameErrors(name))),
    ...(names.includes("orphan") && names.includes("foregroundDeletion")
      ? [invalidValue(at, names, "finalizer orphan and foregroundDeletion cannot be both set")]
      : []),
  ];
}

/** Core `validateKubeFinalizerName`, for every kind but custom ones. */
function validateKubeFinalizers({ finalizers = [] }: Json): FieldError[] {
  const why = "name is neither a standard finalizer name nor is it fully qualified";
  return finalizers.flatMap((name: string, index: number) =>
    name.includes("/") || STANDARD_FINALIZERS.includes(name)
      ? []
      : [invalidValue(`metadata.finalizers[${index}]`, name, why)]
  );
}

const MANAGED_FIELDS = rules(
  "meta ValidateManagedFields",
  [
    "",
    ({ operation }: Json, at, scope) =>
      operation
        ? oneOf("Apply", "Update")(operation, `${at}.operation`, scope)
        : [required(`${at}.operation`, NOT_EMPTY)],
  ],
  ["fieldsType", must("must be `FieldsV1`", (type: string) => type === "FieldsV1")],
  ["manager", validateFieldManager],
  ["subresource", atMost(MAX_SUBRESOURCE_BYTES)],
);

/** Who sets fields; meta `ValidateFieldManager`. */
export function validateFieldManager(manager: string, at: string): FieldError[] {
  const unprintable = [...manager.matchAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]|(?! )\p{Zs}/gu)];
  return [
    ...atMost(MAX_MANAGER_BYTES)(manager, at, undefined),
    ...unprintable.map((match) => {
      const code = match[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
      return invalidValue(
        at,
        manager,
        `invalid character U+${code} (at position ${byteLength(manager.slice(0, match.index))})`,
      );
    }),
  ];
}

function atMost(bytes: number): Check {
  return (text: string, at) => byteLength(text) > bytes ? [tooLong(at, bytes)] : [];
}

const LABELS_AND_OWNERS = rules(
  "apimachinery ValidateObjectMetaAccessor",
  ["labels", validateLabels],
  ["annotations", validateAnnotations],
  ["ownerReferences", ownerReferences],
);
const META = rules(
  "apimachinery ValidateObjectMetaAccessor",
  ["generation", NOT_NEGATIVE],
  ["", LABELS_AND_OWNERS],
  ["finalizers", finalizers],
  ["managedFields", each(MANAGED_FIELDS)],
);
const CHANGED_META = rules(
  "apimachinery ValidateObjectMetaAccessorUpdate",
  ["", LABELS_AND_OWNERS],
  ["managedFields", each(MANAGED_FIELDS)],
);
const NEVER_CHANGES = [
  "name",
  "namespace",
  "uid",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
];

/** The generation has been set by the server before, and the version compared. */
function changes(meta: Json, old: Json): FieldError[] {
  const added = (meta.finalizers ?? []).filter((one: string) => !(old.finalizers ?? []).includes(one)).sort();
  const list = added.map((one: string) => JSON.stringify(one)).join(", ");
  const why = "no new finalizers can be added if the object is being deleted, found new finalizers";
  return [
    ...(old.deletionTimestamp && added.length > 0
      ? [forbidden("metadata.finalizers", `${why} []string{${list}}`)]
      : []),
    ...NEVER_CHANGES.flatMap((name) => immutable(`metadata.${name}`, meta[name], old[name], isDeepStrictEqual)),
    ...CHANGED_META(meta, "metadata", undefined),
  ];
}

/** `example.com/mine`: a domain with a path. */
export const DOMAIN_PREFIXED_PATH: Check = rules("apimachinery IsDomainPrefixedPath", ["", REQUIRED, domainAndPath]);

const PATH = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/;

function domainAndPath(value: string, at: string): FieldError[] {
  const slash = value.indexOf("/"), domain = value.slice(0, slash), path = value.slice(slash + 1);
  if (slash < 1 || path === "") {
    return [invalidValue(at, value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const why = `Invalid path (regex used for validation is '${PATH.source.slice(1, -1).replaceAll("\\/", "/")}')`;
  return [
    ...named(subdomainErrors)(domain, at, undefined),
    ...(PATH.test(path) ? [] : [invalidValue(at, path, why)]),
  ];
}

function byKey([a]: [string, string], [b]: [string, string]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
