import protobuf from "protobufjs/minimal.js";
import { formatMicroTime, formatTime } from "../../schedule/epoch_ms.ts";
import { badRequest, Refusal } from "../refusals.ts";
import type { Json } from "../resource_kind.ts";
import type { FieldSchema } from "../schema/field_schema.ts";
import { MAGIC, messageFields } from "./message_fields.ts";

/** The fields of what a body says it is; undefined for unknown kinds. */
export type SchemaOf = (apiVersion: string, kind: string) => FieldSchema | undefined;

/**
 * Reads Kubernetes' protobuf (an `Unknown` around the object) into the object's JSON form, `apiVersion` and `kind` included.
 * Empty fields that JSON leaves out may be there: reading the object by its schema drops them. Of an unknown kind
 * only these two are read.
 *
 * @throws {Refusal} 400 for anything else
 */
export function decodeProtobuf(body: Uint8Array, schemaOf: SchemaOf): Json {
  if (body.length < MAGIC.length || MAGIC.some((byte, index) => body[index] !== byte)) {
    throw badRequest("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  }
  try {
    const { apiVersion, kind, raw } = readEnvelope(protobuf.Reader.create(body.subarray(MAGIC.length)));
    const schema = schemaOf(apiVersion, kind);
    return { apiVersion, kind, ...(schema && readMessage(protobuf.Reader.create(raw), schema)) };
  } catch (error) {
    // The library has no error of its own for bytes that are no message.
    if (error instanceof Refusal || error instanceof TypeError || !(error instanceof Error)) throw error;
    throw badRequest(`unable to decode protobuf: ${error.message}`);
  }
}

/** `Unknown { TypeMeta typeMeta = 1 { apiVersion = 1, kind = 2 }; bytes raw = 2; … }`. */
function readEnvelope(reader: protobuf.Reader): { apiVersion: string; kind: string; raw: Uint8Array } {
  const envelope: { apiVersion: string; kind: string; raw: Uint8Array } = {
    apiVersion: "",
    kind: "",
    raw: new Uint8Array(),
  };
  eachField(reader, (field) => {
    if (field === 1) {
      eachField(protobuf.Reader.create(reader.bytes()), (metaField, metaReader) => {
        if (metaField === 1) envelope.apiVersion = metaReader.string();
        else if (metaField === 2) envelope.kind = metaReader.string();
        else return false;
      });
    } else if (field === 2) envelope.raw = reader.bytes();
    else return false;
  });
  return envelope;
}

function readMessage(reader: protobuf.Reader, schema: FieldSchema): Json {
  const fields = messageFields(schema);
  const result: Json = {};
  eachField(reader, (id) => {
    const inlined = fields.inlined.find(({ protobufId }) => protobufId === id);
    if (inlined) {
      Object.assign(result, readMessage(protobuf.Reader.create(reader.bytes()), inlined.schema));
      return;
    }
    const known = fields.byId.get(id);
    if (!known) return false;
    const { name, schema: field } = known;
    if (field.type === "list") (result[name] ??= []).push(readValue(reader, field.items!));
    else if (field.type === "map") {
      const [key, value] = readEntry(protobuf.Reader.create(reader.bytes()), field.values!);
      (result[name] ??= {})[key] = value;
    } else result[name] = readValue(reader, field);
  });
  return result;
}

function readEntry(reader: protobuf.Reader, values: FieldSchema): [string, unknown] {
  let key = "", value: unknown = "";
  eachField(reader, (field) => {
    if (field === 1) key = reader.string();
    else if (field === 2) value = readValue(reader, values);
    else return false;
  });
  return [key, value];
}

function readValue(reader: protobuf.Reader, schema: FieldSchema): unknown {
  switch (schema.type) {
    case "string":
      if (schema.format === "byte") return reader.bytes().toBase64();
      if (schema.format) return readTime(protobuf.Reader.create(reader.bytes()), schema.format);
      return reader.string();
    case "boolean":
      return reader.bool();
    case "integer":
      return schema.format === "int32" ? reader.int32() : Number(reader.int64());
    case "number":
      return reader.double();
    case "quantity":
      return readQuantity(protobuf.Reader.create(reader.bytes()));
    case "intOrString":
      return readIntOrString(protobuf.Reader.create(reader.bytes()));
    case "object":
      return (schema.orElse ? readEither : readMessage)(protobuf.Reader.create(reader.bytes()), schema);
    case "any":
      return readAny(protobuf.Reader.create(reader.bytes()));
    default:
      reader.bytes();
      return undefined;
  }
}

/** `JSON`, `FieldsV1` and `RawExtension { bytes raw = 1 }`: JSON as it is written. */
function readAny(reader: protobuf.Reader): unknown {
  let value: unknown = {};
  eachField(reader, (field) => {
    if (field !== 1) return false;
    const text = new TextDecoder().decode(reader.bytes());
    if (text) value = JSON.parse(text);
  });
  return value;
}

const VARINT = 0;

/**
 * Reads a schema or something else: `OrBool { bool allows = 1; schema = 2 }`, `OrArray { schema = 1; jSONSchemas = 2
 * }`.
 */
function readEither(reader: protobuf.Reader, schema: FieldSchema): unknown {
  const schemas: Json[] = [];
  let allows: boolean | undefined;
  eachField(reader, (field, _reader, wireType) => {
    if (field === 1 && wireType === VARINT) allows = reader.bool();
    else if (field === 1 || field === 2) schemas.push(readMessage(protobuf.Reader.create(reader.bytes()), schema));
    else return false;
  });
  return schemas.length > 1 ? schemas : schemas[0] ?? allows;
}

/** `Time { int64 seconds = 1; int32 nanos = 2 }`; an empty one is no time at all. */
function readTime(reader: protobuf.Reader, format: string): string | null {
  let seconds: number | undefined, nanos = 0;
  eachField(reader, (field) => {
    if (field === 1) seconds = Number(reader.int64());
    else if (field === 2) nanos = reader.int32();
    else return false;
  });
  if (seconds === undefined) return null;
  const instant = seconds * 1000 + nanos / 1e6;
  return format === "micro-time" ? formatMicroTime(instant) : formatTime(instant);
}

/** `Quantity { string string = 1 }`. */
function readQuantity(reader: protobuf.Reader): string {
  let text = "0";
  eachField(reader, (field) => {
    if (field !== 1) return false;
    text = reader.string();
  });
  return text;
}

/** `IntOrString { int64 type = 1; int32 intVal = 2; string strVal = 3 }`. */
function readIntOrString(reader: protobuf.Reader): number | string {
  let isText = false, number = 0, text = "";
  eachField(reader, (field) => {
    if (field === 1) isText = Number(reader.int64()) === 1;
    else if (field === 2) number = reader.int32();
    else if (field === 3) text = reader.string();
    else return false;
  });
  return isText ? text : number;
}

/** Calls `read` with each field's number; what it answers `false` to is skipped. */
function eachField(
  reader: protobuf.Reader,
  read: (field: number, reader: protobuf.Reader, wireType: number) => void | false,
): void {
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (read(tag >>> 3, reader, tag & 7) === false) reader.skipType(tag & 7);
  }
}
