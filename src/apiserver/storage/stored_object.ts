import type { EpochMs } from "../../schedule/epoch_ms.ts";
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

/** What a write did to one object. */
export interface Change {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** The new version; of a deletion the last state, with the deletion's own resourceVersion. */
  readonly object: StoredObject;
  /** What was there before. Absent for ADDED. */
  readonly previous?: StoredObject;
}

/** Returns a copy of the object that may be changed. */
export function parse(stored: StoredObject): Json {
  return JSON.parse(stored.text);
}

/** Returns a row with what is looked for without reading its text: managed fields are left out of its metadata. */
export function toStored(
  source: { resource: string; version: number; text: string; writtenAt: EpochMs; metadata: Json },
): StoredObject {
  const { managedFields: _, ...metadata } = source.metadata;
  const namespace: string = metadata.namespace ?? "";
  const name: string = metadata.name;
  return {
    resource: source.resource,
    key: namespace ? `${namespace}/${name}` : name,
    namespace,
    name,
    version: source.version,
    text: source.text,
    metadata,
    writtenAt: source.writtenAt,
  };
}
