import { KUBERNETES_TYPES } from "../schema/kubernetes_types.ts";
import { defineKind } from "./define.ts";

export const CONFIG_MAPS = defineKind({
  group: "",
  version: "v1",
  plural: "configmaps",
  kind: "ConfigMap",
  namespaced: true,
  shortNames: ["cm"],
  schema: KUBERNETES_TYPES.object("core.ConfigMap"),
});
