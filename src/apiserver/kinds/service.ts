import type { Json } from "../resource_kind.ts";
import { defineKind } from "./define.ts";
import { CORE_TYPES } from "../schema/types/core.ts";
import { orNone } from "./tables/cells.ts";
import { AGE, NAME, table } from "./tables/columns.ts";

/** Services can only be read: nothing here routes traffic, and `kubernetes` is the only one. */
export const SERVICES = defineKind(CORE_TYPES, "Service", {
  shortNames: ["svc"],
  categories: ["all"],
  verbs: ["get", "list", "watch"],
  selectableFields: { "spec.clusterIP": "", "spec.type": "" },
  table: table({
    Name: NAME,
    Type: ({ spec }) => spec.type,
    "Cluster-IP": ({ spec }) => orNone(spec.clusterIP),
    "External-IP": () => "<none>",
    "Port(s)": ({ spec }) => (spec.ports ?? []).map(({ port, protocol }: Json) => `${port}/${protocol}`).join(","),
    Age: AGE,
    "Selector wide": () => "<none>",
  }),
});
