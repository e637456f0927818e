import type { Json, ResourceKind, ResourceTable, TypedObject } from "../resource_kind.ts";
import { META_TYPES } from "../schema/types/meta.ts";
import { applyDefaults } from "../schema/structural/defaults.ts";
import { resourceFieldSchema } from "../schema/structural/field_schema.ts";
import type { JsonSchema } from "../schema/structural/json_schema.ts";
import { prune } from "../schema/structural/prune.ts";
import { validateBySchema, validateChangeBySchema } from "../schema/structural/validate.ts";
import { typedObject } from "../schema/typed_object.ts";
import { completeKind, STATUS, takeAllButStatusFrom } from "./define.ts";
import { byPriority } from "../version_order.ts";
import { compileJsonPath } from "./tables/json_path.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import { since } from "./tables/cells.ts";
import { NAME_AND_CREATED } from "./tables/columns.ts";

const VERBS = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
const OBJECT_META = META_TYPES.struct("ObjectMeta");

/** Of a version that says nothing of its fields. */
const UNKNOWN: JsonSchema = { "x-kubernetes-preserve-unknown-fields": true };

/** Returns the resource that one version of a stored CustomResourceDefinition describes. */
export function customKind(definition: Json, versionName: string): ResourceKind {
  const { group, scope, names, versions } = definition.spec;
  const version = versions.find(({ name }: Json) => name === versionName);
  if (!version) throw new Error(`Cannot serve ${definition.metadata.name}: it has no version ${versionName}`);
  const schema: JsonSchema = version.schema?.openAPIV3Schema ?? UNKNOWN;
  const hasStatus = version.subresources?.status !== undefined;
  const selectable = (version.selectableFields ?? []).map(({ jsonPath }: Json) => [jsonPath.replace(/^\./, ""), ""]);
  return completeKind({
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
    prepareForStatusUpdate: takeAllButStatusFrom,
    validate: (object) => validateBySchema(object, schema),
    validateUpdate: (object, old) => validateChangeBySchema(object, old, schema),
    validateStatusUpdate: ({ status }, old) =>
      status === undefined ? [] : validateChangeBySchema(status, old.status, schema.properties?.status ?? {}, "status"),
    ...(version.deprecated && { deprecation: version.deprecationWarning ?? deprecation(definition.spec, versionName) }),
    table: customTable(version.additionalPrinterColumns),
    ...(versions.length > 1 && conversion(definition.spec, versionName)),
  });
}

/**
 * An object is one in all versions, and is stored in one of them: conversion by the strategy `None`, as there is no webhook
 * here. Apiextensions `crdConversionRESTOptionsGetter` prunes what a version doesn't know on the way to it and from it, and adds
 * on reading what the version has by default in which the object is stored.
 */
function conversion({ group, versions }: Json, name: string): Pick<ResourceKind, "fromStored" | "toStored"> {
  const nameOf = (version: Json | undefined) => `${group}/${version?.name}`;
  const own = `${group}/${name}`;
  // Looked up when it is wanted: each version would have a table of all.
  const schemaOf = (apiVersion: string): JsonSchema =>
    versions.find((version: Json) => nameOf(version) === apiVersion)?.schema?.openAPIV3Schema ?? UNKNOWN;
  const copyIn = (object: Json, apiVersion: string): Json => {
    const copy = { ...structuredClone(object), apiVersion };
    prune(copy, schemaOf(apiVersion), true);
    return copy;
  };
  return {
    fromStored(stored) {
      const object = copyIn(stored, stored.apiVersion);
      applyDefaults(object, schemaOf(stored.apiVersion));
      return stored.apiVersion === own ? object : copyIn(object, own);
    },
    toStored: (object) => copyIn(object, nameOf(versions.find(({ storage }: Json) => storage))),
  };
}

/** Apiextensions `defaultDeprecationWarning`: it names the newest version that is newer, where one is there to be used. */
function deprecation({ group, names, versions }: Json, name: string): string {
  const [newest] = versions.filter((one: Json) => one.served && !one.deprecated)
    .map((one: Json): string => one.name).sort(byPriority);
  const use = newest !== undefined && byPriority(newest, name) < 0 ? `; use ${group}/${newest} ${names.kind}` : "";
  return `${group}/${name} ${names.kind} is deprecated${use}`;
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
      ...shown.map(({ name, type, format = "", description = "", priority = 0 }) => ({
        name,
        type,
        format,
        description,
        priority,
      })),
    ],
    row: (object, now) => ({
      cells: [object.metadata.name, ...cells.map(({ type, find }) => cell(type, find(object), now))],
    }),
  };
}

const AGE_COLUMN: Json = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

/** A value of another type than its column's isn't shown. */
function cell(type: string, value: unknown, now: EpochMs): unknown {
  if (value === undefined || value === null) return null;
  if (type === "string") return typeof value === "string" ? value : JSON.stringify(value);
  if (type === "date") return typeof value === "string" ? since(value, now, "<invalid>") : "<invalid>";
  if (type === "integer") return typeof value === "number" ? Math.trunc(value) : null;
  return typeof value === type && ["boolean", "number"].includes(type) ? value : null;
}
