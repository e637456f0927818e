import { isDeepStrictEqual } from "node:util";
import { formatTime } from "../../base/epoch_ms.ts";
import { Refusal } from "../refusals.ts";
import type { Json } from "../resource_kind.ts";
import { FieldSet, type Path, pathText } from "./field_set.ts";
import {
  bare,
  comparable,
  compareTracked,
  emptyObject,
  isSame,
  managerOf,
  type Ownership,
  readOwnerships,
  resetFields,
  type Tracking,
  withoutFields,
  withoutSystemFields,
  writeOwnerships,
} from "./managed_fields.ts";
import { fieldSetOf, mergeValues, withNamedFields, withoutPaths } from "./typed_value.ts";

export interface Application extends Tracking {
  /** Take fields from managers that own them with another value. */
  readonly force: boolean;
}

/**
 * Server-side apply: `config` is everything that its manager wants. What the manager wanted before and wants no more goes,
 * unless another manager owns it.
 *
 * @param live undefined to make a new object
 * @returns the wanted object, with the ownership of its fields noted
 * @throws {Refusal} 409 naming the fields that others own with another value
 */
export function applyConfiguration(live: Json | undefined, config: Json, application: Application): Json {
  const { kind, subresource, force } = application;
  const before = bare(live ?? emptyObject(kind));
  const owners = readOwnerships(live?.metadata.managedFields ?? []);
  const self = managerOf("Apply", application);
  const previous = owners.find((owner) => isSame(owner, self));
  const reset = resetFields(kind, subresource);
  const said = fieldSetOf(config, kind.schema).recursiveDifference(reset);
  const mine: Ownership = { ...self, fields: withoutSystemFields(said), time: previous?.time };
  const others = owners.filter((owner) => owner !== previous);
  const merged = mergeValues(before, config, kind.schema) as Json;
  const after = previous
    ? prune(merged, previous.fields.recursiveDifference(reset), [...others, { ...mine, fields: said }], application)
    : merged;
  const comparison = compareTracked(before, after, application);
  const changed = comparison.modified.union(comparison.added);
  if (!force) {
    const conflicts = others.filter((owner) => comparable(owner, self)).flatMap((owner) =>
      owner.fields.intersection(changed).paths().map((path) => ({ owner, path }))
    );
    if (conflicts.length > 0) throw conflictRefusal(conflicts);
  }
  const left = withoutFields(others, changed.union(comparison.removed), self);
  const isChanged = !isDeepStrictEqual(before, after);
  const noted = isChanged ? { ...mine, time: formatTime(application.now) } : mine;
  const result = structuredClone(after);
  writeOwnerships(result, [...left, noted].filter(({ fields }) => !fields.isEmpty));
  return result;
}

/**
 * Removes what the manager wanted before and no manager wants now. The name that a configuration says keeps the metadata,
 * of which the manager may have wanted all else that any manager did.
 */
function prune(merged: Json, last: FieldSet, owners: readonly Ownership[], { kind }: Application): Json {
  const { schema } = kind;
  const self = owners.at(-1);
  const owned = owners.filter((owner) => self && comparable(owner, self))
    .reduce((set, { fields }) => set.union(fields), new FieldSet());
  const givenUp = withNamedFields(last, schema).difference(withNamedFields(owned, schema));
  return (withoutPaths(merged, givenUp, schema) ?? {}) as Json;
}

interface Conflict {
  readonly owner: Ownership;
  readonly path: Path;
}

function conflictRefusal(conflicts: readonly Conflict[]): Refusal {
  const causes = conflicts.map(({ owner, path }) => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${ownerText(owner)}`,
    field: pathText(path),
  }));
  const [first, ...others] = causes.map(({ message, field }) => `${message}: ${field}`);
  const list = others.length === 0 ? ` ${first}` : [first, ...others].map((each) => `\n- ${each}`).join("");
  const count = `${causes.length} conflict${others.length === 0 ? "" : "s"}`;
  return new Refusal(409, "Conflict", `Apply failed with ${count}:${list}`, { causes });
}

function ownerText({ manager, operation, apiVersion, subresource, time }: Ownership): string {
  const who = JSON.stringify(manager) + (subresource ? ` with subresource ${JSON.stringify(subresource)}` : "");
  if (operation === "Apply") return who;
  return `${who} using ${apiVersion}${time ? ` at ${time}` : ""}`;
}
