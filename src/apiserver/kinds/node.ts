import { KUBERNETES_TYPES } from "../schema/kubernetes_types.ts";
import { defineKind, STATUS, takeStatusFrom } from "./define.ts";
import { NODE_TABLE } from "./tables/simple.ts";

export const NODES = defineKind({
  group: "",
  version: "v1",
  plural: "nodes",
  kind: "Node",
  namespaced: false,
  shortNames: ["no"],
  subresources: [
    {
      name: "proxy",
      verbs: ["create", "delete", "get", "patch", "update"],
      responseKind: { group: "", version: "", kind: "NodeProxyOptions" },
    },
    STATUS,
  ],
  schema: KUBERNETES_TYPES.object("core.Node"),
  selectableFields: { "spec.unschedulable": ({ spec }) => String(spec?.unschedulable ?? false) },
  prepareForUpdate: takeStatusFrom,
  table: NODE_TABLE,
});
