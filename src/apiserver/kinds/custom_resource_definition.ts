import type { Json } from "../resource_kind.ts";
import { KUBERNETES_TYPES } from "../schema/kubernetes_types.ts";
import { copyField, defineKind, STATUS, takeStatusFrom } from "./define.ts";
import { definitionWarnings, validateDefinition, validateDefinitionUpdate } from "./validation/definition.ts";

export const CUSTOM_RESOURCE_DEFINITIONS = defineKind({
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
  shortNames: ["crd", "crds"],
  categories: ["api-extensions"],
  subresources: [STATUS],
  generation: "spec",
  // Kubernetes keeps definitions in the form of v1beta1, and the hash is of that.
  storageVersionHash: "jfWCUB31mvA=",
  schema: KUBERNETES_TYPES.object("apiextensions.CustomResourceDefinition"),
  setDefaults,
  prepareForCreate(definition) {
    definition.status = { conditions: null, acceptedNames: { plural: "", kind: "" }, storedVersions: [] };
    noteStoredVersion(definition);
  },
  prepareForUpdate(definition, old) {
    takeStatusFrom(definition, old);
    noteStoredVersion(definition);
  },
  prepareForStatusUpdate(definition, old) {
    copyField("spec", old, definition);
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
  const stored: string[] = status.storedVersions ?? [];
  for (const { name, storage } of spec.versions ?? []) {
    if (storage && !stored.includes(name)) stored.push(name);
  }
  status.storedVersions = stored;
}
