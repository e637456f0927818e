import type { Json, ResourceKind } from "../resource_kind.ts";
import type { FieldSchema } from "../schema/field_schema.ts";
import { META_TYPES } from "../schema/types/meta.ts";
import { encodeProtobuf } from "./envelope.ts";

export const PROTOBUF_TYPE = "application/vnd.kubernetes.protobuf";

const META = ["Status", "PartialObjectMetadata", "PartialObjectMetadataList"];

/**
 * Returns what answers a request about a kind: one of its objects, a list of them, or one of the kinds that are about
 * any kind.
 */
export function answerToProtobuf(answer: Json, kind?: ResourceKind): Uint8Array<ArrayBuffer> {
  return encodeProtobuf(answer, answerSchema(answer.kind, kind));
}

/** Returns the fields of what is answered: an object or a list of the kind, or a message of its own. */
export function answerSchema(name: string, kind: ResourceKind | undefined): FieldSchema {
  if (META.includes(name)) return META_TYPES.struct(name);
  if (name === kind?.kind) return kind.schema;
  if (name === kind?.listKind) return listSchema(kind.schema);
  throw new Error(`Cannot write ${name} as protobuf: its fields are not known`);
}

const lists = new WeakMap<FieldSchema, FieldSchema>();

function listSchema(items: FieldSchema): FieldSchema {
  return lists.getOrInsertComputed(items, () => {
    const metadata = { ...META_TYPES.struct("ListMeta"), protobufId: 1 };
    return { type: "object", properties: { metadata, items: { type: "list", items, protobufId: 2 } } };
  });
}
