import type { Json, ResourceTable } from "../../resource_kind.ts";
import { orNone, since } from "./cells.ts";
import {
  CONFIG_MAP_COLUMNS,
  CREATED_COLUMNS,
  LEASE_COLUMNS,
  NAMESPACE_COLUMNS,
  NODE_COLUMNS,
  SECRET_COLUMNS,
  SERVICE_ACCOUNT_COLUMNS,
} from "./columns.ts";

/** The table of kinds that have no columns of their own. */
export const NAME_AND_CREATED: ResourceTable = {
  columns: CREATED_COLUMNS,
  row: ({ metadata }) => ({ cells: [metadata.name, metadata.creationTimestamp] }),
};

export const NAMESPACE_TABLE: ResourceTable = {
  columns: NAMESPACE_COLUMNS,
  row: ({ metadata, status }, now) => ({
    cells: [metadata.name, status?.phase ?? "", since(metadata.creationTimestamp, now)],
  }),
};

export const CONFIG_MAP_TABLE: ResourceTable = {
  columns: CONFIG_MAP_COLUMNS,
  row: ({ metadata, data, binaryData }, now) => ({
    cells: [metadata.name, size(data) + size(binaryData), since(metadata.creationTimestamp, now)],
  }),
};

export const SECRET_TABLE: ResourceTable = {
  columns: SECRET_COLUMNS,
  row: ({ metadata, type, data }, now) => ({
    cells: [metadata.name, type, size(data), since(metadata.creationTimestamp, now)],
  }),
};

export const SERVICE_ACCOUNT_TABLE: ResourceTable = {
  columns: SERVICE_ACCOUNT_COLUMNS,
  row: ({ metadata, secrets }, now) => ({
    cells: [metadata.name, (secrets ?? []).length, since(metadata.creationTimestamp, now)],
  }),
};

export const LEASE_TABLE: ResourceTable = {
  columns: LEASE_COLUMNS,
  row: ({ metadata, spec }, now) => ({
    cells: [metadata.name, spec.holderIdentity ?? "", since(metadata.creationTimestamp, now)],
  }),
};

const ROLE_LABEL = "node-role.kubernetes.io/";

export const NODE_TABLE: ResourceTable = {
  columns: NODE_COLUMNS,
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
};

function nodeStatus(spec: Json, status: Json): string {
  const ready = (status.conditions ?? []).find((one: Json) => one.type === "Ready");
  const word = !ready ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady";
  return spec?.unschedulable ? `${word},SchedulingDisabled` : word;
}

function size(map: Json | undefined): number {
  return Object.keys(map ?? {}).length;
}
