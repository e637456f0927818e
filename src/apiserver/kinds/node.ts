import type { Json } from "../resource_kind.ts";
import { core, defineKind, READ_AND_WRITE, STATUS } from "./define.ts";
import { CORE_TYPES } from "../schema/types/core.ts";
import { forbidden, found } from "./validation/field_errors.ts";
import { orNone } from "./tables/cells.ts";
import { AGE, NAME, table } from "./tables/columns.ts";

/** Without a scheduler Pods run on the one node as soon as they are created. */
const REMEDY = "suspend CronJobs and Jobs instead, or hold Pods back by spec.schedulingGates";

const ROLE_LABEL = "node-role.kubernetes.io/";

export const NODES = defineKind(CORE_TYPES, "Node", {
  namespaced: false,
  shortNames: ["no"],
  subresources: [{ name: "proxy", verbs: READ_AND_WRITE, responseKind: core("NodeProxyOptions") }, STATUS],
  selectableFields: { "spec.unschedulable": "false" },
  validate: ({ spec = {} }) =>
    found(
      spec.unschedulable && forbidden("spec.unschedulable", `the node cannot be cordoned; ${REMEDY}`),
      spec.taints?.length && forbidden("spec.taints", `the node takes no taints; ${REMEDY}`),
    ),
  table: table({
    Name: NAME,
    Status: nodeStatus,
    Roles: roles,
    Age: AGE,
    Version: ({ status }) => status?.nodeInfo?.kubeletVersion ?? "",
    "Internal-IP wide": internalAddress,
  }),
});

function roles({ metadata }: Json): string {
  const labels = Object.keys(metadata.labels ?? {}).filter((key) => key.startsWith(ROLE_LABEL));
  return orNone(labels.map((key) => key.slice(ROLE_LABEL.length)).sort().join(","));
}

function internalAddress({ status }: Json): string {
  return orNone(status?.addresses?.find(({ type }: Json) => type === "InternalIP")?.address);
}

function nodeStatus({ status = {} }: Json): string {
  const ready = (status.conditions ?? []).find((one: Json) => one.type === "Ready");
  return !ready ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady";
}
