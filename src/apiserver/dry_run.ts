import type { EpochMs } from "../base/epoch_ms.ts";
import { BUILT_IN_KINDS } from "./kinds/all.ts";
import { customKind } from "./kinds/custom.ts";
import { complete } from "./operations/create.ts";
import { setSystemMetadata } from "./operations/metadata.ts";
import { Registry } from "./registry.ts";
import { messageOf } from "./kinds/validation/field_errors.ts";
import type { Json } from "./resource_kind.ts";
import type { FieldSchema } from "./schema/field_schema.ts";
import { type FieldFault, withoutMistyped } from "./schema/mistyped.ts";

/** How the API server judges a manifest. */
export interface DryRun {
  /** The manifest with null in the place of what is not of its field's type. */
  readonly object: Json;
  readonly mistyped: readonly FieldFault[];
  readonly unknownFields: readonly string[];
  /** The rules' refusals of the rest. */
  readonly errors: readonly FieldFault[];
  /** Of what is accepted alone. */
  readonly warnings: readonly string[];
  /** Returns the names of the fields that an object at this path may have. */
  fieldsAt(path: readonly (string | number)[]): string[];
}

/** Returns the kinds of an API server that has these definitions. */
export function kindsWith(definitions: readonly Json[]): Registry {
  const custom = definitions.flatMap((definition) =>
    definition.spec.versions.map(({ name }: Json) => customKind(definition, name))
  );
  return new Registry([...BUILT_IN_KINDS, ...custom]);
}

/** Judges a manifest as a create of it would, and goes on where that stops: nothing is stored, and no other object counts. */
export function dryRunCreate(
  manifest: Json,
  { kinds, namespace, now }: { readonly kinds: Registry; readonly namespace: string; readonly now: EpochMs },
): DryRun {
  const { apiVersion, kind: name } = manifest;
  const kind = kinds.findKind(apiVersion, name);
  if (!kind) throw new Error(`Cannot judge a manifest of ${apiVersion}, kind ${name}: no such kind is served`);
  const { object, mistyped } = withoutMistyped(manifest, kind.schema);
  const { object: made, unknownFields } = kind.read(object);
  made.metadata ??= {};
  setSystemMetadata(made, kind, namespace, now);
  const errors = complete(made, kind, { now });
  const isAccepted = errors.length + mistyped.length === 0;
  return {
    object,
    mistyped,
    unknownFields,
    errors: errors.map((error) => ({ field: error.field, message: messageOf(error) })),
    warnings: isAccepted ? kind.warnings(made, undefined) : [],
    fieldsAt: (path) => fieldsAt(path, kind.schema),
  };
}

function fieldsAt(path: readonly (string | number)[], schema: FieldSchema): string[] {
  let at: FieldSchema | undefined = schema;
  for (const key of path) at = typeof key === "number" ? at?.items : at?.properties?.[key] ?? at?.values;
  return Object.keys(at?.properties ?? {});
}
