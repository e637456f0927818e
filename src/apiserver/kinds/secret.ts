import { ANYTHING, defineKind } from "./define.ts";

export const SECRETS = defineKind({
  group: "",
  version: "v1",
  plural: "secrets",
  kind: "Secret",
  namespaced: true,
  shortNames: [],
  schema: ANYTHING,
});
