import type { FieldError, Json, ResourceKind } from "../../resource_kind.ts";
import {
  all,
  atMostBytes,
  type Check,
  each,
  immutable,
  MAX_WHOLE,
  must,
  NOT_NEGATIVE,
  oneOf,
  orElse,
  REQUIRED,
  requiredAs,
  rules,
} from "./check.ts";
import { eachInvalid, type Findings, forbidden, found, invalidValue, required, tooLong } from "./field_errors.ts";
import { byteLength, labelErrors, labelValueErrors, qualifiedNameErrors, subdomainErrors } from "./names.ts";

const MAX_ANNOTATION_BYTES = 256 * 1024;
const MAX_MANAGER_BYTES = 128;
const MAX_SUBRESOURCE_BYTES = 256;
const STANDARD_FINALIZERS = ["orphan", "foregroundDeletion", "kubernetes"];

type Named = Pick<ResourceKind, "namespaced" | "validateName" | "custom">;

/** Returns what is wrong with the metadata of a new object. */
export function validateObjectMeta(meta: Json, kind: Named): FieldError[] {
  const { name, generateName } = meta;
  return found(
    generateName && eachInvalid("metadata.generateName", generateName, kind.validateName(generateName, true)),
    name
      ? eachInvalid("metadata.name", name, kind.validateName(name, false))
      : required("metadata.name", "name or generateName is required"),
    validateCommonMeta(meta, kind),
  );
}

/** Returns what is wrong with changed metadata; its name is that of the URL. */
export function validateObjectMetaUpdate(meta: Json, old: Json, kind: Named): FieldError[] {
  return found(validateCommonMeta(meta, kind), changes(meta, old));
}

function validateCommonMeta(meta: Json, { namespaced, custom }: Named): Findings {
  const at = "metadata.namespace", { namespace } = meta;
  return [
    !namespaced
      ? namespace && forbidden(at, "not allowed on this type")
      : namespace
      ? eachInvalid(at, namespace, labelErrors(namespace))
      : required(at),
    META(meta, "metadata"),
    !custom && validateKubeFinalizers(meta),
  ];
}

/** Returns what is wrong with labels, sorted by key. */
export function validateLabels(labels: Record<string, string> | undefined, path: string): Findings {
  return Object.entries(labels ?? {}).sort(byKey).map(([key, value]) => [
    eachInvalid(path, key, qualifiedNameErrors(key)),
    eachInvalid(path, value, labelValueErrors(value)),
  ]);
}

/** Returns what is wrong with annotations: their keys, and how large they are together. */
export function validateAnnotations(annotations: Record<string, string> | undefined, path: string): Findings {
  const entries = Object.entries(annotations ?? {}).sort(byKey);
  const bytes = entries.reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0);
  return [
    entries.map(([key]) => eachInvalid(path, key, qualifiedNameErrors(key.toLowerCase()))),
    bytes > MAX_ANNOTATION_BYTES && tooLong(path, MAX_ANNOTATION_BYTES),
  ];
}

const NOT_EMPTY = "must not be empty";

const notEmpty = (why: string): Check => (value, at) => !value && invalidValue(at, value ?? "", why);

/** Kubernetes leaves out which of the references it is. */
const OWNER: Check = rules(
  "apimachinery validateOwnerReference",
  ["apiVersion", orElse(""), notEmpty("version must not be empty")],
  [["kind", "name", "uid"], orElse(""), notEmpty(NOT_EMPTY)],
  ({ apiVersion, kind, name, uid }, at) =>
    apiVersion === "v1" && kind === "Event" &&
    invalidValue(at, { apiVersion, kind, name, uid }, "/v1, Kind=Event is disallowed from being an owner"),
);

function ownerReferences(references: Json[], at: string): Findings {
  const controllers = references.filter(({ controller }) => controller === true);
  const [first] = controllers, told = new Set(controllers.slice(1, MAX_WHOLE + 1));
  return references.map((reference) => {
    const both = [first, reference].map((one) => `${one?.kind}/${one?.name}`).join(" and ");
    const why = `Only one reference can have Controller set to true. Found "true" in references for ${both}`;
    return [
      OWNER(reference, at),
      told.has(reference) && invalidValue(at, references, why),
    ];
  });
}

function finalizers(names: string[], at: string): Findings {
  return [
    names.map((name) => eachInvalid(at, name, qualifiedNameErrors(name))),
    names.includes("orphan") && names.includes("foregroundDeletion") &&
    invalidValue(at, names, "finalizer orphan and foregroundDeletion cannot be both set"),
  ];
}

/** Core `validateKubeFinalizerName`, for every kind but custom ones. */
function kubeFinalizer(name: string, at: string): Findings {
  const why = "name is neither a standard finalizer name nor is it fully qualified";
  return !name.includes("/") && !STANDARD_FINALIZERS.includes(name) && invalidValue(at, name, why);
}

function validateKubeFinalizers({ finalizers = [] }: Json): Findings {
  return finalizers.map((name: string, index: number) => kubeFinalizer(name, `metadata.finalizers[${index}]`));
}

/** Core `validateFinalizerName`, of what holds a namespace. */
export function validateFinalizerNames(names: readonly string[], place: (index: number) => string): Findings {
  return names.map((name, index) => [
    eachInvalid(place(index), name, qualifiedNameErrors(name)),
    kubeFinalizer(name, place(index)),
  ]);
}

/** The name of a field manager; meta `ValidateFieldManager`. */
export const validateFieldManager: Check = all(
  atMostBytes(MAX_MANAGER_BYTES),
  must("must have printable characters alone", (manager: string) => !/[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.test(manager)),
);

const MANAGED_FIELDS = rules(
  "meta ValidateManagedFields",
  ["operation", requiredAs(NOT_EMPTY), oneOf("Apply", "Update")],
  ["fieldsType", must("must be `FieldsV1`", (type: string) => type === "FieldsV1")],
  ["manager", validateFieldManager],
  ["subresource", atMostBytes(MAX_SUBRESOURCE_BYTES)],
);

const META = rules(
  "apimachinery ValidateObjectMetaAccessor",
  ["generation", NOT_NEGATIVE],
  ["labels", validateLabels],
  ["annotations", validateAnnotations],
  ["ownerReferences", ownerReferences],
  ["finalizers", finalizers],
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
function changes(meta: Json, old: Json): Findings {
  const before = new Set(old.finalizers),
    added = (meta.finalizers ?? []).filter((one: string) => !before.has(one)).sort();
  const list = added.map((one: string) => JSON.stringify(one)).join(", ");
  const why = "no new finalizers can be added if the object is being deleted, found new finalizers";
  return [
    old.deletionTimestamp && added.length > 0 && forbidden("metadata.finalizers", `${why} []string{${list}}`),
    NEVER_CHANGES.map((name) => immutable(`metadata.${name}`, meta[name], old[name])),
  ];
}

/** `example.com/mine`: a domain with a path. */
export const DOMAIN_PREFIXED_PATH: Check = rules("apimachinery IsDomainPrefixedPath", [
  "",
  REQUIRED,
  must("must be a domain and a path, as in example.com/mine", (value: string) => {
    const [domain = "", ...path] = value.split("/");
    return subdomainErrors(domain).length === 0 && /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(path.join("/"));
  }),
]);

function byKey([a]: [string, string], [b]: [string, string]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
