import { TypePackage } from "../type_table.ts";
import { META_TYPES } from "./meta.ts";

export const COORDINATION_TYPES: TypePackage = new TypePackage("coordination", {
  Lease: { metadata: "1 meta.ObjectMeta value", spec: "2 LeaseSpec value" },
  LeaseSpec: {
    holderIdentity: "1 string pointer",
    leaseDurationSeconds: "2 int32 pointer",
    acquireTime: "3 microtime",
    renewTime: "4 microtime",
    leaseTransitions: "5 int32 pointer",
    strategy: "6 string pointer",
    preferredHolder: "7 string pointer",
  },
}, { uses: [META_TYPES] });
