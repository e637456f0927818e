import type { Json } from "../resource_kind.ts";
import { KUBERNETES_TYPES } from "../schema/kubernetes_types.ts";
import { defineKind, STATUS, takeStatusFrom } from "./define.ts";
import { orNone, since } from "./tables/cells.ts";
import { AGE, NAME, text, wide } from "./tables/columns.ts";

const ROLE_LABEL = "node-role.kubernetes.io/";

export const NODES = defineKind({
  group: "",
  version: "v1",
  plural: "nodes",
  kind: "Node",
  namespaced: false,
  shortNames: ["no"],
  subresources: [
    {
      name: "proxy",
      verbs: ["create", "delete", "get", "patch", "update"],
      responseKind: { group: "", version: "", kind: "NodeProxyOptions" },
    },
    STATUS,
  ],
  schema: KUBERNETES_TYPES.object("core.Node"),
  selectableFields: { "spec.unschedulable": ({ spec }) => String(spec?.unschedulable ?? false) },
  prepareForUpdate: takeStatusFrom,
  table: {
    columns: [
      NAME,
      text("Status", "Whether the node is ready."),
      text("Roles", "The roles that the node's labels give it."),
      AGE,
      text("Version", "The version of the node's kubelet."),
      wide(text("Internal-IP", "The node's address inside the cluster.")),
      wide(text("External-IP", "The node's address outside the cluster.")),
      wide(text("OS-Image", "What the node's operating system calls itself.")),
      wide(text("Kernel-Version", "The version of the node's kernel.")),
      wide(text("Container-Runtime", "What runs the node's containers.")),
    ],
    row({ metadata, spec, status = {} }, now) {
      const { nodeInfo = {} } = status;
      const roles = Object.keys(metadata.labels ?? {}).filter((key) => key.startsWith(ROLE_LABEL));
      const address = (type: string) => status.addresses?.find((one: Json) => one.type === type)?.address;
      return {
        cells: [
          metadata.name,
          nodeStatus(spec, status),
          orNone(roles.map((key) => key.slice(ROLE_LABEL.length)).sort().join(",")),
          since(metadata.creationTimestamp, now),
          nodeInfo.kubeletVersion ?? "",
          orNone(address("InternalIP")),
          orNone(address("ExternalIP")),
          nodeInfo.osImage || "<unknown>",
          nodeInfo.kernelVersion || "<unknown>",
          nodeInfo.containerRuntimeVersion || "<unknown>",
        ],
      };
    },
  },
});

function nodeStatus(spec: Json, status: Json): string {
  const ready = (status.conditions ?? []).find((one: Json) => one.type === "Ready");
  const word = !ready ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady";
  return spec?.unschedulable ? `${word},SchedulingDisabled` : word;
}
