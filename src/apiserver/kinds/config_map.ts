import { ANYTHING, defineKind } from "./define.ts";

export const CONFIG_MAPS = defineKind({
  group: "",
  version: "v1",
  plural: "configmaps",
  kind: "ConfigMap",
  namespaced: true,
  shortNames: ["cm"],
  schema: ANYTHING,
});
