import { KUBERNETES_TYPES } from "../schema/kubernetes_types.ts";
import { defineKind } from "./define.ts";
import { LEASE_TABLE } from "./tables/simple.ts";
import { validateLease } from "./validation/small.ts";

export const LEASES = defineKind({
  group: "coordination.k8s.io",
  version: "v1",
  plural: "leases",
  kind: "Lease",
  namespaced: true,
  allowsCreateOnUpdate: true,
  allowsUnconditionalUpdate: false,
  schema: KUBERNETES_TYPES.object("coordination.Lease"),
  validate: validateLease,
  validateUpdate: validateLease,
  table: LEASE_TABLE,
});
