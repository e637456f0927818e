import { ANYTHING, defineKind } from "./define.ts";

export const SERVICE_ACCOUNTS = defineKind({
  group: "",
  version: "v1",
  plural: "serviceaccounts",
  kind: "ServiceAccount",
  namespaced: true,
  shortNames: ["sa"],
  schema: ANYTHING,
});
