import { KUBERNETES_TYPES } from "../schema/kubernetes_types.ts";
import { defineKind, STATUS } from "./define.ts";

export const NODES = defineKind({
  group: "",
  version: "v1",
  plural: "nodes",
  kind: "Node",
  namespaced: false,
  shortNames: ["no"],
  subresources: [STATUS],
  schema: KUBERNETES_TYPES.object("core.Node"),
});
