import protobuf from "protobufjs/minimal.js";
import { formatMicroTime, formatTime } from "../../base/epoch_ms.ts";
import type { Json } from "../resource_kind.ts";
import type { FieldSchema } from "../schema/field_schema.ts";
import type { ScalarType } from "../schema/scalars.ts";

/** How a value is read and written, without the tag before it. */
// deno-lint-ignore no-explicit-any
interface Codec<T = any> {
  readonly wireType: 0 | 1 | 2;
  read(reader: protobuf.Reader): T;
  write(writer: protobuf.Writer, value: T): unknown;
}

interface Field {
  readonly id: number;
  read(reader: protobuf.Reader, into: Json): void;
  write(writer: protobuf.Writer, from: Json): void;
}

/** The fields of a message, which may contain itself: they are asked for when they are needed. */
export type Message = () => { readonly fields: readonly Field[]; readonly byId: ReadonlyMap<number, Field> };

/** Reads a message as the JSON that it stands for; fields that it does not know are skipped. */
export function readMessage(reader: protobuf.Reader, message: Message): Json {
  const { byId } = message(), result: Json = {};
  while (reader.pos < reader.len) {
    const tag = reader.uint32(), field = byId.get(tag >>> 3);
    if (field) field.read(reader, result);
    else reader.skipType(tag & 7);
  }
  return result;
}

function writeMessage(writer: protobuf.Writer, value: Json, message: Message): protobuf.Writer {
  for (const field of message().fields) field.write(writer, value);
  return writer;
}

/** Returns the bytes of a message, behind those of `head`. */
export function messageBytes(value: Json, message: Message, head: ArrayLike<number> = []): Uint8Array<ArrayBuffer> {
  const body = writeMessage(protobuf.Writer.create(), value, message).finish(),
    whole = new Uint8Array(head.length + body.length);
  whole.set(head);
  whole.set(body, head.length);
  return whole;
}

export const TEXT: Codec<string> = {
  wireType: 2,
  read: (from) => from.string(),
  write: (to, value) => to.string(value),
};
export const BYTES: Codec<Uint8Array> = {
  wireType: 2,
  read: (from) => from.bytes(),
  write: (to, all) => to.bytes(all),
};
const BASE64 = converted(BYTES, (bytes) => bytes.toBase64(), (text: string) => Uint8Array.fromBase64(text));
const BOOLEAN: Codec<boolean> = { wireType: 0, read: (from) => from.bool(), write: (to, value) => to.bool(value) };
const INT32: Codec<number> = { wireType: 0, read: (from) => from.int32(), write: (to, value) => to.int32(value) };
const INT64: Codec<number> = {
  wireType: 0,
  read: (from) => Number(from.int64()),
  write: (to, value) => to.int64(value),
};
const DOUBLE: Codec<number> = { wireType: 1, read: (from) => from.double(), write: (to, value) => to.double(value) };

/** Returns the codec of a message inside of another. */
export function nested(message: Message): Codec<Json> {
  return {
    wireType: 2,
    read: (reader) => readMessage(protobuf.Reader.create(reader.bytes()), message),
    write: (writer, value) => writeMessage(writer.fork(), value, message).ldelim(),
  };
}

// deno-lint-ignore no-explicit-any
function converted<W>(codec: Codec<W>, toJson: (wire: W) => unknown, toWire: (value: any) => W): Codec {
  return {
    wireType: codec.wireType,
    read: (reader) => toJson(codec.read(reader)),
    write: (writer, value) => codec.write(writer, toWire(value)),
  };
}

/** Returns a message of these fields, each with its number. */
export function record(fields: Readonly<Record<string, readonly [id: number, codec: Codec]>>): Message {
  return messageOf(() => Object.entries(fields).map(([name, [id, codec]]) => single(id, name, codec)));
}

function messageOf(fieldsOf: () => readonly Field[]): Message {
  let known: ReturnType<Message> | undefined;
  const read = (fields: readonly Field[]) => ({ fields, byId: new Map(fields.map((field) => [field.id, field])) });
  return () => known ??= read(fieldsOf());
}

/** @param take puts a value that was read where it belongs; `values` finds all that are to be written */
function field<T>(
  id: number,
  codec: Codec<T>,
  take: (into: Json, value: T) => void,
  values: (from: Json) => T[],
): Field {
  return {
    id,
    read: (reader, into) => take(into, codec.read(reader)),
    write(writer, from) {
      for (const value of values(from)) codec.write(writer.uint32(id << 3 | codec.wireType), value);
    },
  };
}

function single(id: number, name: string, codec: Codec): Field {
  return field(
    id,
    codec,
    (into, value) => into[name] = value,
    ({ [name]: value }) => (value ?? null) === null ? [] : [value],
  );
}

function list(id: number, name: string, codec: Codec): Field {
  return field(id, codec, (into, item) => (into[name] ??= []).push(item), (from) => from[name] ?? []);
}

/** A list of its entries. */
function map(id: number, name: string, values: Codec): Field {
  return field(
    id,
    nested(record({ key: [1, TEXT], value: [2, values] })),
    (into, { key = "", value = "" }) => (into[name] ??= {})[key] = value,
    (from) => Object.entries(from[name] ?? {}).map(([key, value]) => ({ key, value })),
  );
}

const known = new WeakMap<object, Message>();

/** Returns a struct as a message. */
export function messageOfStruct({ properties = {}, inlined: structs = [] }: FieldSchema): Message {
  return known.getOrInsertComputed(properties, () =>
    messageOf(() => {
      const theirs = new Set(structs.flatMap(({ schema }) => Object.keys(schema.properties!)));
      return [
        ...Object.entries(properties)
          .filter(([name, { protobufId }]) => protobufId !== undefined && !theirs.has(name))
          .map(([name, schema]) => fieldOf(schema.protobufId!, name, schema)),
        ...structs.map(({ protobufId, schema }) =>
          field(protobufId, nested(messageOfStruct(schema)), Object.assign, (from) => [from])
        ),
      ];
    }));
}

function fieldOf(id: number, name: string, schema: FieldSchema): Field {
  if (schema.type === "list") return list(id, name, codecOf(schema.items!));
  return schema.type === "map" ? map(id, name, codecOf(schema.values!)) : single(id, name, codecOf(schema));
}

function codecOf(schema: FieldSchema): Codec {
  if (schema.type !== "object") return CODECS[schema.type as ScalarType];
  const struct = nested(messageOfStruct(schema));
  if (schema.orElse === "bool") {
    return converted(
      nested(record({ allows: [1, BOOLEAN], schema: [2, struct] })),
      ({ allows, schema }) => schema ?? allows,
      (value) => typeof value === "object" ? { allows: true, schema: value } : { allows: value },
    );
  }
  if (schema.orElse === undefined) return struct;
  return converted(
    nested(messageOf(() => [single(1, "schema", struct), list(2, "jSONSchemas", struct)])),
    ({ schema, jSONSchemas }) => jSONSchemas ?? schema,
    (value) => Array.isArray(value) ? { jSONSchemas: value } : { schema: value },
  );
}

/** An empty one is no time at all. Of a nanosecond, a `Date` has only the millionth part. */
function time(format: (instant: number) => string): Codec {
  return converted(
    nested(record({ seconds: [1, INT64], nanos: [2, INT32] })),
    ({ seconds, nanos = 0 }) => seconds === undefined ? null : format(seconds * 1000 + nanos / 1e6),
    (text: string) => ({
      seconds: Math.floor(Date.parse(text) / 1000),
      nanos: Number((/\.(\d{1,9})/.exec(text)?.[1] ?? "").padEnd(9, "0")),
    }),
  );
}

const CODECS: Readonly<Record<ScalarType, Codec>> = {
  string: TEXT,
  bytes: BASE64,
  time: time(formatTime),
  microtime: time(formatMicroTime),
  bool: BOOLEAN,
  int32: INT32,
  int64: INT64,
  double: DOUBLE,
  quantity: converted(
    nested(record({ string: [1, TEXT] })),
    ({ string = "0" }) => string,
    (value) => ({ string: String(value) }),
  ),
  intOrString: converted(
    nested(record({ type: [1, INT64], intVal: [2, INT32], strVal: [3, TEXT] })),
    ({ type, intVal = 0, strVal = "" }) => type === 1 ? strVal : intVal,
    (value) => typeof value === "string" ? { type: 1, strVal: value } : { type: 0, intVal: value },
  ),
  /** `JSON`, `FieldsV1` and `RawExtension`: JSON as it is written. */
  any: converted(
    nested(record({ raw: [1, TEXT] })),
    ({ raw }) => raw ? JSON.parse(raw) : {},
    (value) => ({ raw: JSON.stringify(value) }),
  ),
};
