import { type CustomResourceDefinition, definitionOf } from "../../src/cronjob/api/crd.ts";
import { TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import type { Resource } from "../../src/kube/resource.ts";

export const CUSTOM_RESOURCE_DEFINITIONS: Resource<CustomResourceDefinition> = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
};

/** The tutorial's. */
export const CRONJOB_CRD = definitionOf(TUTORIAL);
