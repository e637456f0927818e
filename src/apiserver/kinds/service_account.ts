import { KUBERNETES_TYPES } from "../schema/kubernetes_types.ts";
import { defineKind } from "./define.ts";
import { AGE, NAME, table } from "./tables/columns.ts";

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
  table: table({
    Name: NAME,
    Secrets: ["How many secrets Pods that run as this account may use.", ({ secrets }) => (secrets ?? []).length],
    Age: AGE,
  }),
});
