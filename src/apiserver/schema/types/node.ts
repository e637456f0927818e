import type { TypeTable } from "../type_table.ts";

export const NODE_TYPES: TypeTable = {
  Node: {
    metadata: "1 meta.ObjectMeta value",
    spec: "2 NodeSpec value",
    status: "3 NodeStatus value",
  },
  NodeSpec: {
    configSource: "6 NodeConfigSource",
    externalID: "2 string",
    podCIDR: "1 string",
    podCIDRs: "7 []string merge set",
    providerID: "3 string",
    taints: "5 []Taint",
    unschedulable: "4 bool",
  },
  NodeConfigSource: {
    configMap: "2 ConfigMapNodeConfigSource",
  },
  ConfigMapNodeConfigSource: {
    kubeletConfigKey: "5 string always",
    name: "2 string always",
    namespace: "1 string always",
    resourceVersion: "4 string",
    uid: "3 string",
  },
  Taint: {
    effect: "3 string always",
    key: "1 string always",
    timeAdded: "4 time",
    value: "2 string",
  },
  NodeStatus: {
    addresses: "5 []NodeAddress merge=type map=type",
    allocatable: "2 map[quantity]",
    capacity: "1 map[quantity]",
    conditions: "4 []NodeCondition merge=type map=type",
    config: "11 NodeConfigStatus",
    daemonEndpoints: "6 NodeDaemonEndpoints value",
    declaredFeatures: "14 []string",
    features: "13 NodeFeatures",
    images: "8 []ContainerImage",
    nodeInfo: "7 NodeSystemInfo value",
    phase: "3 string",
    runtimeHandlers: "12 []NodeRuntimeHandler",
    volumesAttached: "10 []AttachedVolume",
    volumesInUse: "9 []string",
  },
  NodeAddress: {
    address: "2 string always",
    type: "1 string always",
  },
  NodeCondition: {
    lastHeartbeatTime: "3 time orNull",
    lastTransitionTime: "4 time orNull",
    message: "6 string",
    reason: "5 string",
    status: "2 string always",
    type: "1 string always",
  },
  NodeConfigStatus: {
    active: "2 NodeConfigSource",
    assigned: "1 NodeConfigSource",
    error: "4 string",
    lastKnownGood: "3 NodeConfigSource",
  },
  NodeDaemonEndpoints: {
    kubeletEndpoint: "1 DaemonEndpoint value",
  },
  DaemonEndpoint: {
    Port: "1 int32 always",
  },
  NodeFeatures: {
    supplementalGroupsPolicy: "1 bool pointer",
  },
  ContainerImage: {
    names: "1 []string",
    sizeBytes: "2 int64",
  },
  NodeSystemInfo: {
    architecture: "10 string always",
    bootID: "3 string always",
    containerRuntimeVersion: "6 string always",
    kernelVersion: "4 string always",
    kubeProxyVersion: "8 string always",
    kubeletVersion: "7 string always",
    machineID: "1 string always",
    operatingSystem: "9 string always",
    osImage: "5 string always",
    swap: "11 NodeSwapStatus",
    systemUUID: "2 string always",
  },
  NodeSwapStatus: {
    capacity: "1 int64 pointer",
  },
  NodeRuntimeHandler: {
    features: "2 NodeRuntimeHandlerFeatures",
    name: "1 string",
  },
  NodeRuntimeHandlerFeatures: {
    recursiveReadOnlyMounts: "1 bool pointer",
    userNamespaces: "2 bool pointer",
  },
  AttachedVolume: {
    devicePath: "2 string always",
    name: "1 string always",
  },
};
