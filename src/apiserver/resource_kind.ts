import type { EpochMs } from "../base/epoch_ms.ts";
import type { FieldSchema } from "./schema/field_schema.ts";
import type { JsonSchema } from "./schema/structural/json_schema.ts";

/** Any JSON object on its way through the server. */
// deno-lint-ignore no-explicit-any
export type Json = Record<string, any>;

/** A JSON object as its kind reads it. */
export interface TypedObject {
  readonly object: Json;
  /** Paths of fields that the schema doesn't know, in the order met. */
  readonly unknownFields: string[];
}

/** The reasons of a `Status` cause, as Kubernetes names them. */
export type FieldErrorType =
  | "FieldValueRequired"
  | "FieldValueInvalid"
  | "FieldValueNotSupported"
  | "FieldValueDuplicate"
  | "FieldValueForbidden"
  | "FieldValueTooLong"
  | "FieldValueTooMany"
  | "FieldValueTypeInvalid"
  | "FieldValueNotFound";

/** One error of an object, as data. */
export interface FieldError {
  readonly type: FieldErrorType;
  /** As Kubernetes writes paths: `spec.containers[0].name`. */
  readonly field: string;
  /** The refused value; absent where it explains nothing. */
  readonly value?: unknown;
  /** The error and its remedy: `must be between 1 and 65535`. Empty where the type says it all. */
  readonly detail: string;
}

export interface Subresource {
  /** `status`, `finalize`, `log`. */
  readonly name: string;
  readonly verbs: readonly string[];
  /** Where the answer is of another kind. @default the resource's own group, version and kind */
  readonly responseKind?: { readonly group: string; readonly version: string; readonly kind: string } | undefined;
}

/** One column of `kubectl get`. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** 0 = always, 1 = `-o wide`. */
  readonly priority: number;
}

export interface TableRow {
  readonly cells: unknown[];
  readonly conditions?: Json[];
}

export interface ResourceTable {
  readonly columns: readonly PrinterColumn[];
  /** The cells of one object, in the order of the columns. */
  row(object: Json, now: EpochMs): TableRow;
}

/** Sets defaults of a new object beyond those of its kind. Changes the object. */
export type DefaultsOfServer = (object: Json) => void;

/** Finds errors of an object that passes its kind's own rules. Must not throw. */
export type CheckOfServer = (object: Json) => readonly FieldError[];

/** Finds advice for the writer of an object that is accepted. Must not throw. */
export type Advice = (object: Json, now: EpochMs) => readonly string[];

/**
 * One resource that the server serves, as data and pure functions. The functions called `prepare…` and `setDefaults` change the
 * object that they are given, which is the server's own copy; all others leave their arguments alone.
 *
 * The order of a write is: decode (unknown fields, types), `setDefaults`, `prepare…`, metadata, `validate…`, `warnings`, store.
 */
export interface ResourceKind {
  /** `""` for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** In the order in which discovery prints them. */
  readonly verbs: readonly string[];
  readonly subresources: readonly Subresource[];
  readonly storageVersionHash: string;
  /** True for resources that a CustomResourceDefinition made. */
  readonly custom: boolean;
  /**
   * `group/plural` under which objects are kept. Two kinds with one `storage` are two views of the same objects (Events);
   * `fromStored` and `toStored` convert where the view isn't the stored form. Both give new objects.
   */
  readonly storage: string;
  fromStored?(stored: Json): Json;
  toStored?(object: Json): Json;

  /** The fields, for decoding, pruning, patches, server-side apply and OpenAPI. */
  readonly schema: FieldSchema;
  /** The schema as a CustomResourceDefinition gives it; only of custom kinds. */
  readonly jsonSchema?: JsonSchema;
  /** Whether PUT without `metadata.resourceVersion` is allowed (last write wins). */
  readonly allowsUnconditionalUpdate: boolean;
  /** Whether PUT and apply may create what isn't there. */
  readonly allowsCreateOnUpdate: boolean;
  /** Whether `metadata.generation` is kept: 1 at creation, one more where `spec` (or another tracked field) changes. */
  readonly generation: "none" | "spec";
  /** Pods: a deletion first sets deletionTimestamp and ends when the grace is over. */
  readonly gracefulDeletion?: (object: Json, requestedSeconds: number | undefined) => number;
  /** The policy of a deletion that names none. Jobs orphan. */
  readonly defaultPropagation: "Background" | "Orphan";
  /**
   * Field selectors besides `metadata.name` and `metadata.namespace`: dotted path -> what stands for an absent value; or
   * the value of an object, where it is not what stands at the path.
   */
  readonly selectableFields: Readonly<Record<string, string | ((object: Json) => string)>>;
  /** How the object's name is checked; gives messages, such as `must be no more than 63 bytes`. */
  validateName(name: string, prefix: boolean): string[];

  /**
   * Any JSON object as one of this kind: unknown fields pruned and named, values in their one form, no defaults yet.
   * A new object. Throws a `TypeMismatch`.
   */
  read(value: Json): TypedObject;
  setDefaults(object: Json): void;
  /** More of them, of who started the server; for new objects alone, so that none changes later. */
  readonly setServerDefaults?: DefaultsOfServer | undefined;
  /** Drops what a client may not set at creation (status, generated labels), and adds what the server generates. */
  prepareForCreate(object: Json): void;
  /** Takes from `old` what an update may not change (status), and raises the generation. */
  prepareForUpdate(object: Json, old: Json): void;
  /** The same for PUT/PATCH of `…/status`: everything but status comes from `old`. */
  prepareForStatusUpdate(object: Json, old: Json): void;

  /** Finds errors outside the metadata, which the server itself checks first. */
  validate(object: Json): FieldError[];
  validateUpdate(object: Json, old: Json): FieldError[];
  validateStatusUpdate(object: Json, old: Json): FieldError[];
  /** Sent with every answer about it: that the version is deprecated. */
  readonly deprecation?: string;
  /** Texts for `Warning` headers. */
  warnings(object: Json, old: Json | undefined): string[];
  /** More of them, of who started the server; for writes to the object itself, not to its status. */
  readonly advice?: Advice | undefined;

  readonly table: ResourceTable;
}
