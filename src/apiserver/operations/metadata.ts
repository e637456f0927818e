import { type EpochMs, formatTime } from "../../base/epoch_ms.ts";
import { apiVersionOf } from "../../kube/resource.ts";
import { badRequest } from "../refusals.ts";
import type { Json, ResourceKind } from "../resource_kind.ts";
import { META_TYPES } from "../schema/types/meta.ts";
import { repeatedIndexes } from "../sorted_keys.ts";

/** Letters of generated names, as with Kubernetes: no vowels, no lookalikes. */
const SUFFIX_LETTERS = "bcdfghjklmnpqrstvwxz2456789";
const MAX_GENERATED_PREFIX = 58;

/** Returns the prefix, cut where it is too long, with five random letters and digits. */
export function generateName(prefix: string): string {
  let name = prefix.slice(0, MAX_GENERATED_PREFIX);
  for (const byte of crypto.getRandomValues(new Uint8Array(5))) name += SUFFIX_LETTERS[byte % SUFFIX_LETTERS.length];
  return name;
}

/**
 * Rest `EnsureObjectNamespaceMatchesRequestNamespace`.
 *
 * @throws {Refusal}
 */
export function takeNamespace({ metadata }: Json, { namespaced }: ResourceKind, namespace: string): void {
  if (!namespaced) delete metadata.namespace;
  else if (metadata.namespace && metadata.namespace !== namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
}

/** Leaves out owners that stand there twice, and returns the warning of that. */
export function dedupeOwners({ metadata }: Json): string[] {
  const owners: Json[] = metadata.ownerReferences ?? [];
  const twins = new Set(repeatedIndexes(owners));
  if (twins.size === 0) return [];
  metadata.ownerReferences = owners.filter((_, index) => !twins.has(index));
  const uids = [...twins].map((index) => owners[index]!.uid).join(", ");
  return [`metadata.ownerReferences: owners that are named twice are kept once: ${uids}`];
}

/** Gives a new object the metadata that the server alone decides on. */
export function setSystemMetadata(object: Json, kind: ResourceKind, namespace: string, now: EpochMs): void {
  const { metadata } = object;
  if (!metadata.name && metadata.generateName) metadata.name = generateName(metadata.generateName);
  if (kind.namespaced) metadata.namespace = namespace;
  else delete metadata.namespace;
  metadata.uid = crypto.randomUUID();
  metadata.creationTimestamp = formatTime(now);
  for (
    const field of ["resourceVersion", "selfLink", "deletionTimestamp", "deletionGracePeriodSeconds", "generation"]
  ) {
    delete metadata[field];
  }
  if (kind.generation === "spec") metadata.generation = 1;
}

/** Takes over from the old version what an update leaves out or cannot change. */
export function keepSystemMetadata(object: Json, old: Json): void {
  const { metadata } = object;
  metadata.uid ||= old.metadata.uid;
  metadata.creationTimestamp = old.metadata.creationTimestamp;
  if (old.metadata.namespace) metadata.namespace ??= old.metadata.namespace;
  const { deletionTimestamp, deletionGracePeriodSeconds } = old.metadata;
  if (deletionTimestamp !== undefined) metadata.deletionTimestamp = deletionTimestamp;
  if (deletionGracePeriodSeconds !== undefined) metadata.deletionGracePeriodSeconds ??= deletionGracePeriodSeconds;
  if (old.metadata.generation === undefined) delete metadata.generation;
  else metadata.generation = old.metadata.generation;
  delete metadata.selfLink;
}

/** Raises the generation where anything but metadata and status differs. */
export function raiseGeneration(object: Json, old: Json, kind: ResourceKind): void {
  if (kind.generation !== "spec") return;
  const changed = !sameExcept(object, old, ["metadata", "status", "kind", "apiVersion"]);
  object.metadata.generation = (old.metadata.generation ?? 0) + (changed ? 1 : 0);
}

const METADATA_ORDER = Object.keys(META_TYPES.struct("ObjectMeta").properties ?? {});

/** Returns the object as it is stored: kind first, metadata in Kubernetes' order, without what is empty in it. */
export function tidy(object: Json, kind: ResourceKind): Json {
  const { kind: _kind, apiVersion: _apiVersion, metadata, ...rest } = object;
  const ordered: Json = {};
  for (const field of METADATA_ORDER) {
    if (!isEmpty(metadata[field])) ordered[field] = metadata[field];
  }
  return { kind: kind.kind, apiVersion: apiVersionOf(kind), metadata: ordered, ...rest };
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/** Returns whether two JSON values say the same; the order of keys says nothing. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  return sameExcept(a as Json, b as Json, []);
}

function sameExcept(a: Json, b: Json, ignored: readonly string[]): boolean {
  const keysOf = (value: Json) =>
    Object.keys(value).filter((key) => value[key] !== undefined && !ignored.includes(key));
  const keys = keysOf(a);
  return keys.length === keysOf(b).length && keys.every((key) => b[key] !== undefined && same(a[key], b[key]));
}
