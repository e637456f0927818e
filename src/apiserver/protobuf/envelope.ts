import protobuf from "protobufjs/minimal.js";
import type { Json } from "../resource_kind.ts";
import type { FieldSchema } from "../schema/field_schema.ts";
import { BYTES, messageBytes, messageOfStruct, nested, readMessage, record, TEXT } from "./messages.ts";

/** The first four bytes of every body: `k8s` and a zero. */
const MAGIC = [0x6b, 0x38, 0x73, 0x00];

const TYPE_META = nested(record({ apiVersion: [1, TEXT], kind: [2, TEXT] }));
const UNKNOWN = record({ typeMeta: [1, TYPE_META], raw: [2, BYTES] });
const WATCH_EVENT = record({ type: [1, TEXT], object: [2, nested(record({ raw: [1, BYTES] }))] });

/** The fields of what a body says it is; undefined for unknown kinds. */
export type SchemaOf = (apiVersion: string, kind: string) => FieldSchema | undefined;

/**
 * Reads Kubernetes' protobuf (an `Unknown` around the object) into the object's JSON form, `apiVersion` and `kind` included.
 * Empty fields that JSON leaves out may be there: reading the object by its schema drops them. Of an unknown kind
 * only these two are read.
 *
 * @throws {ProtobufError} for anything else
 */
export function decodeProtobuf(body: Uint8Array, schemaOf: SchemaOf): Json {
  if (body.length === 0) throw new ProtobufError("empty data");
  if (MAGIC.some((byte, index) => body[index] !== byte)) {
    throw new ProtobufError("must begin as Kubernetes' protobuf does");
  }
  if (body.length === MAGIC.length) throw new ProtobufError("empty body");
  const { typeMeta, raw } = reading(() => readMessage(protobuf.Reader.create(body.subarray(MAGIC.length)), UNKNOWN));
  const { apiVersion = "", kind = "" } = typeMeta ?? {}, schema = schemaOf(apiVersion, kind);
  const reader = protobuf.Reader.create(raw ?? new Uint8Array());
  const type = { apiVersion, kind };
  return { ...type, ...(schema && reading(() => readMessage(reader, messageOfStruct(schema)))) };
}

/** Bytes that are no message, or none of Kubernetes'. */
export class ProtobufError extends Error {
  override readonly name = "ProtobufError";
}

function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    // The library has no error of its own for bytes that are no message.
    if (error instanceof TypeError || !(error instanceof Error)) throw error;
    throw new ProtobufError(error.message);
  }
}

/** Returns an object's JSON form as Kubernetes' protobuf. */
export function encodeProtobuf(object: Json, schema: FieldSchema): Uint8Array<ArrayBuffer> {
  const envelope = record({ typeMeta: [1, TYPE_META], raw: [2, nested(messageOfStruct(schema))] });
  return messageBytes({ typeMeta: object, raw: object }, envelope, MAGIC);
}

/** Returns one event of a watch, behind its length in four bytes. */
export function encodeWatchEvent(type: string, object: Uint8Array): Uint8Array<ArrayBuffer> {
  const event = messageBytes({ type, object: { raw: object } }, WATCH_EVENT, [0, 0, 0, 0]);
  new DataView(event.buffer).setUint32(0, event.length - 4);
  return event;
}
