import protobuf from "protobufjs";
import type { Json } from "../../../src/apiserver/resource_kind.ts";
import type { FieldSchema } from "../../../src/apiserver/schema/field_schema.ts";

const MAGIC = [0x6b, 0x38, 0x73, 0x00];
const VARINT = 0, FIXED64 = 1, BYTES = 2;

/** An object as a client with Kubernetes' own types sends it. */
export function encodeProtobuf(object: Json, schema: FieldSchema): Uint8Array<ArrayBuffer> {
  const type = message((writer) => {
    text(writer, 1, object.apiVersion);
    text(writer, 2, object.kind);
  });
  const body = message((writer) => {
    bytes(writer, 1, type);
    bytes(writer, 2, struct(object, schema));
  });
  return new Uint8Array([...MAGIC, ...body]);
}

function message(write: (writer: protobuf.Writer) => void): Uint8Array {
  const writer = protobuf.Writer.create();
  write(writer);
  return writer.finish();
}

function struct(value: Json, schema: FieldSchema): Uint8Array {
  return message((writer) => {
    const inlined = schema.inlined ?? [];
    const theirs = new Set(inlined.flatMap(({ schema }) => Object.keys(schema.properties!)));
    for (const [name, field] of Object.entries(schema.properties!)) {
      if (value[name] === undefined || value[name] === null || !field.protobufId || theirs.has(name)) continue;
      write(writer, field.protobufId, value[name], field);
    }
    for (const { protobufId, schema } of inlined) bytes(writer, protobufId, struct(value, schema));
  });
}

// deno-lint-ignore no-explicit-any
function write(writer: protobuf.Writer, id: number, value: any, schema: FieldSchema): void {
  switch (schema.type) {
    case "list":
      for (const item of value) write(writer, id, item, schema.items!);
      return;
    case "map":
      for (const [key, item] of Object.entries(value)) {
        bytes(
          writer,
          id,
          message((entry) => {
            text(entry, 1, key);
            write(entry, 2, item, schema.values!);
          }),
        );
      }
      return;
    case "string":
      if (schema.format === "byte") return bytes(writer, id, Uint8Array.fromBase64(value));
      return schema.format ? bytes(writer, id, time(value)) : text(writer, id, value);
    case "boolean":
      return void writer.uint32(id << 3 | VARINT).bool(value);
    case "integer":
      return void writer.uint32(id << 3 | VARINT).int64(value);
    case "number":
      return void writer.uint32(id << 3 | FIXED64).double(value);
    case "quantity":
      return bytes(writer, id, message((inner) => text(inner, 1, String(value))));
    case "intOrString":
      return bytes(
        writer,
        id,
        message((inner) => {
          inner.uint32(1 << 3 | VARINT).int64(typeof value === "string" ? 1 : 0);
          if (typeof value === "string") text(inner, 3, value);
          else inner.uint32(2 << 3 | VARINT).int32(value);
        }),
      );
    case "object":
      return bytes(writer, id, schema.loose ? either(value, schema) : struct(value, schema));
    case "any":
      return bytes(writer, id, message((inner) => text(inner, 1, JSON.stringify(value))));
  }
}

function either(value: unknown, schema: FieldSchema): Uint8Array {
  return message((writer) => {
    if (typeof value === "boolean") writer.uint32(1 << 3 | VARINT).bool(value);
    else for (const one of [value].flat()) bytes(writer, Array.isArray(value) ? 2 : 1, struct(one as Json, schema));
  });
}

function time(text: string): Uint8Array {
  const instant = Date.parse(text);
  return message((writer) => {
    writer.uint32(1 << 3 | VARINT).int64(Math.floor(instant / 1000));
    writer.uint32(2 << 3 | VARINT).int32((instant % 1000) * 1_000_000);
  });
}

function text(writer: protobuf.Writer, id: number, value: string): void {
  writer.uint32(id << 3 | BYTES).string(value);
}

function bytes(writer: protobuf.Writer, id: number, value: Uint8Array): void {
  writer.uint32(id << 3 | BYTES).bytes(value);
}
