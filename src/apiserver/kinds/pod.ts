import { KUBERNETES_TYPES } from "../schema/kubernetes_types.ts";
import { defineKind, STATUS } from "./define.ts";

export const PODS = defineKind({
  group: "",
  version: "v1",
  plural: "pods",
  kind: "Pod",
  namespaced: true,
  shortNames: ["po"],
  categories: ["all"],
  subresources: [{ name: "log", verbs: ["get"] }, STATUS],
  schema: KUBERNETES_TYPES.object("core.Pod"),
});
