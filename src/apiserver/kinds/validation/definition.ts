import { isDeepStrictEqual } from "node:util";
import type { FieldError, Json } from "../../resource_kind.ts";
import type { JsonSchema } from "../../schema/structural/json_schema.ts";
import { compilePattern } from "../../schema/structural/pattern.ts";
import { validateBySchema } from "../../schema/structural/validate.ts";
import { oneOf } from "./check.ts";
import { duplicate, eachInvalid, forbidden, immutable, invalidValue, required } from "./field_errors.ts";
import { labelErrors, subdomainErrors } from "./names.ts";
import { validateObjectMetaUpdate } from "./object_meta.ts";

const APPROVAL = "api-approved.kubernetes.io";
const TYPES = ["array", "boolean", "integer", "number", "object", "string"];
const COLUMN_TYPES = ["boolean", "date", "integer", "number", "string"];

/** What is wrong with a CustomResourceDefinition. */
export function validateDefinition({ metadata, spec }: Json): FieldError[] {
  const { group, names, versions, scope, conversion } = spec;
  const wanted = `${names.plural}.${group}`;
  return [
    ...(metadata.name === wanted
      ? []
      : [invalidValue("metadata.name", metadata.name, 'must be spec.names.plural+"."+spec.group')]),
    ...validateApproval(metadata, group),
    ...(group ? eachInvalid("spec.group", group, subdomainErrors(group)) : [required("spec.group")]),
    ...(group && !group.includes(".")
      ? [invalidValue("spec.group", group, "should be a domain with at least one dot")]
      : []),
    ...(scope ? oneOf("Cluster", "Namespaced")(scope, "spec.scope", undefined) : [required("spec.scope")]),
    ...validateVersions(versions ?? []),
    ...validateNames(names, "spec.names"),
    ...(conversion?.strategy === "None"
      ? []
      : conversion?.strategy === "Webhook"
      ? [forbidden("spec.conversion.strategy", "the embedded API server calls no webhooks: use None")]
      : oneOf("None", "Webhook")(conversion?.strategy, "spec.conversion.strategy", undefined)),
  ];
}

export function validateDefinitionUpdate(definition: Json, old: Json): FieldError[] {
  const mayNotChange = (path: string, field: (spec: Json) => unknown) =>
    immutable(path, field(definition.spec), field(old.spec), isDeepStrictEqual);
  return [
    ...validateObjectMetaUpdate(definition, old),
    ...validateDefinition(definition),
    ...mayNotChange("spec.group", ({ group }) => group),
    ...mayNotChange("spec.scope", ({ scope }) => scope),
    ...mayNotChange("spec.names.kind", ({ names }) => names.kind),
    ...mayNotChange("spec.names.plural", ({ names }) => names.plural),
  ];
}

function validateApproval(metadata: Json, group: string): FieldError[] {
  const isProtected = /(^|\.)(k8s|kubernetes)\.io$/.test(group ?? "");
  if (!isProtected || metadata.annotations?.[APPROVAL]) return [];
  return [required(
    `metadata.annotations[${APPROVAL}]`,
    'protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
  )];
}

function validateVersions(versions: Json[]): FieldError[] {
  const path = "spec.versions";
  const errors: FieldError[] = [];
  if (versions.length === 0) errors.push(required(path, "at least one version must be present"));
  const stored = versions.filter(({ storage }) => storage);
  if (stored.length !== 1) {
    errors.push(
      invalidValue(path, versions.map(({ name }) => name), "must have exactly one version marked as storage version"),
    );
  }
  const seen = new Set<string>();
  for (const [index, version] of versions.entries()) {
    const at = `${path}[${index}]`;
    errors.push(...eachInvalid(`${at}.name`, version.name, labelErrors(version.name)));
    if (seen.has(version.name)) {
      errors.push(invalidValue(path, versions.map(({ name }) => name), "must contain unique version names"));
    }
    seen.add(version.name);
    const schema = version.schema?.openAPIV3Schema;
    if (!schema) errors.push(required(`${at}.schema.openAPIV3Schema`, "schemas are required"));
    else errors.push(...validateRootSchema(schema, `${at}.schema.openAPIV3Schema`));
    errors.push(...validateColumns(version.additionalPrinterColumns ?? [], `${at}.additionalPrinterColumns`));
  }
  return errors;
}

function validateColumns(columns: Json[], path: string): FieldError[] {
  return columns.flatMap(({ name, type, jsonPath }, index) => {
    const at = `${path}[${index}]`;
    return [
      ...(name ? [] : [required(`${at}.name`)]),
      ...(type
        ? oneOf(...COLUMN_TYPES)(type, `${at}.type`, undefined)
        : [required(`${at}.type`, "must be one of boolean,date,integer,number,string")]),
      ...(jsonPath ? [] : [required(`${at}.jsonPath`)]),
    ];
  });
}

function validateNames(names: Json, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const field of ["plural", "singular", "kind", "listKind"]) {
    const name = names[field];
    if (!name) errors.push(required(`${path}.${field}`));
    else errors.push(...eachInvalid(`${path}.${field}`, name, labelErrors(name.toLowerCase())));
  }
  for (const field of ["shortNames", "categories"]) {
    for (const [index, name] of (names[field] ?? []).entries()) {
      errors.push(...eachInvalid(`${path}.${field}[${index}]`, name, labelErrors(name)));
    }
  }
  if (names.kind && names.kind === names.listKind) {
    errors.push(invalidValue(`${path}.listKind`, names.listKind, "kind and listKind may not be the same"));
  }
  const shortNames: string[] = names.shortNames ?? [];
  for (const [index, name] of shortNames.entries()) {
    if (shortNames.indexOf(name) < index) errors.push(duplicate(`${path}.shortNames[${index}]`, name));
  }
  return errors;
}

function validateRootSchema(schema: JsonSchema, path: string): FieldError[] {
  const errors = validateSchema(schema, path);
  if (schema.type && schema.type !== "object") {
    errors.push(invalidValue(`${path}.type`, schema.type, "must be object at the root"));
  }
  return errors;
}

/** That a schema is structural: what there can be is said outside of anyOf and the like, and each part has a type. */
function validateSchema(schema: JsonSchema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const untyped = schema["x-kubernetes-int-or-string"] || schema["x-kubernetes-preserve-unknown-fields"];
  if (!schema.type && !untyped) errors.push(required(`${path}.type`, "must not be empty for specified object fields"));
  else if (schema.type) errors.push(...oneOf(...TYPES)(schema.type, `${path}.type`, undefined));
  if (schema.properties && schema.additionalProperties) {
    errors.push(
      forbidden(`${path}.additionalProperties`, "additionalProperties and properties are mutually exclusive"),
    );
  }
  if (schema.type === "array" && !schema.items) errors.push(required(`${path}.items`, "must be specified"));
  if (schema.uniqueItems) {
    errors.push(
      forbidden(
        `${path}.uniqueItems`,
        "uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
      ),
    );
  }
  if (schema["x-kubernetes-list-type"] === "map" && !schema["x-kubernetes-list-map-keys"]?.length) {
    errors.push(required(`${path}.x-kubernetes-list-map-keys`, "must not be empty if x-kubernetes-list-type is map"));
  }
  if (schema.pattern !== undefined && !compilePattern(schema.pattern)) {
    errors.push(invalidValue(`${path}.pattern`, schema.pattern, "must be a valid regular expression"));
  }
  if (schema.default !== undefined && schema.default !== null) {
    errors.push(
      ...validateBySchema(schema.default, schema).map(({ message, type }) => ({
        type,
        field: `${path}.default`,
        message,
      })),
    );
  }
  for (const [place, part] of partsOf(schema)) errors.push(...validateSchema(part, `${path}.${place}`));
  return errors;
}

function partsOf({ properties, additionalProperties, items }: JsonSchema): [string, JsonSchema][] {
  return [
    ...Object.entries(properties ?? {}).map(([name, part]): [string, JsonSchema] => [`properties[${name}]`, part]),
    ...(typeof additionalProperties === "object"
      ? [["additionalProperties", additionalProperties] as [string, JsonSchema]]
      : []),
    ...(items ? [["items", items] as [string, JsonSchema]] : []),
  ];
}

/** What a definition asks for that the server hasn't, and that does no harm to be without. */
export function definitionWarnings({ spec }: Json): string[] {
  return (spec.versions ?? []).flatMap((version: Json, index: number) => {
    const path = `spec.versions[${index}]`;
    return [
      ...(version.subresources?.scale
        ? [`${path}.subresources.scale: the embedded API server has no scale subresource`]
        : []),
      ...ruleWarnings(version.schema?.openAPIV3Schema ?? {}, `${path}.schema.openAPIV3Schema`),
    ];
  });
}

function ruleWarnings(schema: JsonSchema, path: string): string[] {
  return [
    ...(schema["x-kubernetes-validations"]?.length
      ? [`${path}.x-kubernetes-validations: the embedded API server does not evaluate CEL rules`]
      : []),
    ...partsOf(schema).flatMap(([place, part]) => ruleWarnings(part, `${path}.${place}`)),
  ];
}
