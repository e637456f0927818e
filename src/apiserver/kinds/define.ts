import { createHash } from "node:crypto";
import type { Json, ResourceKind, Subresource } from "../resource_kind.ts";
import type { TypePackage } from "../schema/type_table.ts";
import { typedObject } from "../schema/typed_object.ts";
import { subdomainErrors } from "./validation/names.ts";
import { NAME_AND_CREATED } from "./tables/columns.ts";

const ALL_VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** `status` with the verbs that it has everywhere. */
export const STATUS: Subresource = { name: "status", verbs: ["get", "patch", "update"] };

export const READ_AND_WRITE = ["create", "delete", "get", "patch", "update"];

/** Returns a kind of the core group as an answer: discovery leaves its group and version out. */
export function core(kind: string): Subresource["responseKind"] {
  return { group: "", version: "", kind };
}

type Essentials = Pick<ResourceKind, "group" | "version" | "plural" | "kind" | "namespaced" | "schema">;

/** Returns a kind of Kubernetes' own by its struct, and what is particular to it. */
export function defineKind(types: TypePackage, kind: string, particulars: Partial<ResourceKind> = {}): ResourceKind {
  return completeKind({
    group: types.group,
    version: "v1",
    plural: `${kind.toLowerCase()}s`,
    kind,
    namespaced: true,
    schema: types.object(kind),
    ...particulars,
  });
}

/** Returns a kind from what is known of it; the rest is what most kinds of Kubernetes do. */
export function completeKind(kind: Essentials & Partial<ResourceKind>): ResourceKind {
  const hasStatus = kind.subresources?.includes(STATUS);
  return {
    singular: kind.kind.toLowerCase(),
    listKind: `${kind.kind}List`,
    shortNames: [],
    categories: [],
    verbs: ALL_VERBS,
    subresources: [],
    custom: false,
    storage: `${kind.group}/${kind.plural}`,
    storageVersionHash: storageVersionHash(kind.group, kind.version, kind.kind),
    allowsUnconditionalUpdate: true,
    allowsCreateOnUpdate: false,
    generation: "none",
    defaultPropagation: "Background",
    selectableFields: {},
    validateName: subdomainErrors,
    read: (value) => typedObject(value, kind.schema),
    setDefaults() {},
    prepareForCreate() {},
    prepareForUpdate(object, old) {
      if (hasStatus) copyField("status", old, object);
    },
    prepareForStatusUpdate: (object, old) => copyField("spec", old, object),
    validate: () => [],
    validateUpdate: (object) => kind.validate?.(object) ?? [],
    validateStatusUpdate: () => [],
    warnings: () => [],
    table: NAME_AND_CREATED,
    ...kind,
  };
}

/** As kube-apiserver computes it: discovery shows it, so that clients notice a change of the stored form. */
export function storageVersionHash(group: string, version: string, kind: string): string {
  return createHash("sha256").update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString("base64");
}

/** Makes a field of `to` what it is in `from`; absent where it is absent there. */
export function copyField(name: string, from: Json, to: Json): void {
  if (from[name] === undefined) delete to[name];
  else to[name] = structuredClone(from[name]);
}

/** Changes `object` so that only its status differs from `old`. */
export function takeAllButStatusFrom(object: Json, old: Json): void {
  const { status, metadata } = object;
  for (const key of Object.keys(object)) delete object[key];
  Object.assign(object, structuredClone(old));
  copyField("managedFields", metadata ?? {}, object.metadata);
  copyField("status", { status }, object);
}
