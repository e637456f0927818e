import protobuf from "protobufjs/minimal.js";
import type { Json } from "../resource_kind.ts";
import type { FieldSchema } from "../schema/field_schema.ts";
import { MAGIC, messageFields } from "./message_fields.ts";

const VARINT = 0, FIXED64 = 1, BYTES = 2;

/** Returns an object's JSON form as Kubernetes' protobuf: an `Unknown` around its message. */
export function encodeProtobuf(object: Json, schema: FieldSchema): Uint8Array<ArrayBuffer> {
  const writer = protobuf.Writer.create();
  message(writer, 1, () => {
    text(writer, 1, object.apiVersion);
    text(writer, 2, object.kind);
  });
  message(writer, 2, () => struct(writer, object, schema));
  return joined(MAGIC, writer.finish());
}

/**
 * Returns one event of a watch: its length in four bytes, then `WatchEvent { string type = 1; RawExtension object = 2
 * }`.
 */
export function encodeWatchEvent(type: string, object: Uint8Array): Uint8Array<ArrayBuffer> {
  const writer = protobuf.Writer.create();
  text(writer, 1, type);
  message(writer, 2, () => bytes(writer, 1, object));
  const event = writer.finish();
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, event.length);
  return joined(length, event);
}

function joined(head: ArrayLike<number>, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(head.length + body.length);
  whole.set(head);
  whole.set(body, head.length);
  return whole;
}

function struct(writer: protobuf.Writer, value: Json, schema: FieldSchema): void {
  const { own, inlined } = messageFields(schema);
  for (const { id, name, schema } of own) {
    if (value[name] !== undefined && value[name] !== null) write(writer, id, value[name], schema);
  }
  for (const { protobufId, schema } of inlined) message(writer, protobufId, () => struct(writer, value, schema));
}

/** A value of any type that the schema allows. */
// deno-lint-ignore no-explicit-any
function write(writer: protobuf.Writer, id: number, value: any, schema: FieldSchema): void {
  switch (schema.type) {
    case "list":
      for (const item of value) write(writer, id, item, schema.items!);
      return;
    case "map":
      for (const key of Object.keys(value)) {
        message(writer, id, () => {
          text(writer, 1, key);
          write(writer, 2, value[key], schema.values!);
        });
      }
      return;
    case "string":
      if (schema.format === "byte") return bytes(writer, id, Uint8Array.fromBase64(value));
      return schema.format ? message(writer, id, () => time(writer, value)) : text(writer, id, value);
    case "boolean":
      return boolean(writer, id, value);
    case "integer":
      return void writer.uint32(id << 3 | VARINT).int64(value);
    case "number":
      return void writer.uint32(id << 3 | FIXED64).double(value);
    case "quantity":
      return message(writer, id, () => text(writer, 1, String(value)));
    case "intOrString":
      return message(writer, id, () => intOrString(writer, value));
    case "object":
      return message(writer, id, () => schema.orElse ? either(writer, value, schema) : struct(writer, value, schema));
    case "any":
      return message(writer, id, () => text(writer, 1, JSON.stringify(value)));
  }
}

/** `OrBool { bool allows = 1; schema = 2 }`, `OrArray { schema = 1; jSONSchemas = 2 }`. */
function either(writer: protobuf.Writer, value: unknown, schema: FieldSchema): void {
  if (schema.orElse === "bool") {
    boolean(writer, 1, value !== false);
    if (typeof value === "object") message(writer, 2, () => struct(writer, value as Json, schema));
    return;
  }
  for (const one of [value].flat()) {
    message(writer, Array.isArray(value) ? 2 : 1, () => struct(writer, one as Json, schema));
  }
}

function intOrString(writer: protobuf.Writer, value: number | string): void {
  const isText = typeof value === "string";
  writer.uint32(1 << 3 | VARINT).int64(isText ? 1 : 0);
  if (isText) text(writer, 3, value);
  else writer.uint32(2 << 3 | VARINT).int32(value);
}

/** To the nanosecond, of which a `Date` has only the thousandth of a second. */
function time(writer: protobuf.Writer, value: string): void {
  const fraction = /\.(\d{1,9})/.exec(value)?.[1] ?? "";
  writer.uint32(1 << 3 | VARINT).int64(Math.floor(Date.parse(value) / 1000));
  writer.uint32(2 << 3 | VARINT).int32(Number(fraction.padEnd(9, "0")));
}

function boolean(writer: protobuf.Writer, id: number, value: boolean): void {
  writer.uint32(id << 3 | VARINT).bool(value);
}

function text(writer: protobuf.Writer, id: number, value: string): void {
  writer.uint32(id << 3 | BYTES).string(value);
}

function bytes(writer: protobuf.Writer, id: number, value: Uint8Array): void {
  writer.uint32(id << 3 | BYTES).bytes(value);
}

function message(writer: protobuf.Writer, id: number, write: () => void): void {
  writer.uint32(id << 3 | BYTES).fork();
  write();
  writer.ldelim();
}
