import type { Container } from "kubernetes-types/core/v1";
import type { Pod } from "../kube/resource.ts";
import { earliest, type EpochMs } from "../base/epoch_ms.ts";
import type { Refusal } from "./inputs/check.ts";
import { isRestarted } from "./inputs/restarts.ts";
import type { Outcome, RuntimeName } from "./files/run_files.ts";

/** One run of a container; still at work while it has no outcome. */
export interface Run {
  readonly restartCount: number;
  readonly startedAt: EpochMs;
  /** How long the next run waits after this one. */
  readonly backOffMs: number;
  readonly outcome?: Outcome;
  /** The result of its probes, while it is at work. @default started and ready */
  readonly health?: Health;
}

/** The result of a container's probes. */
export interface Health {
  readonly started: boolean;
  readonly ready: boolean;
}

/** The known runs of a container. */
export interface ContainerHistory {
  readonly current?: Run;
  readonly previous?: Run | undefined;
  /** It could not be started as it is configured now. */
  readonly problem?: StartProblem;
}

export interface StartProblem {
  /** Reason of the container's state. */
  readonly state: string;
  readonly message: string;
  readonly retryAt: EpochMs;
  readonly delayMs: number;
}

/** Why a Pod's containers have to end although their own work is not done; `gone`: the API has the Pod no more. */
export interface Stop {
  readonly cause: "deleted" | "gone" | "deadline" | "shutdown" | "terminal";
  /** When what is still there is killed. */
  readonly killAt: EpochMs;
}

export interface World {
  readonly pod: Pod;
  readonly histories: ReadonlyMap<string, ContainerHistory>;
  readonly now: EpochMs;
  /** When the Pod was taken here for the first time. */
  readonly startTime: EpochMs;
  readonly refusal?: Refusal | undefined;
  /** The runtime of its containers. @default {"process"} */
  readonly runtime?: RuntimeName;
  /** Asked for from outside, or decided earlier. A passed deadline is found here. */
  readonly stop?: Stop | undefined;
}

export interface Start {
  readonly container: Container;
  readonly restartCount: number;
  /** For the run that would come after this one. */
  readonly backOffMs: number;
}

export interface Plan {
  readonly starts: readonly Start[];
  /** Containers that are to end, with the time at which what is left of them is killed. */
  readonly stops: readonly { readonly name: string; readonly killAt: EpochMs }[];
  readonly stop?: Stop | undefined;
  /** Containers that wait for their next run, and until when. */
  readonly backingOff: ReadonlyMap<string, EpochMs>;
  readonly phase: "Pending" | "Running" | "Succeeded" | "Failed";
  readonly initialized: boolean;
  /** Nothing runs and nothing will. */
  readonly over: boolean;
  /** When to decide again, whatever happens. */
  readonly wakeAt?: EpochMs | undefined;
}

const BACK_OFF = { firstMs: 10_000, maxMs: 300_000 } as const;

/** A run as long as this makes the failures before it forgotten. */
const BACK_OFF_FORGOTTEN_MS = 2 * BACK_OFF.maxMs;

const DEFAULT_GRACE_SECONDS = 30;

/**
 * Returns what to do about a Pod now. Runs follow each other as on Kubernetes' kubelet: init containers one after the
 * other, those with `restartPolicy: Always` staying on beside the rest; then all containers at once.
 */
export function decide(world: World): Plan {
  const { pod, now, histories, refusal } = world;
  if (refusal) return { starts: [], stops: [], backingOff: new Map(), phase: "Failed", initialized: false, over: true };
  const { initContainers = [], containers } = pod.spec!;
  const stop = world.stop ?? passedDeadline(world);
  const running = [...initContainers, ...containers].filter(({ name }) => isRunning(histories.get(name)));
  const begun = beginningOf(world);
  const finished = stop !== undefined || begun.failed || (begun.initialized && isMainDone(world));
  const over = finished && running.length === 0;
  const killAt = stop?.killAt ?? now + graceMs(pod);
  return {
    ...finished ? { starts: [], backingOff: new Map() } : nextRuns(world, begun),
    stops: finished ? running.map(({ name }) => ({ name, killAt })) : [],
    stop,
    phase: over ? lastPhase(world, begun.failed, stop) : phaseNow(world),
    initialized: begun.initialized,
    over,
  };
}

/** Returns how far a Pod has come: the containers that may be at work by now, and whether an init container has failed. */
function beginningOf({ pod, histories }: World) {
  const { initContainers = [], containers } = pod.spec!;
  // Then the init containers are done, whatever became of their records.
  const haveBegun = containers.some(({ name }) => histories.get(name)?.current);
  const waitedFor = haveBegun
    ? -1
    : initContainers.findIndex((container) => !isInitialized(container, histories.get(container.name)));
  if (waitedFor < 0) {
    return { due: [...initContainers.filter(isSidecar), ...containers], initialized: true, failed: false };
  }
  const last = initContainers[waitedFor]!;
  const failed = isDone(pod, last, histories.get(last.name));
  return { due: initContainers.slice(0, waitedFor + 1), initialized: false, failed };
}

/** Returns which containers run next, now or later, and when to decide again. */
function nextRuns(
  world: World,
  { due }: { due: readonly Container[] },
): Pick<Plan, "starts" | "backingOff" | "wakeAt"> {
  const { pod, histories, now } = world;
  const starts: Start[] = [];
  const backingOff = new Map<string, EpochMs>();
  const wakeTimes: EpochMs[] = [];
  for (const container of due) {
    const history = histories.get(container.name);
    if (isRunning(history) || isDone(pod, container, history)) continue;
    const { at, ...start } = nextRun(history);
    const retryAt = history?.problem?.retryAt ?? -Infinity;
    if (at > now && retryAt <= now) backingOff.set(container.name, at);
    if (Math.max(at, retryAt) > now) wakeTimes.push(Math.max(at, retryAt));
    else starts.push({ container, ...start });
  }
  return { starts, backingOff, wakeAt: earliest(...wakeTimes, deadlineOf(world)) };
}

/** Returns whether an init container goes on beside those of the Pod, rather than before them. */
export function isSidecar(container: Container): boolean {
  return (container as { restartPolicy?: string }).restartPolicy === "Always";
}

/** Returns the Pod's own grace period; what its deletion says goes before. */
export function graceMs(pod: Pod): number {
  return (pod.metadata.deletionGracePeriodSeconds ?? pod.spec?.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS) *
    1000;
}

function passedDeadline(world: World): Stop | undefined {
  const deadline = deadlineOf(world);
  if (deadline === undefined || deadline > world.now || isMainDone(world)) return undefined;
  return { cause: "deadline", killAt: world.now + graceMs(world.pod) };
}

function isMainDone({ pod, histories }: World): boolean {
  return pod.spec!.containers.every((each) => isDone(pod, each, histories.get(each.name)));
}

/** Returns when a Pod's containers have to end by its spec. */
export function deadlineOf({ pod, startTime }: World): EpochMs | undefined {
  const seconds = pod.spec?.activeDeadlineSeconds;
  return seconds === undefined || seconds === null ? undefined : startTime + seconds * 1000;
}

function nextRun(history: ContainerHistory | undefined): { restartCount: number; backOffMs: number; at: EpochMs } {
  const last = history?.current;
  if (!last?.outcome) return { restartCount: 0, backOffMs: 0, at: -Infinity };
  const { finishedAt } = last.outcome;
  const waitMs = finishedAt - last.startedAt >= BACK_OFF_FORGOTTEN_MS ? 0 : last.backOffMs;
  return {
    restartCount: last.restartCount + 1,
    backOffMs: waitMs === 0 ? BACK_OFF.firstMs : Math.min(2 * waitMs, BACK_OFF.maxMs),
    at: waitMs === 0 ? -Infinity : finishedAt + waitMs,
  };
}

function isRunning(history: ContainerHistory | undefined): boolean {
  return history?.current !== undefined && history.current.outcome === undefined;
}

function succeeded(history: ContainerHistory | undefined): boolean {
  return history?.current?.outcome?.exitCode === 0;
}

/** It has run and will not again. */
function isDone(pod: Pod, container: Container, history: ContainerHistory | undefined): boolean {
  const outcome = history?.current?.outcome;
  return outcome !== undefined && !isRestarted(pod, container, outcome.exitCode);
}

function isInitialized(container: Container, history: ContainerHistory | undefined): boolean {
  if (!isSidecar(container)) return succeeded(history);
  return isRunning(history) && (history?.current?.health?.started ?? true);
}

function phaseNow({ pod, histories }: World): Plan["phase"] {
  return pod.spec!.containers.some(({ name }) => histories.get(name)?.current) ? "Running" : "Pending";
}

function lastPhase({ pod, histories }: World, failed: boolean, stop: Stop | undefined): Plan["phase"] {
  const isCutShort = stop?.cause === "deadline" || stop?.cause === "shutdown";
  const succeeds = !failed && !isCutShort && pod.spec!.containers.every(({ name }) => succeeded(histories.get(name)));
  return succeeds ? "Succeeded" : "Failed";
}
