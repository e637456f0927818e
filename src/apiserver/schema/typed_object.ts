import { ownValue } from "../../base/own_value.ts";
import { isObject } from "../../base/is_object.ts";
import type { Json, TypedObject } from "../resource_kind.ts";
import type { FieldSchema } from "./field_schema.ts";
import { typeMessage } from "./mistyped.ts";
import { type Scalar, SCALARS } from "./scalars.ts";

/** Thrown where a value cannot be what its field is. */
export class TypeMismatch extends Error {
  override readonly name = "TypeMismatch";
}

/**
 * Reads an object as Go reads JSON into a struct and writes it again: unknown fields go (but not where the schema keeps
 * them), empty optional fields go, fields that are always there appear, times and quantities get their one form.
 *
 * @throws {TypeMismatch}
 */
export function typedObject(value: unknown, schema: FieldSchema): TypedObject {
  const reader = new Reader();
  const object = reader.read(value ?? {}, schema, { path: "", keepUnknown: false }) as Json;
  return { object, unknownFields: reader.unknownFields };
}

interface Place {
  /** `spec.containers[0].image` */
  readonly path: string;
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
      read[name] = this.read(fieldValue, field, { path, keepUnknown });
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

function mismatch(value: unknown, schema: FieldSchema, { path }: Place): never {
  throw new TypeMismatch(`${path || "the object"}: ${typeMessage(value, schema)}`);
}
