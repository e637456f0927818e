import { KUBERNETES_TYPES } from "../schema/kubernetes_types.ts";
import { defineKind } from "./define.ts";

export const SECRETS = defineKind({
  group: "",
  version: "v1",
  plural: "secrets",
  kind: "Secret",
  namespaced: true,
  shortNames: [],
  schema: KUBERNETES_TYPES.object("core.Secret"),
});
