import { KUBERNETES_TYPES } from "../schema/kubernetes_types.ts";
import { defineKind } from "./define.ts";
import { CONFIG_MAP_TABLE } from "./tables/simple.ts";
import { validateConfigMap, validateImmutableData } from "./validation/small.ts";

export const CONFIG_MAPS = defineKind({
  group: "",
  version: "v1",
  plural: "configmaps",
  kind: "ConfigMap",
  namespaced: true,
  shortNames: ["cm"],
  schema: KUBERNETES_TYPES.object("core.ConfigMap"),
  validate: validateConfigMap,
  validateUpdate: (configMap, old) => [...validateImmutableData(configMap, old), ...validateConfigMap(configMap)],
  table: CONFIG_MAP_TABLE,
});
