import { compareQuantities } from "../../kube/quantity.ts";
import { type EpochMs, parseTime } from "../../base/epoch_ms.ts";
import type { Json, ResourceTable, Subresource } from "../resource_kind.ts";
import { trueCondition } from "./conditions.ts";
import { copyField, core, defineKind, READ_AND_WRITE, STATUS } from "./define.ts";
import { allContainers, setPodSpecDefaults } from "./defaults/pod_spec.ts";
import { CORE_TYPES } from "../schema/types/core.ts";
import { humanDuration, orNone } from "./tables/cells.ts";
import { AGE, NAME, table } from "./tables/columns.ts";
import { validatePod, validatePodStatus, validatePodUpdate } from "./validation/pod.ts";
import { podWarnings } from "./warnings.ts";

/** All of Kubernetes', so that clients find them in discovery; the server refuses those that it does not serve. */
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

const COMPLETED = { type: "Completed", status: "True" };
const ENDED: Record<string, Json[]> = {
  Succeeded: [{ ...COMPLETED, reason: "Succeeded", message: "The pod has completed successfully." }],
  Failed: [{ ...COMPLETED, reason: "Failed", message: "The pod failed." }],
};

export const POD_TABLE: ResourceTable = table({
  Name: NAME,
  Ready: ready,
  Status: podStatus,
  Restarts: restarts,
  Age: AGE,
  "IP wide": ({ status }) => orNone(status?.podIPs?.[0]?.ip ?? status?.podIP),
  "Node wide": ({ spec }) => orNone(spec.nodeName),
  "Nominated Node wide": ({ status }) => orNone(status?.nominatedNodeName),
  "Readiness Gates wide": readinessGates,
}, ({ status }) => ENDED[status?.phase]);

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
  validateStatusUpdate: validatePodStatus,
  warnings: podWarnings,
  table: POD_TABLE,
});

/** Returns the grace period of a deletion: none for a Pod without a node, or that has ended. */
function graceSeconds({ spec, status }: Json, requestedSeconds: number | undefined): number {
  if (!spec.nodeName || status?.phase === "Failed" || status?.phase === "Succeeded") return 0;
  const seconds = requestedSeconds ?? spec.terminationGracePeriodSeconds ?? 0;
  return seconds < 0 ? 1 : seconds;
}

const TAINTS_OUTLIVED = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

/** Fills in what a Pod leaves out, as kube-apiserver does. */
function setPodDefaults(pod: Json): void {
  setPodSpecDefaults(pod.spec);
  pod.spec.enableServiceLinks ??= true;
  for (const { resources } of allContainers(pod.spec)) {
    if (resources?.limits) resources.requests = { ...resources.limits, ...resources.requests };
  }
  const { status } = pod;
  if (status?.podIP && !status.podIPs) status.podIPs = [{ ip: status.podIP }];
  if (status?.hostIP && !status.hostIPs) status.hostIPs = [{ ip: status.hostIP }];
}

/** Adds what kube-apiserver's admission plugins add to a new Pod. */
function admitPod({ spec }: Json): void {
  spec.priority ??= 0;
  spec.preemptionPolicy ??= "PreemptLowerPriority";
  for (const key of TAINTS_OUTLIVED) {
    const tolerated = (spec.tolerations ?? []).some((toleration: Json) =>
      (toleration.key === key || !toleration.key) && (!toleration.effect || toleration.effect === "NoExecute")
    );
    if (!tolerated) {
      (spec.tolerations ??= []).push({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 });
    }
  }
}

const QOS_RESOURCES = ["cpu", "memory"];

/** Returns the QoS class, by the resources of the Pod as a whole, or else by those of each container. */
function qosClass({ spec }: Json): "Guaranteed" | "Burstable" | "BestEffort" {
  const counted: Json[] = spec.resources ? [spec] : [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  const amounts = (list: string, { resources }: Json): string[] =>
    QOS_RESOURCES.map((name) => resources?.[list]?.[name] ?? "0").filter((amount) => amount !== "0");
  if (counted.every((one) => amounts("requests", one).length + amounts("limits", one).length === 0)) {
    return "BestEffort";
  }
  const guaranteed = counted.every((one) => {
    const limits = amounts("limits", one);
    return limits.length === QOS_RESOURCES.length &&
      QOS_RESOURCES.every((name, index) =>
        compareQuantities(one.resources.requests?.[name] ?? limits[index], limits[index]!) === 0
      );
  });
  return guaranteed ? "Guaranteed" : "Burstable";
}

/** Returns the number and statuses of a Pod's ordinary containers and sidecars: kubectl counts no others. */
function countedContainers({ spec, status = {} }: Json): { total: number; statuses: Json[] } {
  const sidecars = new Set(
    (spec.initContainers ?? []).filter((one: Json) => one.restartPolicy === "Always").map(({ name }: Json) => name),
  );
  const ofSidecars = (status.initContainerStatuses ?? []).filter(({ name }: Json) => sidecars.has(name));
  return {
    total: (spec.containers ?? []).length + sidecars.size,
    statuses: [...ofSidecars, ...(status.containerStatuses ?? [])],
  };
}

function ready(pod: Json): string {
  const { total, statuses } = countedContainers(pod);
  return `${statuses.filter((one) => one.ready && one.state?.running).length}/${total}`;
}

function restarts(pod: Json, now: EpochMs): string {
  const { statuses } = countedContainers(pod);
  const count = statuses.reduce((sum, one) => sum + (one.restartCount ?? 0), 0);
  const ends = statuses.flatMap((one) => parseTime(one.lastState?.terminated?.finishedAt) ?? []);
  const last = ends.length === 0 ? "" : ` (${humanDuration(now - Math.max(...ends))} ago)`;
  return count === 0 ? "0" : `${count}${last}`;
}

/** Returns STATUS of `kubectl get pods`: a word about the containers, or else the phase. */
function podStatus(pod: Json): string {
  const { metadata, status = {} } = pod;
  const word = initStatus(pod) ?? runStatus(pod);
  if (!metadata.deletionTimestamp) return word;
  if (status.reason === "NodeLost") return "Unknown";
  return status.phase === "Failed" || status.phase === "Succeeded" ? word : "Terminating";
}

function runStatus(pod: Json): string {
  const { containerStatuses: statuses = [], conditions = [], reason, phase = "" } = pod.status ?? {};
  // The first container's word wins.
  const word = statuses.map(({ state: { waiting, terminated } = {} as Json }: Json) =>
    waiting?.reason || (terminated ? terminatedWord(terminated) : undefined)
  ).find((one: string | undefined) => one !== undefined);
  if (word === "Completed" && statuses.some((one: Json) => one.ready && one.state?.running)) {
    return trueCondition(pod, "Ready") ? "Running" : "NotReady";
  }
  const isGated = conditions.some((one: Json) => one.reason === "SchedulingGated");
  return word ?? (isGated ? "SchedulingGated" : reason ?? phase);
}

function terminatedWord({ reason, signal, exitCode }: Json): string {
  return reason || (signal ? `Signal:${signal}` : `ExitCode:${exitCode}`);
}

/** `Init:1/2` and the like while init containers have not all done their work. */
function initStatus({ spec, status = {} }: Json): string | undefined {
  const containers: Json[] = spec.initContainers ?? [];
  for (const [index, { state = {}, name, started }] of (status.initContainerStatuses ?? []).entries()) {
    const isSidecar = containers.some((one) => one.name === name && one.restartPolicy === "Always");
    if (state.terminated?.exitCode === 0 || (isSidecar && started)) continue;
    if (state.terminated) return `Init:${terminatedWord(state.terminated)}`;
    if (state.waiting?.reason && state.waiting.reason !== "PodInitializing") return `Init:${state.waiting.reason}`;
    return `Init:${index}/${containers.length}`;
  }
  return undefined;
}

function readinessGates(pod: Json): string {
  const gates: Json[] = pod.spec.readinessGates ?? [];
  if (gates.length === 0) return "<none>";
  return `${gates.filter(({ conditionType }) => trueCondition(pod, conditionType)).length}/${gates.length}`;
}
