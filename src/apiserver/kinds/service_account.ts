import { defineKind } from "./define.ts";
import { CORE_TYPES } from "../schema/types/core.ts";
import { AGE, NAME, table } from "./tables/columns.ts";

export const SERVICE_ACCOUNTS = defineKind(CORE_TYPES, "ServiceAccount", {
  shortNames: ["sa"],
  subresources: [{
    name: "token",
    verbs: ["create"],
    responseKind: { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" },
  }],
  table: table({
    Name: NAME,
    Secrets: ({ secrets }) => (secrets ?? []).length,
    Age: AGE,
  }),
});
