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

/** The statuses of init containers, and of the others. */
type Statuses = Readonly<Record<"init" | "main", ContainerStatus[]>>;

/** Texts as Kubernetes' kubelet has them. */
const STOPPED = {
  deadline: { reason: "DeadlineExceeded", message: "Pod was active on the node longer than the specified deadline" },
  shutdown: { reason: "Terminated", message: "Pod was terminated in response to imminent node shutdown." },
} as const;

const NEVER = "1970-01-01T00:00:00Z";

/**
 * Returns the status of a Pod as it is known now.
 *
 * @param known the conditions that were last written: an unchanged one keeps its transition time
 */
export function podStatus(world: World, plan: Plan, known: readonly PodCondition[]): PodStatus {
  const { pod, histories, startTime } = world;
  const { initContainers = [], containers } = pod.spec!;
  const statusOf = (container: Container) => containerStatus(world, plan, container);
  const statuses = { init: initContainers.map(statusOf), main: containers.map(statusOf) };
  const refused = world.refusal;
  const isCutShort = plan.over && plan.phase === "Failed";
  const stopped = isCutShort ? STOPPED[plan.stop?.cause as keyof typeof STOPPED] : undefined;
  // Without an entry, a container was never tried.
  const touched = histories.size > 0 || refused !== undefined;
  return {
    ...pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation },
    phase: plan.phase,
    ...refused ?? stopped ?? {},
    conditions: conditions(world, plan, { statuses, known }),
    hostIP: LOCAL_ADDRESS,
    hostIPs: [{ ip: LOCAL_ADDRESS }],
    ...touched && !refused ? { podIP: LOCAL_ADDRESS, podIPs: [{ ip: LOCAL_ADDRESS }] } : {},
    startTime: formatTime(startTime),
    ...statuses.init.length > 0 ? { initContainerStatuses: statuses.init } : {},
    containerStatuses: statuses.main,
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
  { statuses, known }: { statuses: Statuses; known: readonly PodCondition[] },
): PodCondition[] {
  const { pod: { metadata: { generation }, spec }, histories, now } = world;
  const goesOn = ({ name }: ContainerStatus) =>
    !spec!.initContainers?.some((each) => each.name === name && !isSidecar(each));
  const unready = [...statuses.init.filter(goesOn), ...statuses.main].filter(({ ready }) => !ready);
  const ready = readiness(plan, unready);
  const wanted = [
    { type: "PodReadyToStartContainers", ...is(histories.size > 0 && !plan.over) },
    { type: "Initialized", ...initialization(plan, statuses.init.filter(({ ready }) => !ready)) },
    { type: "Ready", ...ready },
    { type: "ContainersReady", ...ready },
    { type: "PodScheduled", ...is(true) },
    ...plan.stop?.cause === "shutdown"
      ? [{ type: "DisruptionTarget", ...is(true, "TerminationByKubelet", STOPPED.shutdown.message) }]
      : [],
  ];
  return wanted.map((condition) => {
    const before = known.find(({ type }) => type === condition.type);
    const unchanged = before?.status === condition.status && before.lastTransitionTime;
    return {
      ...condition,
      ...generation === undefined ? {} : { observedGeneration: generation },
      lastProbeTime: null as unknown as string,
      lastTransitionTime: unchanged || formatTime(now),
    };
  });
}

function initialization({ phase, initialized }: Plan, incomplete: readonly ContainerStatus[]) {
  if (phase === "Succeeded") return is(true, "PodCompleted");
  if (initialized) return is(true);
  return is(false, "ContainersNotInitialized", `containers with incomplete status: [${namesOf(incomplete)}]`);
}

function readiness({ phase }: Plan, unready: readonly ContainerStatus[]) {
  if (phase === "Succeeded") return is(false, "PodCompleted");
  if (phase === "Failed") return is(false, "PodFailed");
  if (unready.length === 0) return is(true);
  return is(false, "ContainersNotReady", `containers with unready status: [${namesOf(unready)}]`);
}

function namesOf(statuses: readonly ContainerStatus[]): string {
  return statuses.map(({ name }) => name).join(" ");
}

function is(so: boolean, reason?: string, message?: string) {
  return { status: so ? "True" : "False", ...reason ? { reason } : {}, ...message ? { message } : {} };
}
