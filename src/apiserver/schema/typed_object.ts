import { ownValue } from "../../runtime/own_value.ts";
import type { Json, TypedObject } from "../resource_kind.ts";
import { formatMicroTime, formatTime, parseTime } from "../../schedule/epoch_ms.ts";
import type { FieldSchema } from "./field_schema.ts";
import { canonicalQuantity, QuantityError } from "../../kube/quantity.ts";

/** Thrown where a value cannot be what its field is; the message is Go's. */
export class TypeMismatch extends Error {
  override readonly name = "TypeMismatch";
}

/** By how many bits: `-limit <= value < limit`. */
const INT_LIMITS: Readonly<Record<string, number>> = { int32: 2 ** 31, int64: 2 ** 63 };

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
      case "any":
        return value;
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
    for (const [name, field] of fieldsOf(known)) {
      const written = Object.hasOwn(read, name) ? read[name] : field.presence ? this.#absent(field, place) : undefined;
      if (written !== undefined) result[name] = written;
    }
    if (keepUnknown) { for (const [name, fieldValue] of unknown) result[name] = fieldValue; }
    return result;
  }

  #readMap(value: Json, schema: FieldSchema, place: Place): Json | undefined {
    const entries = Object.entries(value);
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

type Fields = NonNullable<FieldSchema["properties"]>;

const fieldLists = new WeakMap<Fields, [string, FieldSchema][]>();

/** Returns the entries of a struct's fields, made once: a container has some thirty, of which an object names three. */
function fieldsOf(fields: Fields): [string, FieldSchema][] {
  let list = fieldLists.get(fields);
  if (!list) fieldLists.set(fields, list = Object.entries(fields));
  return list;
}

function readScalar(value: unknown, schema: FieldSchema, place: Place): unknown {
  const keepsZero = schema.presence !== undefined;
  switch (schema.type) {
    case "string":
      if (typeof value !== "string") return mismatch(value, schema, place);
      if (schema.format) return readFormatted(value, schema.format);
      return value === "" && !keepsZero ? undefined : value;
    case "boolean":
      if (typeof value !== "boolean") return mismatch(value, schema, place);
      return value || keepsZero ? value : undefined;
    case "integer": {
      if (typeof value !== "number") return mismatch(value, schema, place);
      const limit = INT_LIMITS[schema.format ?? "int64"]!;
      if (!Number.isInteger(value) || value < -limit || value > limit - 1) return mismatch(value, schema, place, true);
      return value !== 0 || keepsZero ? value : undefined;
    }
    case "number":
      if (typeof value !== "number") return mismatch(value, schema, place);
      return value !== 0 || keepsZero ? value : undefined;
    case "intOrString":
      if (typeof value !== "string" && !Number.isInteger(value)) return mismatch(value, schema, place);
      return value;
    case "quantity":
      if (typeof value !== "string" && typeof value !== "number") throw new TypeMismatch(new QuantityError().message);
      try {
        return canonicalQuantity(value);
      } catch (error) {
        throw new TypeMismatch((error as Error).message, { cause: error });
      }
    default:
      return value;
  }
}

function readFormatted(value: string, format: string): string {
  if (format === "byte") {
    const illegal = illegalBase64At(value);
    if (illegal !== undefined) throw new TypeMismatch(`illegal base64 data at input byte ${illegal}`);
    return value;
  }
  const instant = parseTime(value);
  const isMicro = format === "micro-time";
  if (instant === undefined || (isMicro && !/\.\d{6}/.test(value))) {
    const layout = isMicro ? "2006-01-02T15:04:05.000000Z07:00" : "2006-01-02T15:04:05Z07:00";
    const rest = instant === undefined ? value : value.slice("2006-01-02T15:04:05".length);
    const expected = instant === undefined ? "2006" : ".000000";
    throw new TypeMismatch(
      `parsing time ${JSON.stringify(value)} as ${JSON.stringify(layout)}: cannot parse ${
        JSON.stringify(rest)
      } as "${expected}"`,
    );
  }
  return isMicro ? microseconds(value, instant) : formatTime(instant);
}

/** Milliseconds are all that an instant has; the microseconds come from the text. */
function microseconds(text: string, instant: number): string {
  const fraction = (/\.(\d+)/.exec(text)?.[1] ?? "").padEnd(6, "0").slice(0, 6);
  return formatMicroTime(instant).replace(/\.\d{6}Z$/, `.${fraction}Z`);
}

function illegalBase64At(text: string): number | undefined {
  const bare = text.replaceAll(/[\r\n]/g, "");
  const illegal = bare.search(/[^A-Za-z0-9+/=]|=(?!=?$)/);
  if (illegal >= 0) return illegal;
  return bare.length % 4 === 0 ? undefined : bare.length - bare.length % 4;
}

function zero(schema: FieldSchema): unknown {
  switch (schema.type) {
    case "object":
      return {};
    case "string":
      return schema.format === "date-time" || schema.format === "micro-time" ? null : "";
    case "boolean":
      return false;
    case "integer":
    case "number":
    case "intOrString":
      return 0;
    case "quantity":
      return "0";
    default:
      return null;
  }
}

function mismatch(value: unknown, schema: FieldSchema, place: Place, showNumber = false): never {
  const what = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  const shown = showNumber ? `number ${value}` : what;
  const where = place.struct ? `Go struct field ${place.struct}.${place.names}` : "Go value";
  throw new TypeMismatch(`json: cannot unmarshal ${shown} into ${where} of type ${goType(schema)}`);
}

function goType(schema: FieldSchema): string {
  if (schema.goType) return schema.goType;
  switch (schema.type) {
    case "object":
      return `v1.${goName(schema)}`;
    case "list":
      return `[]${goType(schema.items!)}`;
    case "map":
      return `map[string]${goType(schema.values!)}`;
    case "boolean":
      return "bool";
    case "integer":
      return schema.format ?? "int64";
    case "number":
      return "float64";
    case "quantity":
      return "resource.Quantity";
    case "intOrString":
      return "intstr.IntOrString";
    case "any":
      return "interface {}";
    case "string":
      return schema.format === "byte" ? "[]uint8" : schema.format ? "v1.Time" : "string";
  }
}

function goName(schema: FieldSchema): string {
  return schema.name?.slice(schema.name.lastIndexOf(".") + 1) ?? "";
}

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
