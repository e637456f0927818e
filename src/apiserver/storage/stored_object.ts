import type { EpochMs } from "../../base/epoch_ms.ts";
import type { Json } from "../resource_kind.ts";

/** One version of one object, as it is kept in memory. Never changed: a new version is a new value. */
export interface StoredObject {
  /** `group/plural`. */
  readonly resource: string;
  /** `namespace/name`, or `name`. */
  readonly key: string;
  /** Empty for objects without one. */
  readonly namespace: string;
  readonly name: string;
  /** The resourceVersion. */
  readonly version: number;
  /** The whole object as JSON, its resourceVersion included: what is on disk, in answers and in watches. */
  readonly text: string;
  /** Its metadata without managedFields. */
  readonly metadata: Json;
  readonly writtenAt: EpochMs;
}

/** One whose text is read from the disk whenever it is asked for: what is many and seldom read need not fill memory. */
export class SeldomRead implements StoredObject {
  readonly resource: string;
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly version: number;
  readonly metadata: Json;
  readonly writtenAt: EpochMs;
  readonly #read: (version: number) => string;

  /** @param read gives the text of a version that is on disk */
  constructor(stored: StoredObject, read: (version: number) => string) {
    this.resource = stored.resource;
    this.key = stored.key;
    this.namespace = stored.namespace;
    this.name = stored.name;
    this.version = stored.version;
    this.metadata = stored.metadata;
    this.writtenAt = stored.writtenAt;
    this.#read = read;
  }

  get text(): string {
    return this.#read(this.version);
  }
}

/** The effect of a write on one object. */
export interface Change {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** The new version; of a deletion the last state, with the deletion's own resourceVersion. */
  readonly object: StoredObject;
  /** The object before the write. Absent for ADDED. */
  readonly previous?: StoredObject;
}

/** Returns a copy of the object that may be changed. */
export function parse(stored: StoredObject): Json {
  return JSON.parse(stored.text);
}

/** Returns an object as if it had been stored: the answer to a dry run, or the last words on an object that is gone. */
export function unstored(resource: string, object: Json, writtenAt: EpochMs): StoredObject {
  return toStored({ resource, text: JSON.stringify(object), writtenAt, metadata: object.metadata });
}

/** Returns a row with what is looked for without reading its text: managed fields are left out of its metadata. */
export function toStored(
  { resource, text, writtenAt, metadata: { managedFields: _, ...metadata } }: Pick<
    StoredObject,
    "resource" | "text" | "writtenAt" | "metadata"
  >,
): StoredObject {
  const { namespace = "", name, resourceVersion } = metadata;
  const key = namespace ? `${namespace}/${name}` : name;
  return { resource, key, namespace, name, version: Number(resourceVersion), text, metadata, writtenAt };
}
