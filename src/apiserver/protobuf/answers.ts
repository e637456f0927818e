import type { Json, ResourceKind } from "../resource_kind.ts";
import type { FieldSchema } from "../schema/field_schema.ts";
import { KUBERNETES_TYPES } from "../schema/kubernetes_types.ts";
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
  if (META.includes(name)) return KUBERNETES_TYPES.struct(`meta.${name}`);
  if (name === kind?.kind) return kind.schema;
  if (name === kind?.listKind) return listSchema(kind.schema);
  throw new Error(`Cannot write ${name} as protobuf: its fields are not known`);
}

const lists = new WeakMap<FieldSchema, FieldSchema>();

function listSchema(items: FieldSchema): FieldSchema {
  let schema = lists.get(items);
  if (!schema) {
    const metadata = { ...KUBERNETES_TYPES.struct("meta.ListMeta"), protobufId: 1 };
    schema = { type: "object", properties: { metadata, items: { type: "list", items, protobufId: 2 } } };
    lists.set(items, schema);
  }
  return schema;
}
