import type { FieldError, Json, ResourceKind } from "../../resource_kind.ts";
import { type Check, immutable, must, orElse, REQUIRED, rules } from "./check.ts";
import {
  eachInvalid,
  type Findings,
  forbidden,
  found,
  invalidState,
  invalidValue,
  required,
  tooLong,
} from "./field_errors.ts";
import { byteLength, labelErrors, labelValueErrors, qualifiedNameErrors, subdomainErrors } from "./names.ts";

const MAX_ANNOTATION_BYTES = 256 * 1024;
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

const OWNER = rules("apimachinery validateOwnerReference", [
  ["apiVersion", "kind", "name", "uid"],
  orElse(""),
  must("must not be empty", (text: string) => text !== ""),
]);

function ownerReferences(references: Json[], at: string): Findings {
  return [
    // Kubernetes leaves out which of the references it is.
    references.map((reference) => OWNER(reference, at)),
    references.filter(({ controller }) => controller === true).length > 1 &&
    invalidState(at, "only one reference can have controller set to true"),
  ];
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

const META = rules(
  "apimachinery ValidateObjectMetaAccessor",
  ["labels", validateLabels],
  ["annotations", validateAnnotations],
  ["ownerReferences", ownerReferences],
  ["finalizers", finalizers],
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
