import type { Json } from "../resource_kind.ts";
import { defineKind } from "./define.ts";
import { CORE_TYPES } from "../schema/types/core.ts";
import { orNone } from "./tables/cells.ts";
import { AGE, NAME, SELECTOR_DESCRIPTION, table } from "./tables/columns.ts";

/** Only `kubernetes` is ever there, as nothing here routes traffic: Services can be read, and that is all. */
export const SERVICES = defineKind(CORE_TYPES, "Service", {
  shortNames: ["svc"],
  categories: ["all"],
  verbs: ["get", "list", "watch"],
  selectableFields: { "spec.clusterIP": "", "spec.type": "" },
  table: table({
    Name: NAME,
    Type: ["How the Service is reached.", ({ spec }) => spec.type],
    "Cluster-IP": ["The address inside the cluster.", ({ spec }) => orNone(spec.clusterIP)],
    "External-IP": ["The address outside the cluster.", () => "<none>"],
    "Port(s)": [
      "The ports that it has.",
      ({ spec }) => (spec.ports ?? []).map(({ port, protocol }: Json) => `${port}/${protocol}`).join(","),
    ],
    Age: AGE,
    "Selector wide": [SELECTOR_DESCRIPTION, () => "<none>"],
  }),
});
