import type { ObjectMeta as AnyObjectMeta, OwnerReference } from "kubernetes-types/meta/v1";

export type { OwnerReference };

/** The metadata of an object that an API server has stored. */
export interface ObjectMeta extends AnyObjectMeta {
  name: string;
  uid: string;
  /** Opaque: compare for equality only. */
  resourceVersion: string;
  /** RFC 3339. */
  creationTimestamp: string;
}

/** Any object that an API server has stored. Fields that no type of ours names are there too, and are kept. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

/** A type of `kubernetes-types` as an API server hands it out: with apiVersion, kind and full metadata. */
export type Stored<T> = Omit<T, "apiVersion" | "kind" | "metadata"> & KubeObject;

/** An object on its way to the API server, which fills in what is left out. */
export type Unstored<T extends KubeObject> =
  & Omit<T, "metadata" | "status">
  & { metadata: AnyObjectMeta; status?: unknown };

/** Read-only all the way down: what caches hand out. */
export type DeepReadonly<T> = T extends string | ((...args: never[]) => unknown) ? T
  : T extends (infer Item)[] ? readonly DeepReadonly<Item>[]
  : T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
  : T;

/** The namespace and name of an object. */
export interface ObjectName {
  name: string;
  namespace?: string | undefined;
}

/** A change of an object, as it is sent. */
export type Patch =
  | { type: "json"; operations: readonly unknown[] }
  | { type: "merge"; body: unknown }
  | { type: "strategic"; body: unknown }
  | { type: "apply"; body: unknown; fieldManager: string; force?: boolean };

/** `namespace/name`, or `name` alone for an object without a namespace. */
export type ObjectKey = string;

/** Returns the key of an object, or of anything that has its name and namespace. */
export function keyOf(
  object: { readonly metadata: { readonly name?: string; readonly namespace?: string | undefined } },
): ObjectKey {
  return makeKey(object.metadata.namespace, object.metadata.name ?? "");
}

/** Returns `namespace/name`, or the name alone of what has no namespace. */
export function makeKey(namespace: string | undefined, name: string): ObjectKey {
  return namespace ? `${namespace}/${name}` : name;
}

/** Returns the reverse of {@linkcode makeKey}. */
export function splitKey(key: ObjectKey): { namespace: string | undefined; name: string } {
  const slash = key.indexOf("/");
  return slash < 0
    ? { namespace: undefined, name: key }
    : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** Returns the owner reference that says `controller: true`, of which Kubernetes allows one. */
export function controllerOf({ metadata }: Owned): DeepReadonly<OwnerReference> | undefined {
  return metadata.ownerReferences?.find((reference) => reference.controller);
}

/** Anything that may have owners. */
export interface Owned {
  readonly metadata: { readonly ownerReferences?: readonly DeepReadonly<OwnerReference>[] | undefined };
}
