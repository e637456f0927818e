import type { DeepReadonly } from "../kube/object.ts";
import { controllerOf } from "../kube/object.ts";
import type { Pod } from "../kube/resource.ts";
import { type EpochMs, parseTime } from "../schedule/epoch_ms.ts";

/** What is read of one Pod of a run. */
export interface PodFacts {
  readonly name: string;
  /** Of the Job that controls it. */
  readonly jobUid: string | undefined;
  readonly createdAt: EpochMs | undefined;
  /** Whether a container of it runs, or has run. An init container counts while it runs, and nothing else waits. */
  readonly hasStarted: boolean;
  /** Why it doesn't run yet, as far as its status says. */
  readonly waiting: Reason | undefined;
  /** How the container ended that failed, or the last one that did. */
  readonly failure: ContainerFailure | undefined;
}

export interface Reason {
  readonly reason: string;
  readonly message: string | undefined;
}

export interface ContainerFailure {
  readonly container: string;
  readonly exitCode: number;
  /** `Error`, `OOMKilled`, … */
  readonly reason: string | undefined;
  /** What the container left as its termination message. */
  readonly message: string | undefined;
  readonly endedAt: EpochMs | undefined;
}

export function readPod(pod: DeepReadonly<Pod>): PodFacts {
  const { status } = pod;
  const containers = [...status?.initContainerStatuses ?? [], ...status?.containerStatuses ?? []];
  const waiting = waitingReason(pod);
  const hasStarted = status?.phase === "Succeeded" ||
    (status?.containerStatuses ?? []).some(({ state, lastState }) =>
      state?.running || state?.terminated || lastState?.terminated
    ) ||
    (waiting === undefined && (status?.initContainerStatuses ?? []).some(({ state }) => state?.running));
  const failures = containers.flatMap(({ name, state, lastState }): ContainerFailure[] => {
    const ended = state?.terminated ?? lastState?.terminated;
    if (!ended || ended.exitCode === 0) return [];
    const { exitCode, reason, message, finishedAt } = ended;
    return [{ container: name, exitCode, reason, message, endedAt: parseTime(finishedAt) }];
  });
  const controller = controllerOf(pod);
  return {
    name: pod.metadata.name,
    jobUid: controller?.kind === "Job" ? controller.uid : undefined,
    createdAt: parseTime(pod.metadata.creationTimestamp),
    hasStarted,
    waiting: hasStarted ? undefined : waiting,
    failure: failures.sort((a, b) => (b.endedAt ?? 0) - (a.endedAt ?? 0))[0],
  };
}

/** What a Pod says while the kubelet makes it ready, in the order of events: nothing is wrong. */
const STARTING: readonly string[] = ["ContainerCreating", "PodInitializing"];

function waitingReason({ status }: DeepReadonly<Pod>): Reason | undefined {
  const scheduled = status?.conditions?.find(({ type }) => type === "PodScheduled");
  if (scheduled?.status === "False") return { reason: scheduled.reason ?? "Unschedulable", message: scheduled.message };
  const containers = [...status?.initContainerStatuses ?? [], ...status?.containerStatuses ?? []];
  const waiting = containers.map(({ state }) => state?.waiting)
    .find((waiting) => waiting?.reason !== undefined && !STARTING.includes(waiting.reason));
  if (waiting?.reason !== undefined) return { reason: waiting.reason, message: waiting.message };
  return status?.reason === undefined ? undefined : { reason: status.reason, message: status.message };
}
