import { flattened } from "../kinds/nested.ts";
import { found, invalidValue } from "../kinds/validation/field_errors.ts";
import { validateFinalizerNames, validateObjectMetaUpdate } from "../kinds/validation/object_meta.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import { anotherUid, badRequest, invalid, modified, notFound, Refusal } from "../refusals.ts";
import { isVersion } from "../reading/list_options.ts";
import { trackUpdate } from "../patch/managed_fields.ts";
import type { FieldError, Json, ResourceKind } from "../resource_kind.ts";
import type { Transaction } from "../storage/storage.ts";
import { parse, type StoredObject, unstored } from "../storage/stored_object.ts";
import { create, toStorage } from "./create.ts";
import { keepSystemMetadata, raiseGeneration, same, takeNamespace, tidy } from "./metadata.ts";
import type { WriteOptions } from "./write_options.ts";

interface Identity {
  readonly kind: ResourceKind;
  readonly namespace: string;
  readonly name: string;
  /** `""`, `status`, `finalize`. */
  readonly subresource: string;
}

export interface Update extends Identity {
  readonly options: Pick<WriteOptions, "dryRun">;
  /** The wanted object out of the present one, of which it may use all. */
  readonly change: (old: Json, now: EpochMs) => Json;
  /** Of a PUT: what its body says that the object is. */
  readonly precondition?: { readonly uid?: string };
  /** The manager of the fields that change. Undefined: none is recorded, or it has been recorded already. */
  readonly manager: string | undefined;
  /** Advice for the writer is added. */
  readonly warnings: string[];
  /** Makes the object where there is none. */
  readonly createInstead?: (now: EpochMs) => Json;
}

/**
 * Stores a new version of an object, unless it says what is stored already; returns it as it is stored, or would be but for
 * a dry run.
 *
 * @throws {Refusal}
 */
export function update(tx: Transaction, change: Update): { stored: StoredObject; created: boolean } {
  const { kind, namespace, name } = change, uid = change.precondition?.uid;
  const stored = tx.get(kind.storage, namespace, name);
  if (!stored && !change.createInstead) throw notFound(kind, name);
  const found: string = stored?.metadata.uid ?? "";
  if (uid && uid !== found) throw anotherUid(kind, name, uid, found);
  if (!stored) {
    const object = change.createInstead!(tx.now);
    checkAddressed(object, change);
    return { stored: create(tx, object, { ...change, insteadOfUpdate: true }), created: true };
  }
  return { stored: replace(tx, stored, change), created: false };
}

/** Stores what takes the place of an object. */
function replace(tx: Transaction, stored: StoredObject, change: Update): StoredObject {
  const { kind, name } = change;
  const old = kind.fromStored ? kind.fromStored(parse(stored)) : parse(stored);
  const object = change.change(structuredClone(old), tx.now);
  checkAddressed(object, change);
  checkVersion(object, stored, change);
  keepSystemMetadata(object, old);
  kind.setDefaults(object);
  if (change.manager !== undefined) trackUpdate(object, old, { ...change, manager: change.manager, now: tx.now });
  const ofKind = prepareAndValidate(object, old, change);
  const errors = [...validateObjectMetaUpdate(object.metadata, old.metadata, kind), ...ofKind];
  if (errors.length) throw invalid(kind, name, errors);
  if (change.subresource === "") {
    // An earlier write has warned of an unchanged spec.
    const isChanged = kind.generation === "none" || object.metadata.generation !== old.metadata.generation;
    flattened([isChanged && kind.warnings(object, old), kind.advice?.(object, tx.now)], change.warnings);
  }
  object.metadata.resourceVersion = old.metadata.resourceVersion;
  const next = tidy(object, kind);
  if (same(withoutTimes(next), withoutTimes(tidy(old, kind)))) return stored;
  const made = toStorage(next, kind);
  if (!change.options.dryRun && !isOver(next)) return tx.put(kind.storage, made);
  // The answer is the object as it would have been; watchers see the last state that was stored.
  if (!change.options.dryRun) tx.delete(stored);
  return unstored(kind.storage, made, tx.now);
}

/** Returns what is wrong with an object, or with its subresource, that is made ready to take the place of `old`. */
function prepareAndValidate(object: Json, old: Json, { kind, subresource }: Update): FieldError[] {
  switch (subresource) {
    case "status":
      kind.prepareForStatusUpdate(object, old);
      return kind.validateStatusUpdate(object, old);
    case "finalize": {
      const { finalizers = [] } = object.spec ?? {};
      for (const field of ["spec", "status"]) object[field] = structuredClone(old[field]);
      object.spec.finalizers = finalizers;
      if (!finalizers.length) delete object.spec.finalizers;
      return found(validateFinalizerNames(finalizers, (index) => `spec.finalizers[${index}]`));
    }
    default:
      kind.prepareForUpdate(object, old);
      raiseGeneration(object, old, kind);
      return kind.validateUpdate(object, old);
  }
}

/** A new time of the same write is no change. */
function withoutTimes(object: Json): Json {
  const { managedFields, ...metadata } = object.metadata;
  if (!managedFields) return object;
  const owners = managedFields.map(({ time: _time, ...owner }: Json) => owner);
  return { ...object, metadata: { ...metadata, managedFields: owners } };
}

/** Returns whether nothing holds a deleted object back any more. */
export function isOver(object: Json): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata;
  if (deletionTimestamp === undefined || finalizers?.length) return false;
  if (object.kind === "Namespace" && object.apiVersion === "v1") return !object.spec?.finalizers?.length;
  return !deletionGracePeriodSeconds;
}

/**
 * Checks that an object is the one that the URL names.
 *
 * @throws {Refusal} 400
 */
export function checkAddressed(object: Json, { kind, name, namespace }: Omit<Identity, "subresource">): void {
  takeNamespace(object, kind, namespace);
  const { metadata } = object;
  if (!metadata.name) {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  if (metadata.name !== name) {
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`);
  }
}

function checkVersion({ metadata }: Json, stored: StoredObject, { kind, name }: Update): void {
  const version: string = metadata.resourceVersion || "0";
  if (!isVersion(version)) {
    throw new Refusal(500, "", `metadata.resourceVersion must be a whole number, not ${version}`);
  }
  if (Number(version) === 0) {
    if (!kind.allowsUnconditionalUpdate) {
      const missing = invalidValue("metadata.resourceVersion", 0, "must be specified for an update");
      throw invalid({ group: kind.group, kind: kind.plural }, name, [missing]);
    }
  } else if (Number(version) !== stored.version) throw modified(kind, name);
}
