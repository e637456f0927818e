import type {
  Container,
  ContainerState,
  ContainerStateTerminated,
  ContainerStatus,
  PodCondition,
  PodStatus,
} from "kubernetes-types/core/v1";
import { formatTime } from "../base/epoch_ms.ts";
import { containerName } from "./engine/container_names.ts";
import { LOCAL_ADDRESS } from "./inputs/env.ts";
import { type ContainerHistory, isSidecar, type Plan, type Run, type World } from "./decide.ts";

/** Texts as Kubernetes' kubelet has them. */
const STOPPED = {
  deadline: { reason: "DeadlineExceeded", message: "Pod was active on the node longer than the specified deadline" },
  shutdown: { reason: "Terminated", message: "Pod was terminated in response to imminent node shutdown." },
} as const;

const NEVER = "1970-01-01T00:00:00Z";

/**
 * Returns the status that says what is known now.
 *
 * @param known conditions as they were last written: one that stays as it is keeps its transition time
 */
export function podStatus(world: World, plan: Plan, known: readonly PodCondition[]): PodStatus {
  const { pod, histories, startTime } = world;
  const { initContainers = [], containers } = pod.spec!;
  const statusOf = (container: Container) => containerStatus(world, plan, container);
  const initStatuses = initContainers.map(statusOf);
  const statuses = containers.map(statusOf);
  const refused = world.refusal;
  const stopped = plan.over && plan.phase === "Failed" &&
      (plan.stop?.cause === "deadline" || plan.stop?.cause === "shutdown")
    ? STOPPED[plan.stop.cause]
    : undefined;
  // Without an entry, a container was never tried.
  const touched = histories.size > 0 || refused !== undefined;
  return {
    ...pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation },
    phase: plan.phase,
    ...refused ?? stopped ?? {},
    conditions: conditions(world, plan, { initStatuses, statuses, known }),
    hostIP: LOCAL_ADDRESS,
    hostIPs: [{ ip: LOCAL_ADDRESS }],
    ...touched && !refused ? { podIP: LOCAL_ADDRESS, podIPs: [{ ip: LOCAL_ADDRESS }] } : {},
    startTime: formatTime(startTime),
    ...initStatuses.length > 0 ? { initContainerStatuses: initStatuses } : {},
    containerStatuses: statuses,
  } as PodStatus;
}

function containerStatus(world: World, plan: Plan, container: Container): ContainerStatus {
  const history = world.histories.get(container.name) ?? {};
  const { current, previous } = history;
  const isInit = world.pod.spec!.initContainers?.includes(container) ?? false;
  const running = current !== undefined && !current.outcome;
  const waits = !running && plan.backingOff.has(container.name);
  const succeeded = current?.outcome?.exitCode === 0;
  const last = waits || (history.problem && current) ? current : previous;
  return {
    name: container.name,
    image: container.image ?? "",
    imageID: "",
    ...current && !isUnstarted(current) ? { containerID: containerId(world, container, current) } : {},
    state: stateOf(world, plan, { container, history, isInit, waits }),
    lastState: last?.outcome ? { terminated: terminated(world, container, last) } : {},
    ready: isInit && !isSidecar(container) ? succeeded : running && (current.health?.ready ?? true),
    started: running && (current.health?.started ?? true),
    restartCount: current?.restartCount ?? 0,
  };
}

function stateOf(
  world: World,
  plan: Plan,
  about: { container: Container; history: ContainerHistory; isInit: boolean; waits: boolean },
): ContainerState {
  const { container, history: { current, problem }, isInit, waits } = about;
  if (world.refusal) return { waiting: { reason: "CreateContainerConfigError", message: world.refusal.message } };
  if (current && !current.outcome) return { running: { startedAt: formatTime(current.startedAt) } };
  if (problem && !plan.over) return { waiting: { reason: problem.state, message: problem.message } };
  if (waits) {
    const message = `back-off ${(current?.backOffMs ?? 0) / 1000}s restarting failed ` +
      `container=${container.name} pod=${world.pod.metadata.name}_${world.pod.metadata.namespace}` +
      `(${world.pod.metadata.uid})`;
    return { waiting: { reason: "CrashLoopBackOff", message } };
  }
  if (current) return { terminated: terminated(world, container, current) };
  const hasInit = (world.pod.spec!.initContainers ?? []).length > 0;
  return { waiting: { reason: hasInit || isInit ? "PodInitializing" : "ContainerCreating" } };
}

function terminated(world: World, container: Container, run: Run): ContainerStateTerminated {
  const { exitCode, reason, message, finishedAt } = run.outcome!;
  return {
    exitCode,
    reason,
    ...message ? { message } : {},
    startedAt: isUnstarted(run) ? NEVER : formatTime(run.startedAt),
    finishedAt: formatTime(finishedAt),
    ...isUnstarted(run) ? {} : { containerID: containerId(world, container, run) },
  };
}

function isUnstarted(run: Run): boolean {
  return run.outcome !== undefined && run.outcome.startedAt === undefined;
}

function containerId(world: World, container: Container, run: Run): string {
  const { uid } = world.pod.metadata;
  const name = containerName({ uid, container: container.name, restartCount: run.restartCount });
  return `${world.runtime ?? "process"}://${name}`;
}

function conditions(
  world: World,
  plan: Plan,
  about: { initStatuses: ContainerStatus[]; statuses: ContainerStatus[]; known: readonly PodCondition[] },
): PodCondition[] {
  const { initStatuses, statuses, known } = about;
  const unready = [
    ...initStatuses.filter((_, index) => isSidecar(world.pod.spec!.initContainers![index]!)),
    ...statuses,
  ].filter(({ ready }) => !ready).map(({ name }) => name);
  const uninitialized = initStatuses.filter(({ ready }) => !ready).map(({ name }) => name);
  const ready = readiness(plan, unready);
  const initialized = plan.phase === "Succeeded"
    ? yes("PodCompleted")
    : plan.initialized
    ? yes()
    : no("ContainersNotInitialized", `containers with incomplete status: [${uninitialized.join(" ")}]`);
  const wanted: PodCondition[] = [
    { type: "PodReadyToStartContainers", ...(world.histories.size > 0 && !plan.over ? yes() : no()) },
    { type: "Initialized", ...initialized },
    { type: "Ready", ...ready },
    { type: "ContainersReady", ...ready },
    { type: "PodScheduled", ...yes() },
  ];
  if (plan.stop?.cause === "shutdown") {
    wanted.push({
      type: "DisruptionTarget",
      status: "True",
      reason: "TerminationByKubelet",
      message: STOPPED.shutdown.message,
    });
  }
  return wanted.map((condition) => {
    const before = known.find(({ type }) => type === condition.type);
    const unchanged = before?.status === condition.status && before.lastTransitionTime;
    return {
      ...condition,
      ...world.pod.metadata.generation === undefined ? {} : { observedGeneration: world.pod.metadata.generation },
      lastProbeTime: null as unknown as undefined,
      lastTransitionTime: unchanged || formatTime(world.now),
    };
  });
}

function readiness(plan: Plan, unready: readonly string[]) {
  if (plan.phase === "Succeeded") return no("PodCompleted");
  if (plan.phase === "Failed") return no("PodFailed");
  if (unready.length === 0) return yes();
  return no("ContainersNotReady", `containers with unready status: [${unready.join(" ")}]`);
}

function yes(reason?: string) {
  return { status: "True", ...reason ? { reason } : {} };
}

function no(reason?: string, message?: string) {
  return { status: "False", ...reason ? { reason } : {}, ...message ? { message } : {} };
}
