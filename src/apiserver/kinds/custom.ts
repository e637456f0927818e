import type { Json, ResourceKind } from "../resource_kind.ts";
import { defineKind, STATUS, takeAllButStatusFrom } from "./define.ts";

const VERBS = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];

/** The resource that one version of a stored CustomResourceDefinition describes. */
export function customKind(definition: Json, versionName: string): ResourceKind {
  const { group, scope, names, versions } = definition.spec;
  const version = versions.find(({ name }: Json) => name === versionName);
  if (!version) throw new Error(`Cannot serve ${definition.metadata.name}: it has no version ${versionName}`);
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
    subresources: version.subresources?.status ? [STATUS] : [],
    custom: true,
    allowsUnconditionalUpdate: false,
    generation: "spec",
    schema: { type: "object", properties: {}, preserveUnknown: true },
    read: (value) => ({ object: structuredClone(value), unknownFields: [] }),
    prepareForStatusUpdate: takeAllButStatusFrom,
  });
}
