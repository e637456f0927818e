import type { Json } from "../resource_kind.ts";
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
  prepareForCreate: cleanSecretReferences,
  prepareForUpdate: cleanSecretReferences,
  table: table({
    Name: NAME,
    Secrets: ["How many secrets Pods that run as this account may use.", ({ secrets }) => (secrets ?? []).length],
    Age: AGE,
  }),
});

/** Of a reference to a Secret the name alone stays. */
function cleanSecretReferences(account: Json): void {
  if (account.secrets) account.secrets = account.secrets.map(({ name }: Json) => name ? { name } : {});
}
