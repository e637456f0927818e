import { KUBERNETES_TYPES } from "../schema/kubernetes_types.ts";
import { defineKind } from "./define.ts";

export const LEASES = defineKind({
  group: "coordination.k8s.io",
  version: "v1",
  plural: "leases",
  kind: "Lease",
  namespaced: true,
  allowsCreateOnUpdate: true,
  allowsUnconditionalUpdate: false,
  schema: KUBERNETES_TYPES.object("coordination.Lease"),
});
