import type { Json, ResourceKind } from "../resource_kind.ts";
import type { FieldSchema } from "../schema/field_schema.ts";
import { META_TYPES } from "../schema/types/meta.ts";
import { SCALARS } from "../schema/scalars.ts";
import { DESCRIPTIONS } from "./descriptions.ts";

/** Collects the `components.schemas` of one document, each struct once. What is undefined is not written. */
export class ComponentSchemas {
  readonly schemas: Record<string, Json> = {};

  addKind(kind: ResourceKind): void {
    const { group, version } = kind;
    this.schemas[kind.schema.name ?? dottedName(kind)] = {
      ...(kind.custom ? this.#customObject(kind) : this.#struct(kind.schema)),
      "x-kubernetes-group-version-kind": [{ group, kind: kind.kind, version }],
    };
  }

  /** A definition's own schema, with Kubernetes' metadata. */
  #customObject(kind: ResourceKind): Json {
    const metadata = this.#field(META_TYPES.struct("ObjectMeta"));
    const schema: Json = kind.jsonSchema ?? { type: "object" };
    return {
      ...schema,
      properties: {
        ...schema.properties,
        apiVersion: { type: "string", description: DESCRIPTIONS.apiVersion },
        kind: { type: "string", description: DESCRIPTIONS.kind },
        metadata: { ...metadata, description: DESCRIPTIONS.metadata },
      },
    };
  }

  #struct(schema: FieldSchema): Json {
    const own = schema.name?.split(".").pop() ?? "";
    const properties = Object.entries(schema.properties ?? {}).map(([name, field]) => {
      const description = DESCRIPTIONS[`${own}.${name}`] ?? DESCRIPTIONS[name];
      return [name, { ...this.#field(field), description }];
    });
    return {
      type: "object",
      description: DESCRIPTIONS[own],
      properties: properties.length > 0 ? Object.fromEntries(properties) : undefined,
      required: schema.required?.length ? schema.required : undefined,
      "x-kubernetes-map-type": schema.atomic ? "atomic" : undefined,
    };
  }

  #field(schema: FieldSchema): Json {
    switch (schema.type) {
      case "object": {
        const { name } = schema;
        if (!name) return { type: "object" };
        if (!this.schemas[name]) {
          this.schemas[name] = {}; // for structs that contain themselves
          this.schemas[name] = this.#struct(schema);
        }
        return { ...reference(name), ...patchExtensions(schema) };
      }
      case "map":
        return {
          type: "object",
          additionalProperties: this.#field(schema.values!),
          "x-kubernetes-map-type": schema.atomic ? "atomic" : undefined,
        };
      case "list":
        return {
          type: "array",
          items: this.#field(schema.items!),
          "x-kubernetes-list-type": schema.listType ?? "atomic",
          "x-kubernetes-list-map-keys": schema.listMapKeys,
          ...patchExtensions(schema),
        };
      default:
        return SCALARS[schema.type].openApi;
    }
  }
}

/** Strategic merge patches are made by clients, which read here what merges and by which key. */
function patchExtensions({ patchStrategy, patchMergeKey }: FieldSchema): Json {
  return { "x-kubernetes-patch-strategy": patchStrategy?.join(","), "x-kubernetes-patch-merge-key": patchMergeKey };
}

/** Kubernetes' form of a reference, which can have a description beside it. */
function reference(name: string): Json {
  return { allOf: [{ $ref: `#/components/schemas/${name}` }], default: {} };
}

/** `io.example.batch.v1.CronJob` of the group `batch.example.io`. */
function dottedName({ group, version, kind }: ResourceKind): string {
  return [...group.split(".").reverse(), version, kind].join(".");
}
