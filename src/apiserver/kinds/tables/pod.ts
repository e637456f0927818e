import { type EpochMs, parseTime } from "../../../schedule/epoch_ms.ts";
import type { Json, ResourceTable } from "../../resource_kind.ts";
import { humanDuration, orNone, since } from "./cells.ts";
import { AGE, NAME, text, wide } from "./columns.ts";

const ENDED: Record<string, Json[]> = {
  Succeeded: [{
    type: "Completed",
    status: "True",
    reason: "Succeeded",
    message: "The pod has completed successfully.",
  }],
  Failed: [{ type: "Completed", status: "True", reason: "Failed", message: "The pod failed." }],
};

export const POD_TABLE: ResourceTable = {
  columns: [
    NAME,
    text("Ready", "The aggregate readiness state of this pod for accepting traffic."),
    text("Status", "The aggregate status of the containers in this pod."),
    text(
      "Restarts",
      "The number of times the containers in this pod have been restarted and when the last container in this pod has restarted.",
    ),
    AGE,
    wide(
      text(
        "IP",
        "podIP address allocated to the pod. Routable at least within the cluster. Empty if not yet allocated.",
      ),
    ),
    wide(
      text(
        "Node",
        "NodeName indicates in which node this pod is scheduled. If empty, this pod is a candidate for scheduling by the scheduler defined in schedulerName. Once this field is set, the kubelet for this node becomes responsible for the lifecycle of this pod. This field should not be used to express a desire for the pod to be scheduled on a specific node. https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#nodename",
      ),
    ),
    wide(
      text(
        "Nominated Node",
        "nominatedNodeName is set only when this pod preempts other pods on the node, but it cannot be scheduled right away as preemption victims receive their graceful termination periods. This field does not guarantee that the pod will be scheduled on this node. Scheduler may decide to place the pod elsewhere if other nodes become available sooner. Scheduler may also decide to give the resources on this node to a higher priority pod that is created after preemption. As a result, this field may be different than PodSpec.nodeName when the pod is scheduled.",
      ),
    ),
    wide(
      text(
        "Readiness Gates",
        'If specified, all readiness gates will be evaluated for pod readiness. A pod is ready when all its containers are ready AND all conditions specified in the readiness gates have status equal to "True" More info: https://git.k8s.io/enhancements/keps/sig-network/580-pod-readiness-gates',
      ),
    ),
  ],
  row(pod, now) {
    const { metadata, spec, status = {} } = pod;
    const { ready, total, restarts } = countContainers(pod, now);
    return {
      cells: [
        metadata.name,
        `${ready}/${total}`,
        podStatus(pod),
        restarts,
        since(metadata.creationTimestamp, now),
        orNone(status.podIPs?.[0]?.ip ?? status.podIP),
        orNone(spec.nodeName),
        orNone(status.nominatedNodeName),
        readinessGates(pod),
      ],
      ...(ENDED[status.phase] ? { conditions: ENDED[status.phase] } : {}),
    };
  },
};

function countContainers({ spec, status = {} }: Json, now: EpochMs) {
  const sidecars = new Set(
    (spec.initContainers ?? []).filter((one: Json) => one.restartPolicy === "Always").map(({ name }: Json) => name),
  );
  const statuses: Json[] = [
    ...(status.initContainerStatuses ?? []).filter(({ name }: Json) => sidecars.has(name)),
    ...(status.containerStatuses ?? []),
  ];
  const restartCount = statuses.reduce((sum, one) => sum + (one.restartCount ?? 0), 0);
  const ends = statuses.map((one) => parseTime(one.lastState?.terminated?.finishedAt)).filter((end) =>
    end !== undefined
  );
  const last = ends.length === 0 ? "" : ` (${humanDuration(now - Math.max(...ends))} ago)`;
  return {
    ready: statuses.filter((one) => one.ready && one.state?.running).length,
    total: (spec.containers ?? []).length + sidecars.size,
    restarts: restartCount === 0 ? "0" : `${restartCount}${last}`,
  };
}

/** The word that says best how the Pod is: of its containers, if they have one, else its phase. */
function podStatus(pod: Json): string {
  const { metadata, status = {} } = pod;
  const initialising = initStatus(pod);
  const isGated = (status.conditions ?? []).some((one: Json) => one.reason === "SchedulingGated");
  let word: string = initialising ?? (isGated ? "SchedulingGated" : status.reason ?? status.phase ?? "");
  if (initialising === undefined) {
    const statuses: Json[] = status.containerStatuses ?? [];
    // The first container's word wins.
    const words = statuses.map(({ state = {} }) => containerWord(state)).filter((one) => one !== undefined);
    if (words.length > 0) word = words[0];
    if (word === "Completed" && statuses.some((one) => one.ready && one.state?.running)) {
      word = hasCondition(status, "Ready") ? "Running" : "NotReady";
    }
  }
  if (!metadata.deletionTimestamp) return word;
  if (status.reason === "NodeLost") return "Unknown";
  return status.phase === "Failed" || status.phase === "Succeeded" ? word : "Terminating";
}

function containerWord({ waiting, terminated }: Json): string | undefined {
  if (waiting?.reason) return waiting.reason;
  return terminated ? terminatedWord(terminated) : undefined;
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

function readinessGates({ spec, status = {} }: Json): string {
  const gates: Json[] = spec.readinessGates ?? [];
  if (gates.length === 0) return "<none>";
  return `${gates.filter(({ conditionType }) => hasCondition(status, conditionType)).length}/${gates.length}`;
}

function hasCondition(status: Json, type: string): boolean {
  return (status.conditions ?? []).some((one: Json) => one.type === type && one.status === "True");
}
