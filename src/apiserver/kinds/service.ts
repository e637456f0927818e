import type { Json } from "../resource_kind.ts";
import { KUBERNETES_TYPES } from "../schema/kubernetes_types.ts";
import { defineKind } from "./define.ts";
import { orNone } from "./tables/cells.ts";
import { AGE, NAME, SELECTOR_DESCRIPTION, table } from "./tables/columns.ts";

/** Only `kubernetes` is ever there, as nothing here routes traffic: Services can be read, and that is all. */
export const SERVICES = defineKind({
  group: "",
  version: "v1",
  plural: "services",
  kind: "Service",
  namespaced: true,
  shortNames: ["svc"],
  categories: ["all"],
  verbs: ["get", "list", "watch"],
  schema: KUBERNETES_TYPES.object("core.Service"),
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
