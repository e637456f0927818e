import { createHash } from "node:crypto";
import type { FieldError, Json, ResourceKind, Subresource, WriteContext } from "../resource_kind.ts";
import { typedObject } from "../schema/typed_object.ts";
import { subdomainErrors } from "./validation/names.ts";
import { NAME_AND_CREATED } from "./tables/columns.ts";
import { validateObjectMetaUpdate } from "./validation/object_meta.ts";

const ALL_VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** `status` with the verbs that it has everywhere. */
export const STATUS: Subresource = { name: "status", verbs: ["get", "patch", "update"] };

type Essentials = Pick<ResourceKind, "group" | "version" | "plural" | "kind" | "namespaced" | "schema">;

/** Returns a kind from what is particular to it; the rest is what most kinds of Kubernetes do. */
export function defineKind(kind: Essentials & Partial<ResourceKind>): ResourceKind {
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
    setDefaults: nothing,
    prepareForCreate: nothing,
    prepareForUpdate: nothing,
    prepareForStatusUpdate: takeSpecFrom,
    validate: noErrors,
    validateUpdate: (object, old, context) => [
      ...validateObjectMetaUpdate(object, old),
      ...kind.validate?.(object, context) ?? [],
    ],
    validateStatusUpdate: validateObjectMetaUpdate,
    warnings: () => [],
    table: NAME_AND_CREATED,
    ...kind,
  };
}

/** As kube-apiserver computes it: discovery shows it, so that clients notice a change of the stored form. */
export function storageVersionHash(group: string, version: string, kind: string): string {
  return createHash("sha256").update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString("base64");
}

/** What most kinds do with a write to their status: everything else is as it was, metadata excepted. */
export function takeSpecFrom(object: Json, old: Json): void {
  copyField("spec", old, object);
}

/** What most kinds do with a write to the object itself: its status is as it was. */
export function takeStatusFrom(object: Json, old: Json): void {
  copyField("status", old, object);
}

/** Makes a field of `to` what it is in `from`; absent where it is absent there. */
export function copyField(name: string, from: Json, to: Json): void {
  if (from[name] === undefined) delete to[name];
  else to[name] = structuredClone(from[name]);
}

/** Changes `object` so that only its status differs from `old`. */
export function takeAllButStatusFrom(object: Json, old: Json, _context: WriteContext): void {
  const { status, metadata } = object;
  for (const key of Object.keys(object)) delete object[key];
  Object.assign(object, structuredClone(old));
  object.metadata.managedFields = metadata?.managedFields;
  if (object.metadata.managedFields === undefined) delete object.metadata.managedFields;
  if (status === undefined) delete object.status;
  else object.status = status;
}

function nothing(): void {}

function noErrors(): FieldError[] {
  return [];
}
