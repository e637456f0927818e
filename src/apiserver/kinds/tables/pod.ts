import { trueCondition } from "../conditions.ts";
import { type EpochMs, parseTime } from "../../../schedule/epoch_ms.ts";
import type { Json, ResourceTable } from "../../resource_kind.ts";
import { humanDuration, orNone } from "./cells.ts";
import { AGE, NAME, table } from "./columns.ts";

const COMPLETED = { type: "Completed", status: "True" };
const ENDED: Record<string, Json[]> = {
  Succeeded: [{ ...COMPLETED, reason: "Succeeded", message: "The pod has completed successfully." }],
  Failed: [{ ...COMPLETED, reason: "Failed", message: "The pod failed." }],
};

export const POD_TABLE: ResourceTable = table({
  Name: NAME,
  Ready: ["The aggregate readiness state of this pod for accepting traffic.", ready],
  Status: ["The aggregate status of the containers in this pod.", podStatus],
  Restarts: [
    "The number of times the containers in this pod have been restarted and when the last container in this pod has restarted.",
    restarts,
  ],
  Age: AGE,
  "IP wide": [
    "podIP address allocated to the pod. Routable at least within the cluster. Empty if not yet allocated.",
    ({ status }) => orNone(status?.podIPs?.[0]?.ip ?? status?.podIP),
  ],
  "Node wide": [
    "NodeName indicates in which node this pod is scheduled. If empty, this pod is a candidate for scheduling by the scheduler defined in schedulerName. Once this field is set, the kubelet for this node becomes responsible for the lifecycle of this pod. This field should not be used to express a desire for the pod to be scheduled on a specific node. https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#nodename",
    ({ spec }) => orNone(spec.nodeName),
  ],
  "Nominated Node wide": [
    "nominatedNodeName is set only when this pod preempts other pods on the node, but it cannot be scheduled right away as preemption victims receive their graceful termination periods. This field does not guarantee that the pod will be scheduled on this node. Scheduler may decide to place the pod elsewhere if other nodes become available sooner. Scheduler may also decide to give the resources on this node to a higher priority pod that is created after preemption. As a result, this field may be different than PodSpec.nodeName when the pod is scheduled.",
    ({ status }) => orNone(status?.nominatedNodeName),
  ],
  "Readiness Gates wide": [
    'If specified, all readiness gates will be evaluated for pod readiness. A pod is ready when all its containers are ready AND all conditions specified in the readiness gates have status equal to "True" More info: https://git.k8s.io/enhancements/keps/sig-network/580-pod-readiness-gates',
    readinessGates,
  ],
}, ({ status }) => ENDED[status?.phase]);

/** Returns how its ordinary containers and its sidecars are: only these are counted. */
function lasting({ spec, status = {} }: Json): { total: number; statuses: Json[] } {
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
  const { total, statuses } = lasting(pod);
  return `${statuses.filter((one) => one.ready && one.state?.running).length}/${total}`;
}

function restarts(pod: Json, now: EpochMs): string {
  const { statuses } = lasting(pod);
  const count = statuses.reduce((sum, one) => sum + (one.restartCount ?? 0), 0);
  const ends = statuses.flatMap((one) => parseTime(one.lastState?.terminated?.finishedAt) ?? []);
  const last = ends.length === 0
    ? ""
    : ` (${humanDuration(now - ends.reduce((last, end) => Math.max(last, end)))} ago)`;
  return count === 0 ? "0" : `${count}${last}`;
}

/** Returns the word that says best how the Pod is: of its containers, if they have one, else its phase. */
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
