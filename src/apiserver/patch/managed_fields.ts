import { type EpochMs, formatTime, parseTime } from "../../base/epoch_ms.ts";
import type { Json, ResourceKind } from "../resource_kind.ts";
import { apiVersionOf } from "../../kube/resource.ts";
import { FieldSet } from "./field_set.ts";
import { compareValues, type Comparison } from "./typed_value.ts";

/** More managers that only ever updated are thrown together. */
const MAX_UPDATE_MANAGERS = 10;
const ANCIENT = "ancient-changes";

export type Operation = "Apply" | "Update";

/** A manager, its operation, and the part of an object that it concerns. */
export interface FieldManager {
  readonly manager: string;
  readonly operation: Operation;
  readonly apiVersion: string;
  readonly subresource: string;
}

/** The fields that one manager owns. */
export interface Ownership extends FieldManager {
  readonly fields: FieldSet;
  /** RFC 3339; absent where nothing was ever changed. */
  readonly time: string | undefined;
}

export interface Tracking {
  readonly kind: ResourceKind;
  /** `""` for the object itself. */
  readonly subresource: string;
  readonly manager: string;
  readonly now: EpochMs;
}

/**
 * Notes in `object.metadata.managedFields` which fields a create or an update (not an apply) has set. `object` has its defaults
 * already, but nothing yet that the server generates: no manager owns that.
 *
 * @param old the object before; undefined for a new one
 */
export function trackUpdate(object: Json, old: Json | undefined, tracking: Tracking): void {
  const given = object.metadata.managedFields as Json[] | undefined;
  if (given?.length === 1 && given.every((entry) => Object.keys(entry).length === 0)) {
    // An empty entry asks for a fresh start.
    delete object.metadata.managedFields;
    return;
  }
  const owners = readOwnerships(given?.length ? given : old?.metadata.managedFields ?? []);
  const before = bare(old ?? emptyObject(tracking.kind));
  const after = bare(object);
  const comparison = compareTracked(before, after, tracking);
  const changed = comparison.modified.union(comparison.added);
  const self = managerOf("Update", tracking);
  const taken = withoutSystemFields(changed);
  const others = withoutFields(owners, changed.union(comparison.removed), self);
  const mine = others.find((owner) => isSame(owner, self));
  const result = taken.isEmpty ? others : [
    ...others.filter((owner) => owner !== mine),
    { ...self, fields: mine ? mine.fields.union(taken) : taken, time: formatTime(tracking.now) },
  ];
  writeOwnerships(object, capped(result));
}

/** Returns what a write changed, but for fields that the write may not set. */
export function compareTracked(before: Json, after: Json, { kind, subresource }: Tracking): Comparison {
  const reset = resetFields(kind, subresource);
  const { added, modified, removed } = compareValues(before, after, kind.schema);
  return {
    added: added.recursiveDifference(reset),
    modified: modified.recursiveDifference(reset),
    removed: removed.recursiveDifference(reset),
  };
}

/** Returns what a write to this endpoint has no say over, so that no manager owns it through it. */
export function resetFields(kind: ResourceKind, subresource: string): FieldSet {
  const set = new FieldSet();
  const hasStatus = kind.subresources.some(({ name }) => name === "status");
  if (subresource === "status") {
    const kept = kind.custom ? ["status"] : ["status", "metadata"];
    for (const field of [...Object.keys(kind.schema.properties ?? {}), "spec", "metadata"]) {
      if (!kept.includes(field)) set.insert([`f:${field}`]);
    }
  } else if (hasStatus) set.insert(["f:status"]);
  return set;
}

const SYSTEM_METADATA = [
  "name",
  "namespace",
  "creationTimestamp",
  "selfLink",
  "uid",
  "generation",
  "managedFields",
  "resourceVersion",
];

const SYSTEM_FIELDS = FieldSet.fromFieldsV1({
  "f:apiVersion": {},
  "f:kind": {},
  "f:metadata": { ".": {}, ...Object.fromEntries(SYSTEM_METADATA.map((field) => [`f:${field}`, {}])) },
});

/** No manager owns what identifies an object, nor what only the server sets. */
export function withoutSystemFields(set: FieldSet): FieldSet {
  return set.difference(SYSTEM_FIELDS);
}

/** Returns the manager that a write goes by. */
export function managerOf(operation: Operation, { kind, manager, subresource }: Tracking): FieldManager {
  return { manager, operation, apiVersion: apiVersionOf(kind), subresource };
}

/** Returns whether two are one manager; the time of their last write does not count. */
export function isSame(a: FieldManager, b: FieldManager): boolean {
  return a.manager === b.manager && a.operation === b.operation && a.apiVersion === b.apiVersion &&
    a.subresource === b.subresource;
}

/** Paths of another version of the API are not ours to compare. */
export function comparable(a: FieldManager, b: FieldManager): boolean {
  return a.apiVersion === b.apiVersion;
}

/** Returns what managers are left with who lose fields to `taker`; those who are left with nothing are gone. */
export function withoutFields(owners: readonly Ownership[], lost: FieldSet, taker: FieldManager): Ownership[] {
  return owners
    .map((owner) => comparable(owner, taker) ? { ...owner, fields: owner.fields.difference(lost) } : owner)
    .filter(({ fields }) => !fields.isEmpty);
}

/** Reads `metadata.managedFields`. */
export function readOwnerships(entries: readonly Json[]): Ownership[] {
  return entries.map((entry) => ({
    manager: entry.manager ?? "",
    operation: entry.operation === "Apply" ? "Apply" : "Update",
    apiVersion: entry.apiVersion ?? "",
    subresource: entry.subresource ?? "",
    time: entry.time ?? undefined,
    fields: FieldSet.fromFieldsV1(entry.fieldsV1 ?? {}),
  }));
}

/** Puts the ownerships into the object, in the order that Kubernetes gives them. */
export function writeOwnerships(object: Json, ownerships: readonly Ownership[]): void {
  const entries = [...ownerships].sort(byOperationTimeName).map((owner) => ({
    manager: owner.manager,
    operation: owner.operation,
    apiVersion: owner.apiVersion,
    ...(owner.time ? { time: owner.time } : {}),
    fieldsType: "FieldsV1",
    fieldsV1: owner.fields.toFieldsV1(),
    ...(owner.subresource ? { subresource: owner.subresource } : {}),
  }));
  if (entries.length > 0) object.metadata.managedFields = entries;
  else delete object.metadata.managedFields;
}

function byOperationTimeName(a: Ownership, b: Ownership): number {
  const text = (one: string, other: string) => one < other ? -1 : one > other ? 1 : 0;
  return text(a.operation, b.operation) || (parseTime(a.time) ?? 0) - (parseTime(b.time) ?? 0) ||
    text(a.manager, b.manager) || text(a.apiVersion, b.apiVersion) || text(a.subresource, b.subresource);
}

/** Throws the oldest updates together until few enough are left. */
function capped(ownerships: readonly Ownership[]): readonly Ownership[] {
  const updates = ownerships.filter(({ operation }) => operation === "Update").sort(byOperationTimeName);
  const surplus = updates.length - MAX_UPDATE_MANAGERS;
  if (surplus <= 0) return ownerships;
  const ancient = updates.slice(0, surplus + 1);
  const merged = Map.groupBy(ancient, ({ apiVersion, subresource }) => `${apiVersion} ${subresource}`).values()
    .map((alike) => alike.reduce((one, next) => ({ ...next, fields: one.fields.union(next.fields) })))
    .map((owner) => ({ ...owner, manager: ANCIENT }));
  return [...ownerships.filter((owner) => !ancient.includes(owner)), ...merged];
}

/** Returns the object without the record itself, and without what says only what kind of object it is. */
export function bare(object: Json): Json {
  const { metadata: { managedFields: _managedFields, ...metadata } = {} as Json, ...rest } = object;
  return { ...rest, metadata };
}

const EMPTY_OBJECTS = new WeakMap<ResourceKind, Json>();

/** Returns an object without any field of a manager: a struct that is always there is there. Not to be changed. */
export function emptyObject(kind: ResourceKind): Json {
  return EMPTY_OBJECTS.getOrInsertComputed(
    kind,
    () => kind.custom ? { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: {} } : kind.read({}).object,
  );
}
