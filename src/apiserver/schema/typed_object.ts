import { ownValue } from "../../runtime/own_value.ts";
import { goTypeOf } from "../go_text.ts";
import { isObject } from "../is_object.ts";
import type { Json, TypedObject } from "../resource_kind.ts";
import type { FieldSchema } from "./field_schema.ts";
import { jsonTypeOf, type Scalar, SCALARS, TypeMismatch } from "./scalars.ts";

/**
 * Reads an object as Go reads JSON into a struct and writes it again: unknown fields go (but not where the schema keeps
 * them), empty optional fields go, fields that are always there appear, times and quantities get their one form.
 *
 * @throws {TypeMismatch}
 */
export function typedObject(value: unknown, schema: FieldSchema): TypedObject {
  const reader = new Reader();
  const object = reader.read(value ?? {}, schema, { path: "", names: "", struct: "", keepUnknown: false }) as Json;
  return { object, unknownFields: reader.unknownFields };
}

interface Place {
  /** For unknown fields: `spec.containers[0].image`. */
  readonly path: string;
  /** For Go's messages: the same without indexes. */
  readonly names: string;
  /** The struct that has the field. */
  readonly struct: string;
  readonly keepUnknown: boolean;
}

class Reader {
  readonly unknownFields: string[] = [];

  /** The value as it is written again; undefined if it isn't. */
  read(value: unknown, schema: FieldSchema, place: Place): unknown {
    if (value === null || value === undefined) return this.#absent(schema, place);
    switch (schema.type) {
      case "object":
        if (!isObject(value)) return schema.orElse ? value : mismatch(value, schema, place);
        return this.#readStruct(value, schema, place);
      case "map":
        if (!isObject(value)) return mismatch(value, schema, place);
        return this.#readMap(value, schema, place);
      case "list":
        if (!Array.isArray(value)) return mismatch(value, schema, place);
        if (value.length === 0 && !schema.presence) return undefined;
        return value.map((item, index) =>
          this.#readItem(item, schema.items!, { ...place, path: `${place.path}[${index}]` })
        );
      default:
        return readScalar(value, schema, place);
    }
  }

  #readStruct(value: Json, schema: FieldSchema, place: Place): Json {
    const known = schema.properties!;
    const struct = goName(schema);
    const keepUnknown = place.keepUnknown || schema.preserveUnknown === true;
    const unknown: [string, unknown][] = [];
    const read: Json = {};
    for (const [name, fieldValue] of Object.entries(value)) {
      const path = place.path ? `${place.path}.${name}` : name;
      const field = ownValue(known, name);
      if (!field) {
        this.unknownFields.push(path);
        unknown.push([name, fieldValue]);
        continue;
      }
      const names = place.names ? `${place.names}.${name}` : name;
      read[name] = this.read(fieldValue, field, { path, names, struct, keepUnknown });
    }
    const result: Json = {};
    for (const [name, field] of fieldLists.getOrInsertComputed(known, () => Object.entries(known))) {
      const written = Object.hasOwn(read, name) ? read[name] : field.presence ? this.#absent(field, place) : undefined;
      if (written !== undefined) result[name] = written;
    }
    if (keepUnknown) { for (const [name, fieldValue] of unknown) result[name] = fieldValue; }
    return result;
  }

  #readMap(value: Json, schema: FieldSchema, place: Place): Json | undefined {
    // Go writes maps by their keys.
    const entries = Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1);
    if (entries.length === 0 && !schema.presence) return undefined;
    return Object.fromEntries(
      entries.map(([key, item]) => [
        key,
        this.#readItem(item, schema.values!, { ...place, path: `${place.path}.${key}` }),
      ]),
    );
  }

  /** An item of a list or map is there even when it is empty. */
  #readItem(value: unknown, schema: FieldSchema, place: Place): unknown {
    return this.read(value, schema, place) ?? zero(schema);
  }

  #absent(schema: FieldSchema, place: Place): unknown {
    if (schema.presence !== "always" && schema.presence !== "value") return undefined;
    if (schema.type === "object") return this.#readStruct({}, schema, place);
    return zero(schema);
  }
}

/** The entries of a struct's fields, made once: a container has some thirty, of which an object names three. */
const fieldLists = new WeakMap<object, [string, FieldSchema][]>();

function readScalar(value: unknown, schema: FieldSchema, place: Place): unknown {
  const { read, zero, omitsZero } = scalarOf(schema)!;
  const result = read(value);
  if (result === undefined) return mismatch(value, schema, place);
  return omitsZero && result === zero && !schema.presence ? undefined : result;
}

/** Undefined for what has parts. */
function scalarOf({ type }: FieldSchema): Scalar | undefined {
  return ownValue<Scalar>(SCALARS, type);
}

function zero(schema: FieldSchema): unknown {
  return schema.type === "object" ? {} : scalarOf(schema)?.zero ?? null;
}

function mismatch(value: unknown, schema: FieldSchema, place: Place): never {
  const shown = jsonTypeOf(value, schema.type);
  const where = place.struct ? `Go struct field ${place.struct}.${place.names}` : "Go value";
  throw new TypeMismatch(`json: cannot unmarshal ${shown} into ${where} of type ${goType(schema)}`, {
    restored: restoredProblem(value, schema),
  });
}

/** Apimachinery `fromUnstructured`. */
function restoredProblem(value: unknown, schema: FieldSchema): string {
  const type = goTypeOf(value), kind = type.replace(/^map.*/, "map").replace(/^\[\].*/, "slice");
  if (schema.type === "object") return `cannot restore struct from: ${kind}`;
  if (schema.type === "map") return `cannot restore map from ${kind}`;
  if (schema.type === "list" || schema.type === "bytes") return `cannot restore slice from ${kind}`;
  return `cannot convert ${type} to ${goType(schema)}`;
}

function goType(schema: FieldSchema): string {
  const { type, goType: named, items, values } = schema;
  if (type === "object") return named ?? `v1.${goName(schema)}`;
  if (type === "list") return `[]${goType(items!)}`;
  return type === "map" ? `map[string]${goType(values!)}` : named ?? scalarOf(schema)!.goType;
}

function goName(schema: FieldSchema): string {
  return schema.name?.slice(schema.name.lastIndexOf(".") + 1) ?? "";
}
