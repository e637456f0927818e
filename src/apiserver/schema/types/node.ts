import type { TypeTable } from "../type_table.ts";

export const NODE_TYPES: TypeTable = {
  Node: {
    metadata: "meta.ObjectMeta value",
    spec: "NodeSpec value",
    status: "NodeStatus value",
  },
  NodeSpec: {
    configSource: "NodeConfigSource",
    externalID: "string",
    podCIDR: "string",
    podCIDRs: "[]string merge set",
    providerID: "string",
    taints: "[]Taint",
    unschedulable: "bool",
  },
  NodeConfigSource: {
    configMap: "ConfigMapNodeConfigSource",
  },
  ConfigMapNodeConfigSource: {
    kubeletConfigKey: "string always",
    name: "string always",
    namespace: "string always",
    resourceVersion: "string",
    uid: "string",
  },
  Taint: {
    effect: "string always",
    key: "string always",
    timeAdded: "time",
    value: "string",
  },
  NodeStatus: {
    addresses: "[]NodeAddress merge=type map=type",
    allocatable: "map[quantity]",
    capacity: "map[quantity]",
    conditions: "[]NodeCondition merge=type map=type",
    config: "NodeConfigStatus",
    daemonEndpoints: "NodeDaemonEndpoints value",
    declaredFeatures: "[]string",
    features: "NodeFeatures",
    images: "[]ContainerImage",
    nodeInfo: "NodeSystemInfo value",
    phase: "string",
    runtimeHandlers: "[]NodeRuntimeHandler",
    volumesAttached: "[]AttachedVolume",
    volumesInUse: "[]string",
  },
  NodeAddress: {
    address: "string always",
    type: "string always",
  },
  NodeCondition: {
    lastHeartbeatTime: "time orNull",
    lastTransitionTime: "time orNull",
    message: "string",
    reason: "string",
    status: "string always",
    type: "string always",
  },
  NodeConfigStatus: {
    active: "NodeConfigSource",
    assigned: "NodeConfigSource",
    error: "string",
    lastKnownGood: "NodeConfigSource",
  },
  NodeDaemonEndpoints: {
    kubeletEndpoint: "DaemonEndpoint value",
  },
  DaemonEndpoint: {
    Port: "int32 always",
  },
  NodeFeatures: {
    supplementalGroupsPolicy: "bool pointer",
  },
  ContainerImage: {
    names: "[]string",
    sizeBytes: "int64",
  },
  NodeSystemInfo: {
    architecture: "string always",
    bootID: "string always",
    containerRuntimeVersion: "string always",
    kernelVersion: "string always",
    kubeProxyVersion: "string always",
    kubeletVersion: "string always",
    machineID: "string always",
    operatingSystem: "string always",
    osImage: "string always",
    swap: "NodeSwapStatus",
    systemUUID: "string always",
  },
  NodeSwapStatus: {
    capacity: "int64 pointer",
  },
  NodeRuntimeHandler: {
    features: "NodeRuntimeHandlerFeatures",
    name: "string",
  },
  NodeRuntimeHandlerFeatures: {
    recursiveReadOnlyMounts: "bool pointer",
    userNamespaces: "bool pointer",
  },
  AttachedVolume: {
    devicePath: "string always",
    name: "string always",
  },
};
