import { defineKind } from "./define.ts";
import { COORDINATION_TYPES } from "../schema/types/coordination.ts";
import { AGE, NAME, table } from "./tables/columns.ts";
import { atLeast, NOT_NEGATIVE, rules } from "./validation/check.ts";

const SPEC = rules(
  "coordination ValidateLeaseSpec",
  ["leaseDurationSeconds", atLeast(1, "must be greater than 0")],
  ["leaseTransitions", NOT_NEGATIVE],
);

export const LEASES = defineKind(COORDINATION_TYPES, "Lease", {
  allowsCreateOnUpdate: true,
  allowsUnconditionalUpdate: false,
  validate: ({ spec }) => SPEC(spec, "spec"),
  table: table({
    Name: NAME,
    Holder: ({ spec }) => spec.holderIdentity ?? "",
    Age: AGE,
  }),
});
