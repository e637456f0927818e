import { KUBERNETES_TYPES } from "../schema/kubernetes_types.ts";
import { labelErrors } from "./validation/names.ts";
import { defineKind, STATUS } from "./define.ts";

export const NAMESPACES = defineKind({
  group: "",
  version: "v1",
  plural: "namespaces",
  kind: "Namespace",
  namespaced: false,
  shortNames: ["ns"],
  verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
  subresources: [{ name: "finalize", verbs: ["update"] }, STATUS],
  validateName: labelErrors,
  schema: KUBERNETES_TYPES.object("core.Namespace"),
});
