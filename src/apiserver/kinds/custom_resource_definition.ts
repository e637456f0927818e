import { valueAt } from "../reading/field_selector.ts";
import type { Advice, FieldError, Json } from "../resource_kind.ts";
import { copyField, defineKind, STATUS } from "./define.ts";
import { APIEXTENSIONS_TYPES } from "../schema/types/apiextensions.ts";
import type { JsonSchema } from "../schema/structural/json_schema.ts";
import { repeatedIndexes } from "../sorted_keys.ts";
import { compilePattern } from "../schema/structural/pattern.ts";
import { validateBySchema } from "../schema/structural/validate.ts";
import { each, immutable, must, named, oneOf, orElse, REQUIRED, requiredAs, rules } from "./validation/check.ts";
import {
  duplicate,
  eachInvalid,
  type Findings,
  forbidden,
  found,
  invalidValue,
  required,
} from "./validation/field_errors.ts";
import { labelErrors, subdomainErrors } from "./validation/names.ts";

const TYPES = ["array", "boolean", "integer", "number", "object", "string"];
const COLUMN_TYPES = ["boolean", "date", "integer", "number", "string"];

const DOMAIN = must("should be a domain with at least one dot", (group: string) => group.includes("."));
const COLUMN = rules(
  "apiextensions ValidateCustomResourceColumnDefinition",
  ["name", REQUIRED],
  ["type", requiredAs(`must be one of ${COLUMN_TYPES.join(",")}`), oneOf(...COLUMN_TYPES)],
  ["jsonPath", REQUIRED],
);
const LOWER_CASE_LABEL = named((name) => labelErrors(name.toLowerCase()));
const NAMES = rules(
  "apiextensions ValidateCustomResourceDefinitionNames",
  [["plural", "singular", "kind", "listKind"], REQUIRED, LOWER_CASE_LABEL],
  [["shortNames", "categories"], each(named(labelErrors))],
  ({ kind, listKind }, at) =>
    kind && kind === listKind && invalidValue(`${at}.listKind`, listKind, "kind and listKind may not be the same"),
  [
    "shortNames",
    (names: string[], at) => repeatedIndexes(names).map((index) => duplicate(`${at}[${index}]`, names[index])),
  ],
);
const SPEC = rules(
  "apiextensions validateCustomResourceDefinitionSpec",
  ["group", REQUIRED, named(subdomainErrors), DOMAIN],
  ["scope", REQUIRED, oneOf("Cluster", "Namespaced")],
  ["versions", orElse([]), validateVersions],
  ["names", NAMES],
  [
    "conversion",
    rules("apiextensions validateCustomResourceConversion", [
      "strategy",
      oneOf("None", "Webhook"),
      (strategy, at) => strategy === "Webhook" && forbidden(at, "the embedded API server calls no webhooks: use None"),
    ]),
  ],
);

/** Returns what is wrong with a CustomResourceDefinition. */
function validateDefinition({ metadata, spec }: Json): FieldError[] {
  const name = `${spec.names.plural}.${spec.group}`;
  return found(
    metadata.name !== name &&
      invalidValue("metadata.name", metadata.name, 'must be spec.names.plural+"."+spec.group'),
    SPEC(spec, "spec"),
  );
}

const FIXED = ["spec.group", "spec.scope", "spec.names.kind", "spec.names.plural"];

function validateDefinitionUpdate(definition: Json, old: Json): FieldError[] {
  return found(
    validateDefinition(definition),
    FIXED.map((path) => immutable(path, valueAt(definition, path), valueAt(old, path))),
  );
}

function validateVersions(versions: Json[], path: string): Findings {
  const names = versions.map(({ name }) => name);
  return [
    versions.length === 0 && required(path, "at least one version must be present"),
    versions.filter(({ storage }) => storage).length !== 1 &&
    invalidValue(path, names, "must have exactly one version marked as storage version"),
    repeatedIndexes(names).length > 0 && invalidValue(path, names, "must contain unique version names"),
    versions.map(({ name, schema, additionalPrinterColumns = [] }, index) => {
      const at = `${path}[${index}]`, root = schema?.openAPIV3Schema;
      return [
        eachInvalid(`${at}.name`, name, labelErrors(name)),
        root
          ? validateRootSchema(root, `${at}.schema.openAPIV3Schema`)
          : required(`${at}.schema.openAPIV3Schema`, "schemas are required"),
        each(COLUMN)(additionalPrinterColumns, `${at}.additionalPrinterColumns`),
      ];
    }),
  ];
}

function validateRootSchema(schema: JsonSchema, path: string): Findings {
  return [
    validateSchema(schema, path),
    schema.type && schema.type !== "object" &&
    invalidValue(`${path}.type`, schema.type, "must be object at the root"),
  ];
}

const EXCLUSIVE = "additionalProperties and properties are mutually exclusive";
const QUADRATIC = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
const MAP_KEYS = "must not be empty if x-kubernetes-list-type is map";

/** That a schema is structural: what there can be is said outside of anyOf and the like, and each part has a type. */
function validateSchema(schema: JsonSchema, path: string): Findings {
  const { type, properties, additionalProperties, items, uniqueItems, pattern, default: fallback } = schema;
  const untyped = schema["x-kubernetes-int-or-string"] || schema["x-kubernetes-preserve-unknown-fields"];
  return [
    type
      ? oneOf(...TYPES)(type, `${path}.type`)
      : !untyped && required(`${path}.type`, "must not be empty for specified object fields"),
    properties && additionalProperties && forbidden(`${path}.additionalProperties`, EXCLUSIVE),
    type === "array" && !items && required(`${path}.items`, "must be specified"),
    uniqueItems && forbidden(`${path}.uniqueItems`, QUADRATIC),
    schema["x-kubernetes-list-type"] === "map" && !schema["x-kubernetes-list-map-keys"]?.length &&
    required(`${path}.x-kubernetes-list-map-keys`, MAP_KEYS),
    pattern !== undefined && !compilePattern(pattern) &&
    invalidValue(`${path}.pattern`, pattern, "must be a valid regular expression"),
    fallback !== undefined && fallback !== null &&
    validateBySchema(fallback, schema).map((error) => ({ ...error, field: `${path}.default` })),
    partsOf(schema).map(([place, part]) => validateSchema(part, `${path}.${place}`)),
  ];
}

function partsOf({ properties = {}, additionalProperties, items }: JsonSchema): [string, JsonSchema][] {
  return [
    ...Object.entries(properties).map(([name, part]) => [`properties[${name}]`, part] as const),
    ...Object.entries({ additionalProperties, items }),
  ].flatMap(([place, part]) => typeof part === "object" ? [[place, part]] : []);
}

/** Returns what a definition asks for that the server hasn't, and that does no harm to be without. */
function definitionWarnings({ spec }: Json): string[] {
  return (spec.versions ?? []).flatMap(({ subresources }: Json, index: number) =>
    subresources?.scale
      ? [`spec.versions[${index}].subresources.scale: the embedded API server has no scale subresource`]
      : []
  );
}

/**
 * Returns the warning about CEL rules, which the server does not evaluate. There is none for the kinds of `checks`, by
 * `apiVersion` and `kind`: a check says what such rules say.
 */
export function ruleAdvice(checks: object = {}): Advice {
  return ({ spec }) =>
    spec.versions.flatMap(({ name, schema }: Json, index: number) => {
      const count = rulesIn(schema?.openAPIV3Schema ?? {});
      if (count === 0 || Object.hasOwn(checks, `${spec.group}/${name} ${spec.names.kind}`)) return [];
      const rules = count === 1 ? "CEL rule" : `${count} CEL rules`;
      return [`spec.versions[${index}].schema: the embedded API server does not evaluate its ${rules}`];
    });
}

function rulesIn(schema: JsonSchema): number {
  const own = schema["x-kubernetes-validations"]?.length ?? 0;
  return partsOf(schema).reduce((sum, [, part]) => sum + rulesIn(part), own);
}

export const CUSTOM_RESOURCE_DEFINITIONS = defineKind(APIEXTENSIONS_TYPES, "CustomResourceDefinition", {
  namespaced: false,
  shortNames: ["crd", "crds"],
  categories: ["api-extensions"],
  subresources: [STATUS],
  generation: "spec",
  // Kubernetes keeps definitions in the form of v1beta1, and the hash is of that.
  storageVersionHash: "jfWCUB31mvA=",
  setDefaults,
  prepareForCreate(definition) {
    definition.status = { conditions: null, acceptedNames: { plural: "", kind: "" }, storedVersions: [] };
    noteStoredVersion(definition);
  },
  prepareForUpdate(definition, old) {
    copyField("status", old, definition);
    noteStoredVersion(definition);
  },
  validate: validateDefinition,
  validateUpdate: validateDefinitionUpdate,
  warnings: definitionWarnings,
});

function setDefaults({ spec }: Json): void {
  spec.conversion ??= { strategy: "None" };
  const { names } = spec;
  if (names.kind) {
    names.singular ??= names.kind.toLowerCase();
    names.listKind ??= `${names.kind}List`;
  }
}

/** Objects may be kept in every version that ever was the storage version. */
function noteStoredVersion({ spec, status }: Json): void {
  const stored = new Set<string>(status.storedVersions ?? []);
  for (const { name, storage } of spec.versions ?? []) if (storage) stored.add(name);
  status.storedVersions = [...stored];
}
