import { assertEquals } from "@std/assert";
import { validateObjectMeta, validateObjectMetaUpdate } from "../../../src/apiserver/kinds/validation/object_meta.ts";
import { messageOf } from "../../../src/apiserver/kinds/validation/field_errors.ts";
import type { FieldError, Json, ResourceKind } from "../../../src/apiserver/resource_kind.ts";
import { test } from "../../support/test.ts";

/** As the server stores a new object. */
export function made(kind: ResourceKind, content: Json): Json {
  const { object } = kind.read(content);
  object.metadata = { name: "x", namespace: "n", uid: "11111111-2222-3333-4444-555555555555", ...object.metadata };
  kind.setDefaults(object);
  kind.prepareForCreate(object);
  return object;
}

/** The field of each error and its kind, without the words that explain it: `spec.hostname: Invalid value`. */
export function shown(errors: readonly FieldError[]): string[] {
  return errors.map((error) => `${error.field}: ${messageOf(error).replace(/:.*/s, "")}`);
}

/** What is said of a new object. */
export function refusals(kind: ResourceKind, content: Json): string[] {
  const object = made(kind, content);
  return shown([...validateObjectMeta(object.metadata, kind), ...kind.validate(object)]);
}

/** What is said of a change of it. */
export function changeRefusals(kind: ResourceKind, old: Json, next: Json): string[] {
  return shown([...validateObjectMetaUpdate(next.metadata, old.metadata, kind), ...kind.validateUpdate(next, old)]);
}

/** A rule of Kubernetes: what breaks it, and what is said. */
export type RefusedRow = readonly [title: string, content: Json, errors: readonly string[]];

export function refusedTable(what: string, rows: readonly RefusedRow[], refusalsOf: (content: Json) => string[]): void {
  for (const [title, content, errors] of rows) {
    test(`${what} with ${title} is refused`, () => assertEquals(refusalsOf(content), errors));
  }
}
