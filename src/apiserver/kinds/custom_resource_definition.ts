import { KUBERNETES_TYPES } from "../schema/kubernetes_types.ts";
import { defineKind, STATUS } from "./define.ts";

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
  schema: KUBERNETES_TYPES.object("apiextensions.CustomResourceDefinition"),
});
