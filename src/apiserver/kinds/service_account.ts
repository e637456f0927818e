import { KUBERNETES_TYPES } from "../schema/kubernetes_types.ts";
import { defineKind } from "./define.ts";
import { since } from "./tables/cells.ts";
import { AGE, NAME, text } from "./tables/columns.ts";

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
  table: {
    columns: [
      NAME,
      text("Secrets", "How many secrets Pods that run as this account may use."),
      AGE,
    ],
    row: ({ metadata, secrets }, now) => ({
      cells: [metadata.name, (secrets ?? []).length, since(metadata.creationTimestamp, now)],
    }),
  },
});
