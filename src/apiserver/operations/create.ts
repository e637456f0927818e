import type { EpochMs } from "../../base/epoch_ms.ts";
import { flattened } from "../kinds/nested.ts";
import { validateObjectMeta } from "../kinds/validation/object_meta.ts";
import { alreadyExists, generatedNameTaken, invalid, Refusal } from "../refusals.ts";
import { trackUpdate } from "../patch/managed_fields.ts";
import type { FieldError, Json, ResourceKind } from "../resource_kind.ts";
import type { Transaction } from "../storage/storage.ts";
import { type StoredObject, unstored } from "../storage/stored_object.ts";
import { setSystemMetadata, takeNamespace, tidy } from "./metadata.ts";
import { checkNamespace } from "./namespace_gate.ts";
import type { WriteOptions } from "./write_options.ts";

/** How often a generated name that is taken is tried anew. */
const MAX_NAME_ATTEMPTS = 8;

export interface Creation {
  readonly kind: ResourceKind;
  readonly namespace: string;
  readonly options: Pick<WriteOptions, "dryRun">;
  /** The manager of the object's fields. Undefined: none is recorded, or it has been recorded already. */
  readonly manager: string | undefined;
  /** Advice for the writer is added. */
  readonly warnings: string[];
  /** Instead of an update, whose version does not count where there is nothing. */
  readonly insteadOfUpdate?: boolean;
}

/**
 * Stores a new object; returns it as it is stored, or would be but for a dry run.
 *
 * @param object the request's own copy; it is changed
 * @throws {Refusal}
 */
export function create(tx: Transaction, object: Json, creation: Creation): StoredObject {
  const { kind, namespace, options: { dryRun } } = creation;
  const { metadata } = object;
  takeNamespace(object, kind, namespace);
  const namesVersion = /^0*[1-9]\d*$/.test(metadata.resourceVersion ?? "");
  checkNamespace(tx, kind, namespace, metadata.name || metadata.generateName || "Unknown");
  const generated = !metadata.name && Boolean(metadata.generateName);
  setSystemMetadata(object, kind, namespace, tx.now);
  for (let attempt = 1; generated && attempt < MAX_NAME_ATTEMPTS && existing(tx, object, creation); attempt++) {
    delete metadata.name;
    setSystemMetadata(object, kind, namespace, tx.now);
  }
  const errors = complete(object, kind, { now: tx.now, manager: creation.manager });
  if (errors.length) throw invalid(kind, metadata.name ?? "", errors);
  flattened([kind.warnings(object, undefined), kind.advice?.(object, tx.now)], creation.warnings);
  if (namesVersion && !creation.insteadOfUpdate && !dryRun) {
    throw new Refusal(500, "", "resourceVersion should not be set on objects to be created");
  }
  const found = existing(tx, object, creation);
  if (found) {
    const taken = metadata.generateName ? generatedNameTaken : alreadyExists;
    throw taken(kind, metadata.name, found.metadata.deletionTimestamp !== undefined);
  }
  const made = toStorage(object, kind);
  return dryRun ? unstored(kind.storage, made, tx.now) : tx.put(kind.storage, made);
}

/** Completes a new object, which has its system metadata, as its kind demands; returns why it is refused. */
export function complete(
  object: Json,
  kind: ResourceKind,
  { now, manager }: { readonly now: EpochMs; readonly manager?: string | undefined },
): FieldError[] {
  const { metadata } = object;
  kind.setDefaults(object);
  kind.setServerDefaults?.(object);
  if (manager !== undefined) trackUpdate(object, undefined, { kind, subresource: "", manager, now });
  kind.prepareForCreate(object);
  return [...validateObjectMeta(metadata, kind), ...kind.validate(object)];
}

function existing(tx: Transaction, object: Json, { kind }: Creation) {
  return tx.get(kind.storage, object.metadata.namespace ?? "", object.metadata.name);
}

/** Returns the form in which an object of this kind is kept. */
export function toStorage(object: Json, kind: ResourceKind): Json {
  const tidied = tidy(object, kind);
  return kind.toStored ? kind.toStored(tidied) : tidied;
}
