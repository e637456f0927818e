import type { Json, ResourceKind, TypedObject } from "../resource_kind.ts";
import { KUBERNETES_TYPES } from "../schema/kubernetes_types.ts";
import { applyDefaults } from "../schema/structural/defaults.ts";
import { resourceFieldSchema } from "../schema/structural/field_schema.ts";
import type { JsonSchema } from "../schema/structural/json_schema.ts";
import { prune } from "../schema/structural/prune.ts";
import { validateBySchema, validateChangeBySchema } from "../schema/structural/validate.ts";
import { typedObject } from "../schema/typed_object.ts";
import { defineKind, STATUS, takeAllButStatusFrom, takeStatusFrom } from "./define.ts";
import { customTable } from "./tables/custom.ts";
import { compileJsonPath } from "./tables/json_path.ts";
import { validateMetaUpdate } from "./validation/object_meta.ts";

const VERBS = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const OBJECT_META = KUBERNETES_TYPES.struct("meta.ObjectMeta");

/** Returns the resource that one version of a stored CustomResourceDefinition describes. */
export function customKind(definition: Json, versionName: string): ResourceKind {
  const { group, scope, names, versions } = definition.spec;
  const version = versions.find(({ name }: Json) => name === versionName);
  if (!version) throw new Error(`Cannot serve ${definition.metadata.name}: it has no version ${versionName}`);
  const schema: JsonSchema = version.schema?.openAPIV3Schema ?? { "x-kubernetes-preserve-unknown-fields": true };
  const hasStatus = version.subresources?.status !== undefined;
  const selectable: [string, (object: Json) => string][] = (version.selectableFields ?? []).map(
    ({ jsonPath }: Json) => [jsonPath.replace(/^\./, ""), selectableField(jsonPath)],
  );
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

function selectableField(jsonPath: string): (object: Json) => string {
  const find = compileJsonPath(jsonPath);
  return (object) => String(find(object) ?? "");
}
