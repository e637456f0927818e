import { KUBERNETES_TYPES } from "../schema/kubernetes_types.ts";
import { defineKind } from "./define.ts";
import { SERVICE_ACCOUNT_TABLE } from "./tables/simple.ts";

export const SERVICE_ACCOUNTS = defineKind({
  group: "",
  version: "v1",
  plural: "serviceaccounts",
  kind: "ServiceAccount",
  namespaced: true,
  shortNames: ["sa"],
  subresources: [{
    name: "token",
    verbs: ["create"],
    responseKind: { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" },
  }],
  schema: KUBERNETES_TYPES.object("core.ServiceAccount"),
  table: SERVICE_ACCOUNT_TABLE,
});
