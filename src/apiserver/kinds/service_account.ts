import { KUBERNETES_TYPES } from "../schema/kubernetes_types.ts";
import { defineKind } from "./define.ts";

export const SERVICE_ACCOUNTS = defineKind({
  group: "",
  version: "v1",
  plural: "serviceaccounts",
  kind: "ServiceAccount",
  namespaced: true,
  shortNames: ["sa"],
  schema: KUBERNETES_TYPES.object("core.ServiceAccount"),
});
