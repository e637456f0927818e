import type { FieldSchema } from "../schema/field_schema.ts";

/** The first four bytes of every body: `k8s` and a zero. */
export const MAGIC = [0x6b, 0x38, 0x73, 0x00];

export interface MessageField {
  readonly id: number;
  readonly name: string;
  readonly schema: FieldSchema;
}

/** A struct as a message: its own fields, and the structs whose fields stand among its own in JSON. */
export interface MessageFields {
  readonly own: readonly MessageField[];
  readonly byId: ReadonlyMap<number, MessageField>;
  readonly inlined: NonNullable<FieldSchema["inlined"]>;
}

const known = new WeakMap<object, MessageFields>();

export function messageFields(schema: FieldSchema): MessageFields {
  const { properties = {}, inlined = [] } = schema;
  let fields = known.get(properties);
  if (!fields) {
    const theirs = new Set(inlined.flatMap(({ schema }) => Object.keys(schema.properties!)));
    const own = Object.entries(properties)
      .filter(([name, { protobufId }]) => protobufId !== undefined && !theirs.has(name))
      .map(([name, schema]) => ({ id: schema.protobufId!, name, schema }));
    fields = { own, byId: new Map(own.map((field) => [field.id, field])), inlined };
    known.set(properties, fields);
  }
  return fields;
}
