import type { Json } from "../resource_kind.ts";
import { KUBERNETES_TYPES } from "../schema/kubernetes_types.ts";
import { defineKind } from "./define.ts";
import { orNone, since } from "./tables/cells.ts";
import { AGE, NAME, SELECTOR, text } from "./tables/columns.ts";

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
  table: {
    columns: [
      NAME,
      text("Type", "How the Service is reached."),
      text("Cluster-IP", "The address inside the cluster."),
      text("External-IP", "The address outside the cluster."),
      text("Port(s)", "The ports that it has."),
      AGE,
      SELECTOR,
    ],
    row: ({ metadata, spec }, now) => ({
      cells: [
        metadata.name,
        spec.type,
        orNone(spec.clusterIP),
        "<none>",
        (spec.ports ?? []).map(({ port, protocol }: Json) => `${port}/${protocol}`).join(","),
        since(metadata.creationTimestamp, now),
        "<none>",
      ],
    }),
  },
});
