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
  /** What its probes say, while it is at work. @default started and ready */
  readonly health?: Health;
}

/** What a container's probes say of it. */
export interface Health {
  readonly started: boolean;
  readonly ready: boolean;
}

/** What is known of a container. */
export interface ContainerHistory {
  readonly current?: Run;
  readonly previous?: Run;
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
  readonly refusal?: Refusal;
  /** What runs its containers. @default {"process"} */
  readonly runtime?: RuntimeName;
  /** Asked for from outside, or decided earlier. A passed deadline is found here. */
  readonly stop?: Stop;
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
  readonly stop?: Stop;
  /** Containers that wait for their next run, and until when. */
  readonly backingOff: ReadonlyMap<string, EpochMs>;
  readonly phase: "Pending" | "Running" | "Succeeded" | "Failed";
  readonly initialized: boolean;
  /** Nothing runs and nothing will. */
  readonly over: boolean;
  /** When to decide again, whatever happens. */
  readonly wakeAt?: EpochMs;
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
  const { pod, now, histories } = world;
  const initContainers = pod.spec?.initContainers ?? [];
  const containers = pod.spec?.containers ?? [];
  const all = [...initContainers, ...containers];
  const running = all.filter(({ name }) => isRunning(histories.get(name)));
  // Then the init containers are done, whatever became of their records.
  const haveBegun = containers.some(({ name }) => histories.get(name)?.current);
  const stop = world.stop ?? passedDeadline(world);

  if (world.refusal) {
    return { ...NOTHING, phase: "Failed", over: true };
  }
  if (stop) {
    const over = running.length === 0;
    return {
      ...NOTHING,
      stop,
      stops: running.map(({ name }) => ({ name, killAt: stop.killAt })),
      phase: over ? phaseAfter(stop, containers, histories) : phaseNow(containers, histories),
      initialized: haveBegun ||
        initContainers.every((container) => isInitialized(container, histories.get(container.name))),
      over,
      wakeAt: undefined,
    };
  }

  const starts: Start[] = [];
  const backingOff = new Map<string, EpochMs>();
  const wakeTimes: EpochMs[] = [];
  const consider = (container: Container) => {
    const history = histories.get(container.name);
    const next = nextRun(history);
    if (history?.problem && history.problem.retryAt > now) wakeTimes.push(history.problem.retryAt);
    else if (next.at <= now) starts.push({ container, ...next });
    else {
      backingOff.set(container.name, next.at);
      wakeTimes.push(next.at);
    }
  };

  const mainDone = containers.every((container) => isDone(pod, container, histories.get(container.name)));
  let failed = false;
  let initialized = true;
  for (const container of initContainers) {
    const history = histories.get(container.name);
    if (isSidecar(container)) {
      if (!isRunning(history) && !mainDone) consider(container);
    } else if (history?.current?.outcome?.exitCode !== 0) {
      if (haveBegun) continue;
      if (isDone(pod, container, history)) failed = true;
      else if (!isRunning(history)) consider(container);
    }
    if (!haveBegun && !isInitialized(container, history)) {
      initialized = false;
      break;
    }
  }
  if (initialized) {
    for (const container of containers) {
      const history = histories.get(container.name);
      if (!isRunning(history) && !isDone(pod, container, history)) consider(container);
    }
  }

  const finished = failed || (initialized && mainDone);
  const over = finished && running.length === 0;
  const deadline = deadlineOf(world);
  const grace = now + graceMs(pod);
  return {
    starts: finished ? [] : starts,
    stops: finished ? running.map(({ name }) => ({ name, killAt: grace })) : [],
    backingOff,
    phase: over
      ? (failed || !containers.every(({ name }) => succeeded(histories.get(name))) ? "Failed" : "Succeeded")
      : phaseNow(containers, histories),
    initialized,
    over,
    wakeAt: finished ? undefined : earliest(...wakeTimes, deadline),
  };
}

const NOTHING: Omit<Plan, "phase"> = {
  starts: [],
  stops: [],
  backingOff: new Map(),
  initialized: false,
  over: false,
};

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
  if (deadline === undefined || deadline > world.now) return undefined;
  const containers = world.pod.spec?.containers ?? [];
  const done = containers.every((each) => isDone(world.pod, each, world.histories.get(each.name)));
  return done ? undefined : { cause: "deadline", killAt: world.now + graceMs(world.pod) };
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

function phaseNow(containers: readonly Container[], histories: World["histories"]): Plan["phase"] {
  return containers.some(({ name }) => histories.get(name)?.current) ? "Running" : "Pending";
}

function phaseAfter(stop: Stop, containers: readonly Container[], histories: World["histories"]): Plan["phase"] {
  if (stop.cause === "deadline" || stop.cause === "shutdown") return "Failed";
  return containers.every(({ name }) => succeeded(histories.get(name))) ? "Succeeded" : "Failed";
}
