import type { ScalarType } from "./scalars.ts";

/**
 * A field and everything below it. One such tree a kind serves decoding, pruning, patches,
 * server-side apply, and OpenAPI.
 */
export interface FieldSchema {
  /** `object` has `properties`, `map` has `values` under any key, `list` has `items`. */
  readonly type: "object" | "map" | "list" | ScalarType;
  /** The name of the Go struct or OpenAPI component, such as `io.k8s.api.core.v1.Container`. */
  readonly name?: string;
  /** May be a getter: schemas can contain themselves. */
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly items?: FieldSchema;
  readonly values?: FieldSchema;
  readonly required?: readonly string[];

  /** How server-side apply sees a list. @default "atomic" */
  readonly listType?: "atomic" | "set" | "map" | undefined;
  /** The fields that distinguish the items of a `map` list. */
  readonly listMapKeys?: readonly string[];
  /** Server-side apply takes the object or map as one value. */
  readonly atomic?: boolean;
  /** How strategic merge patch treats the field: lists are replaced and objects merged unless it is said here. */
  readonly patchStrategy?: readonly ("merge" | "retainKeys")[];
  readonly patchMergeKey?: string;
  /** The value of an absent field; server-side apply uses it for the keys of an item. */
  readonly default?: unknown;

  /**
   * Written even when it is empty or zero, as Go does with pointers and with structs that are values. Such a struct is
   * written as `{}` where it is absent (`value`); an empty text or a zero stays where it was given (`pointer`).
   */
  readonly presence?: "value" | "pointer" | "always";
  /** Unknown fields below are kept, though still reported. */
  readonly preserveUnknown?: boolean | undefined;

  /** The field's number in protobuf. */
  readonly protobufId?: number;
  /** Structs whose fields stand among `properties`, but are messages of their own in protobuf. */
  readonly inlined?: readonly { readonly protobufId: number; readonly schema: FieldSchema }[];
  /** A type that is allowed instead of an object; its value is taken as it is. */
  readonly orElse?: "bool" | "array" | undefined;
}
