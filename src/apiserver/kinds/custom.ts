import type { Json, ResourceKind, ResourceTable, TypedObject } from "../resource_kind.ts";
import { KUBERNETES_TYPES } from "../schema/kubernetes_types.ts";
import { applyDefaults } from "../schema/structural/defaults.ts";
import { resourceFieldSchema } from "../schema/structural/field_schema.ts";
import type { JsonSchema } from "../schema/structural/json_schema.ts";
import { prune } from "../schema/structural/prune.ts";
import { validateBySchema, validateChangeBySchema } from "../schema/structural/validate.ts";
import { typedObject } from "../schema/typed_object.ts";
import { defineKind, STATUS, takeAllButStatusFrom, takeStatusFrom } from "./define.ts";
import { compileJsonPath } from "./tables/json_path.ts";
import { validateMetaUpdate } from "./validation/object_meta.ts";
import type { EpochMs } from "../../schedule/epoch_ms.ts";
import { since } from "./tables/cells.ts";
import { AGE, column, NAME_AND_CREATED } from "./tables/columns.ts";

const VERBS = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const OBJECT_META = KUBERNETES_TYPES.struct("meta.ObjectMeta");

/** Returns the resource that one version of a stored CustomResourceDefinition describes. */
export function customKind(definition: Json, versionName: string): ResourceKind {
  const { group, scope, names, versions } = definition.spec;
  const version = versions.find(({ name }: Json) => name === versionName);
  if (!version) throw new Error(`Cannot serve ${definition.metadata.name}: it has no version ${versionName}`);
  const schema: JsonSchema = version.schema?.openAPIV3Schema ?? { "x-kubernetes-preserve-unknown-fields": true };
  const hasStatus = version.subresources?.status !== undefined;
  const selectable = (version.selectableFields ?? []).map(({ jsonPath }: Json) => [jsonPath.replace(/^\./, ""), ""]);
  return defineKind({
    group,
    version: versionName,
    plural: names.plural,
    singular: names.singular,
    kind: names.kind,
    listKind: names.listKind ?? `${names.kind}List`,
    namespaced: scope === "Namespaced",
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    verbs: VERBS,
    subresources: hasStatus ? [STATUS] : [],
    custom: true,
    allowsUnconditionalUpdate: false,
    generation: "spec",
    selectableFields: Object.fromEntries(selectable),
    schema: resourceFieldSchema(schema),
    jsonSchema: schema,
    read: (value) => read(value, schema),
    setDefaults: (object) => applyDefaults(object, schema),
    prepareForCreate(object) {
      if (hasStatus) delete object.status;
    },
    prepareForUpdate(object, old) {
      if (hasStatus) takeStatusFrom(object, old);
    },
    prepareForStatusUpdate: takeAllButStatusFrom,
    validate: (object) => validateBySchema(object, schema),
    validateUpdate: (object, old) => [
      ...validateMetaUpdate(object, old),
      ...validateChangeBySchema(object, old, schema),
    ],
    validateStatusUpdate: ({ metadata, status }, old) => [
      ...validateMetaUpdate({ metadata }, old),
      ...(status === undefined
        ? []
        : validateChangeBySchema(status, old.status, schema.properties?.status ?? {}, "status")),
    ],
    warnings: () =>
      version.deprecated ? [version.deprecationWarning ?? `${group}/${versionName} ${names.kind} is deprecated`] : [],
    table: customTable(version.additionalPrinterColumns),
  });
}

function read(value: Json, schema: JsonSchema): TypedObject {
  const object = structuredClone(value);
  const { object: metadata, unknownFields } = typedObject(object.metadata ?? {}, OBJECT_META);
  object.metadata = metadata;
  return {
    object,
    unknownFields: [...unknownFields.map((path) => `metadata.${path}`), ...prune(object, schema, true)],
  };
}

/** Returns the table that a definition's `additionalPrinterColumns` describe. */
function customTable(columns: readonly Json[] | undefined): ResourceTable {
  const shown = columns?.length ? columns : [AGE_COLUMN];
  const cells = shown.map(({ type, jsonPath }) => ({ type, find: compileJsonPath(jsonPath) }));
  return {
    columns: [
      ...NAME_AND_CREATED.columns.slice(0, 1),
      ...shown.map(({ name, type, format = "", description, jsonPath, priority = 0 }) => ({
        ...column(name, type, description || `Custom resource definition column (in JSONPath format): ${jsonPath}`),
        format,
        priority,
      })),
    ],
    row: (object, now) => ({
      cells: [object.metadata.name, ...cells.map(({ type, find }) => cell(type, find(object), now))],
    }),
  };
}

const AGE_COLUMN: Json = { name: "Age", type: "date", description: AGE[0], jsonPath: ".metadata.creationTimestamp" };

/** A value of another type than its column's isn't shown. */
function cell(type: string, value: unknown, now: EpochMs): unknown {
  if (value === undefined || value === null) return null;
  if (type === "string") return typeof value === "string" ? value : JSON.stringify(value);
  if (type === "date") return typeof value === "string" ? since(value, now, "<invalid>") : "<invalid>";
  if (type === "integer") return typeof value === "number" ? Math.trunc(value) : null;
  return typeof value === type && ["boolean", "number"].includes(type) ? value : null;
}
