import type { Json, Subresource } from "../resource_kind.ts";
import { admitPod, setPodDefaults } from "./defaults/pod.ts";
import { qosClass } from "./defaults/pod_resources.ts";
import { copyField, defineKind, STATUS } from "./define.ts";
import { CORE_TYPES } from "../schema/types/core.ts";
import { POD_TABLE } from "./tables/pod.ts";
import { validatePod, validatePodUpdate } from "./validation/pod.ts";
import { validatePodStatusUpdate } from "./validation/pod_status.ts";
import { podWarnings } from "./warnings.ts";

const READ_AND_WRITE = ["create", "delete", "get", "patch", "update"];

/** All that Kubernetes has, so that clients find what they look for; the server refuses what it cannot do. */
const SUBRESOURCES: readonly Subresource[] = [
  { name: "attach", verbs: ["create", "get"], responseKind: core("PodAttachOptions") },
  { name: "binding", verbs: ["create"], responseKind: core("Binding") },
  { name: "ephemeralcontainers", verbs: ["get", "patch", "update"] },
  { name: "eviction", verbs: ["create"], responseKind: { group: "policy", version: "v1", kind: "Eviction" } },
  { name: "exec", verbs: ["create", "get"], responseKind: core("PodExecOptions") },
  { name: "log", verbs: ["get"] },
  { name: "portforward", verbs: ["create", "get"], responseKind: core("PodPortForwardOptions") },
  { name: "proxy", verbs: READ_AND_WRITE, responseKind: core("PodProxyOptions") },
  { name: "resize", verbs: ["get", "patch", "update"] },
  STATUS,
];

const SCHEDULING_GATED = {
  type: "PodScheduled",
  status: "False",
  reason: "SchedulingGated",
  message: "Scheduling is blocked due to non-empty scheduling gates",
};

export const PODS = defineKind(CORE_TYPES, "Pod", {
  shortNames: ["po"],
  categories: ["all"],
  subresources: SUBRESOURCES,
  generation: "spec",
  gracefulDeletion: graceSeconds,
  selectableFields: {
    "spec.nodeName": "",
    "spec.restartPolicy": "",
    "spec.schedulerName": "",
    "spec.serviceAccountName": "",
    "spec.hostNetwork": "false",
    "status.phase": "",
    "status.podIP": "",
    "status.nominatedNodeName": "",
    // Can be asked for, and no Pod has it.
    "status.podIPs": () => "",
    "spec.host": ({ spec }) => spec.nodeName ?? "",
  },
  setDefaults: setPodDefaults,
  prepareForCreate(pod) {
    admitPod(pod);
    pod.status = { phase: "Pending", qosClass: qosClass(pod) };
    if (pod.spec.schedulingGates?.length) pod.status.conditions = [SCHEDULING_GATED];
  },
  prepareForStatusUpdate(pod, old) {
    const nodeName = pod.spec?.nodeName;
    copyField("spec", old, pod);
    // The kubelet takes the Pod in one write; nothing here schedules.
    if (nodeName && !old.spec.nodeName) pod.spec.nodeName = nodeName;
    copyField("ownerReferences", old.metadata, pod.metadata);
    pod.status.qosClass ??= old.status?.qosClass;
  },
  validate: validatePod,
  validateUpdate: validatePodUpdate,
  validateStatusUpdate: validatePodStatusUpdate,
  warnings: podWarnings,
  table: POD_TABLE,
});

/** A Pod that no node has, or that has ended, can go at once. */
function graceSeconds({ spec, status }: Json, requestedSeconds: number | undefined): number {
  if (!spec.nodeName || status?.phase === "Failed" || status?.phase === "Succeeded") return 0;
  const seconds = requestedSeconds ?? spec.terminationGracePeriodSeconds ?? 0;
  return seconds < 0 ? 1 : seconds;
}

/** Built-in kinds leave the group and version out of discovery. */
function core(kind: string): Subresource["responseKind"] {
  return { group: "", version: "", kind };
}
