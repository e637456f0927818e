import { controllerOf, type DeepReadonly } from "../kube/object.ts";
import type { Child } from "../cronjob/api/job.ts";
import type { PodEnd } from "../cronjob/api/types.ts";
import type { Pod } from "../kube/resource.ts";
import { type EpochMs, parseTime } from "../base/epoch_ms.ts";

/** The facts of one Pod of a run. */
export interface PodFacts {
  readonly name: string;
  /** The UID of the Job that controls the Pod. */
  readonly jobUid: string | undefined;
  readonly createdAt: EpochMs | undefined;
  /** Whether a container runs, or has run. An init container counts while it runs and no container reports a problem. */
  readonly hasStarted: boolean;
  /** Whether the Pod has succeeded or failed. */
  readonly isOver: boolean;
  /** Why the Pod makes no progress, as far as its status says. */
  readonly waiting: Wait | undefined;
  /** How the Pod failed, or else its container that failed last. */
  readonly failure: PodFailure | undefined;
  /** Of a Pod that succeeded: the end of the first container with a termination message, or else of the first. */
  readonly success?: PodEnd | undefined;
}

export interface Wait {
  readonly reason: string;
  readonly message: string | undefined;
  /** The container that waits; undefined where the whole Pod does. */
  readonly container?: string;
  /** How that container ended before it waited to be started again. */
  readonly before?: PodFailure | undefined;
}

export interface PodFailure {
  /** Undefined where the Pod failed as a whole. */
  readonly container: string | undefined;
  readonly isInit: boolean;
  /** Undefined where no container has ended. */
  readonly exitCode: number | undefined;
  /** `Error`, `OOMKilled`, `Evicted`, … */
  readonly reason: string | undefined;
  /** The container's termination message, or the message of the Pod. */
  readonly message: string | undefined;
  readonly endedAt: EpochMs | undefined;
}

/** Reads whether a Pod has started, why it waits, and how it ended. */
export function readPod(pod: DeepReadonly<Pod>): PodFacts {
  const { status } = pod;
  const main = status?.containerStatuses ?? [];
  const waiting = waitOf(pod);
  const hasStarted = status?.phase === "Succeeded" ||
    main.some(({ state, lastState }) => state?.running || state?.terminated || lastState?.terminated) ||
    (waiting === undefined && (status?.initContainerStatuses ?? []).some(({ state }) => state?.running));
  const controller = controllerOf(pod);
  return {
    name: pod.metadata.name,
    jobUid: controller?.kind === "Job" ? controller.uid : undefined,
    createdAt: parseTime(pod.metadata.creationTimestamp),
    hasStarted,
    isOver: status?.phase === "Succeeded" || status?.phase === "Failed",
    waiting,
    failure: failureOf(pod),
    success: successOf(pod),
  };
}

/** Returns the Pods of a Job that are not over; where there are none, all its Pods. */
export function presentPods({ metadata: { uid } }: Child, pods: readonly PodFacts[] = []): readonly PodFacts[] {
  const own = pods.filter(({ jobUid }) => jobUid === uid);
  const present = own.filter(({ isOver }) => !isOver);
  return present.length > 0 ? present : own;
}

/** Reasons of a container whose Pod the kubelet prepares: nothing is wrong unless a message stands beside them. */
const STARTING: readonly string[] = ["ContainerCreating", "PodInitializing"];

function waitOf(pod: DeepReadonly<Pod>): Wait | undefined {
  if (pod.status?.phase === "Failed") return refusalOf(pod);
  const scheduled = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
  if (scheduled?.status === "False") return { reason: scheduled.reason ?? "Unschedulable", message: scheduled.message };
  for (const { isInit, status } of containersOf(pod)) {
    const { name: container, state, lastState } = status;
    const { reason, message } = state?.waiting ?? {};
    if (reason === undefined || (!message && STARTING.includes(reason))) continue;
    const before = lastState?.terminated && failureOfContainer({ container, isInit, ended: lastState.terminated });
    return { reason, message, container, ...(before && { before }) };
  }
  const { reason, message } = pod.status ?? {};
  return reason === undefined ? undefined : { reason, message };
}

/** Returns why a node did not take a Pod: its Job tries again with another one. */
function refusalOf(pod: DeepReadonly<Pod>): Wait | undefined {
  const { reason, message } = pod.status ?? {};
  const hasBegun = containersOf(pod).some(({ status: { state, lastState } }) =>
    state?.terminated ?? state?.running ?? lastState?.terminated
  );
  return reason === undefined || hasBegun ? undefined : { reason, message };
}

/** Returns the reason of the whole Pod, such as its eviction, before those of its containers, which ended by it. */
function failureOf(pod: DeepReadonly<Pod>): PodFailure | undefined {
  const { phase, reason, message, conditions } = pod.status ?? {};
  const last = containersOf(pod).flatMap(({ isInit, status: { name: container, state, lastState } }) => {
    const ended = state?.terminated ?? lastState?.terminated;
    return ended && ended.exitCode !== 0 ? [failureOfContainer({ container, isInit, ended })] : [];
  }).sort((a, b) => (b.endedAt ?? 0) - (a.endedAt ?? 0))[0];
  if (phase !== "Failed") return last;
  const disruption = conditions?.find(({ type, status }) => type === "DisruptionTarget" && status === "True");
  const cause = reason === undefined ? disruption : { reason, message };
  if (cause === undefined) return last;
  const ofPod = { container: undefined, isInit: false, exitCode: undefined, endedAt: undefined };
  return { ...ofPod, ...last, reason: cause.reason, message: cause.message };
}

function successOf(pod: DeepReadonly<Pod>): PodEnd | undefined {
  if (pod.status?.phase !== "Succeeded") return undefined;
  const ended = (pod.status.containerStatuses ?? []).flatMap(({ name: container, state }) =>
    state?.terminated ? [endOf(container, state.terminated)] : []
  );
  return ended.find(({ message }) => message) ?? ended[0];
}

function endOf(container: string, { exitCode, reason, message }: Ended): PodEnd {
  return { container, exitCode, ...(reason !== undefined && { reason }), ...(message !== undefined && { message }) };
}

type ContainerStatus = NonNullable<NonNullable<DeepReadonly<Pod>["status"]>["containerStatuses"]>[number];
type Ended = NonNullable<NonNullable<ContainerStatus["state"]>["terminated"]>;

function containersOf({ status }: DeepReadonly<Pod>): { isInit: boolean; status: ContainerStatus }[] {
  return [
    ...(status?.initContainerStatuses ?? []).map((status) => ({ isInit: true, status })),
    ...(status?.containerStatuses ?? []).map((status) => ({ isInit: false, status })),
  ];
}

function failureOfContainer(
  { container, isInit, ended }: { container: string; isInit: boolean; ended: Ended },
): PodFailure {
  const { exitCode, reason, message, finishedAt } = ended;
  return { container, isInit, exitCode, reason, message, endedAt: parseTime(finishedAt) };
}
