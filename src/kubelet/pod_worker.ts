import type { Container } from "kubernetes-types/core/v1";
import { ApiError } from "../kube/api_error.ts";
import type { KubeClient } from "../kube/client.ts";
import { CONFIG_MAPS, type Pod, PODS, SECRETS } from "../kube/resource.ts";
import type { Clock } from "../runtime/clock.ts";
import { type EpochMs, parseTime } from "../schedule/epoch_ms.ts";
import type { Logger } from "../telemetry/logging.ts";
import { containerCommand, StartError } from "./container_command.ts";
import { ContainerConfigError, containerEnvironment, FailedMount, type References } from "./container_env.ts";
import { type ContainerHistory, decide, graceMs, type Plan, type Start, type Stop, type World } from "./decide.ts";
import { OutputTail } from "./output_tail.ts";
import { containersOf, ignoredFields, type Refusal, refusalOf, type Self } from "./pod_check.ts";
import { PodDirectory } from "./pod_directory.ts";
import { podStatus } from "./pod_status.ts";
import { layOutVolumes, makeSubPaths, mountNotice, volumeVariables } from "./pod_volumes.ts";
import type { ProcessRunner, RunningProcess } from "./process_runner.ts";
import { type Pulse, PULSE_MS } from "./pulse.ts";
import { type Outcome, type RunFiles, UNKNOWN_STATUS } from "./run_files.ts";
import { type RotationLimits, RunLog } from "./run_log.ts";
import { StatusWriter } from "./status_writer.ts";
import { terminationMessage } from "./termination_message.ts";

/** A line that a container has put out. */
export interface OutputLine {
  readonly pod: { readonly namespace: string; readonly name: string; readonly uid: string };
  readonly container: string;
  readonly line: string;
}

/** Why a container cannot be started, at least not now. */
export interface CannotStart {
  readonly pod: { readonly namespace: string; readonly name: string };
  /** That of the Event. */
  readonly reason: string;
  readonly message: string;
}

/** What all Pods of a kubelet share. */
export interface PodContext {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly runner: ProcessRunner;
  readonly pulse: Pulse;
  readonly podsDirectory: string;
  readonly nodeName: string;
  readonly self: Self;
  readonly rotation: RotationLimits;
  readonly logger: Logger;
  /** PATH and HOME, which every container's process gets. */
  readonly baseEnvironment: Readonly<Record<string, string>>;
  readonly event: (pod: Pod, type: "Normal" | "Warning", reason: string, message: string) => void;
  /** Whether something is told for the first time. */
  readonly isNews: (what: string) => boolean;
  readonly onOutput?: (output: OutputLine) => void;
  readonly onCannotStart?: (trouble: CannotStart) => void;
  /** Makes the Pod this node's; false if it is gone or another's. */
  readonly bind: (pod: Pod) => Promise<boolean>;
  /** Resolves when it is this caller's turn to start a process. */
  readonly turn: () => Promise<void>;
}

const CONFIG_RETRY = { firstMs: 2_000, maxMs: 60_000 };

/** For a Pod that vanished from the API without a grace period of its own. */
const LEAST_GRACE_MS = 1_000;

/** A TERM that reaches the shim before it has started the command is lost, so one to a very young process is repeated. */
const YOUNG_MS = 500;

interface Stopping {
  readonly run: RunningProcess;
  killAt: EpochMs;
  timers: Disposable[];
}

/** Makes one Pod happen: gathers what is so, asks {@linkcode decide}, carries the plan out, says so in the status. */
export class PodWorker {
  readonly #context: PodContext;
  readonly #directory: PodDirectory;
  readonly #references: References;
  readonly #refusal: Refusal | undefined;
  readonly #status: StatusWriter;
  readonly #histories = new Map<string, ContainerHistory>();
  readonly #processes = new Map<string, RunningProcess>();
  readonly #stopping = new Map<string, Stopping>();
  readonly #over = Promise.withResolvers<void>();
  readonly #closed = Promise.withResolvers<void>();
  #pod: Pod;
  #startTime: EpochMs;
  #stop: Stop | undefined;
  #gone = false;
  #loaded = false;
  #bound = false;
  #deletionAsked = false;
  #working = false;
  #dirty = false;
  #retired = false;
  #removed = false;
  readonly #abandoned = new AbortController();
  #suspended = false;
  #volumes: Promise<void> | undefined;
  #timer: Disposable | undefined;
  #idle: (() => void)[] = [];

  constructor(pod: Pod, context: PodContext) {
    const { client, clock, logger, podsDirectory, self } = context;
    this.#pod = pod;
    this.#context = context;
    this.#directory = new PodDirectory(podsDirectory, pod.metadata.uid);
    this.#references = referencesOf(pod, client);
    this.#refusal = refusalOf(pod, self);
    this.#status = new StatusWriter(pod, { client, clock, logger });
    this.#startTime = parseTime(pod.status?.startTime) ?? clock.now();
  }

  /** Resolves once the Pod is gone, its processes too, and its directory is removed. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  /** Resolves once nothing runs and nothing will. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  /** Begins, or takes note of how the Pod is now. */
  update(pod: Pod): void {
    this.#pod = pod;
    this.#noteDeletion();
    this.#wake();
  }

  /** The API has this Pod no more. */
  gone(): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#status.close();
    const graceLeft = this.#stop?.killAt ?? this.#context.clock.now() + Math.max(graceMs(this.#pod), LEAST_GRACE_MS);
    this.#stop = { cause: "deleted", killAt: graceLeft };
    this.#wake();
  }

  /**
   * Ends what runs, by `killAt` at the latest, and resolves once that is done and written down. A Pod without a running
   * process is left to the next start.
   */
  async shutdown(killAt: EpochMs): Promise<void> {
    this.#suspended = this.#processes.size === 0;
    if (!this.#suspended) {
      this.#stop = { cause: "shutdown", killAt: Math.min(killAt, this.#stop?.killAt ?? Infinity) };
      this.#wake();
    }
    while (this.#processes.size > 0 || this.#working) await new Promise<void>((resolve) => this.#idle.push(resolve));
    await this.#status.flush();
    this.#timer?.[Symbol.dispose]();
  }

  /** Lets go of it, whatever is under way, as the program ends. */
  abandon(): void {
    this.#suspended = true;
    this.#abandoned.abort();
    this.#timer?.[Symbol.dispose]();
    for (const { timers } of this.#stopping.values()) for (const timer of timers) timer[Symbol.dispose]();
    this.#status.close();
  }

  #noteDeletion(): void {
    const deletedBy = parseTime(this.#pod.metadata.deletionTimestamp);
    if (deletedBy !== undefined) {
      // Kubernetes sets deletionTimestamp to the end of the grace period, cut to a second. Asked again, it may only shrink.
      const now = this.#context.clock.now();
      const killAt = Math.min(deletedBy + 1_000, now + graceMs(this.#pod), this.#stop?.killAt ?? Infinity);
      this.#stop = { cause: this.#stop?.cause ?? "deleted", killAt };
    } else if (isTerminal(this.#pod) && !this.#retired) {
      this.#stop ??= { cause: "terminal", killAt: this.#context.clock.now() + graceMs(this.#pod) };
    }
  }

  #wake(): void {
    this.#dirty = true;
    if (!this.#working) this.#work();
  }

  async #work(): Promise<void> {
    this.#working = true;
    try {
      while (this.#dirty) {
        this.#dirty = false;
        await this.#sync();
      }
    } catch (error) {
      this.#context.logger.error("Cannot run pod {key}, trying again: {error}", { key: this.#key, error });
      this.#wakeAt(this.#context.clock.now() + CONFIG_RETRY.firstMs);
    } finally {
      this.#working = false;
      for (const resolve of this.#idle.splice(0)) resolve();
    }
  }

  async #sync(): Promise<void> {
    if (this.#suspended) return;
    if (!this.#loaded) {
      await this.#load();
      this.#loaded = true;
    }
    if (!this.#bound && !this.#stop) {
      this.#bound = this.#histories.size > 0 || await this.#context.bind(this.#pod);
      if (!this.#bound) return;
    }
    let plan = decide(this.#world());
    if (plan.starts.length > 0) {
      this.#directory.create(this.#pod);
      await Promise.all(plan.starts.map((start) => this.#start(start)));
      plan = decide(this.#world());
      // What came due while the others were starting.
      if (plan.starts.length > 0) this.#dirty = true;
    }
    if (plan.stop) this.#stop = plan.stop;
    for (const { name, killAt } of plan.stops) this.#end(name, killAt);
    for (const name of plan.backingOff.keys()) this.#tellBackOff(name);
    this.#report(plan);
    this.#wakeAt(plan.wakeAt);
    if (plan.over) await this.#retire();
  }

  #world(): World {
    return {
      pod: this.#pod,
      histories: this.#histories,
      now: this.#context.clock.now(),
      startTime: this.#startTime,
      refusal: this.#refusal,
      stop: this.#stop,
    };
  }

  #wakeAt(at: EpochMs | undefined): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = at === undefined ? undefined : this.#context.clock.schedule(at, () => this.#wake());
  }

  async #start(start: Start): Promise<void> {
    const { clock, event, turn } = this.#context;
    const { container, restartCount, backOffMs } = start;
    const run = this.#directory.run(container.name, restartCount);
    const before = this.#histories.get(container.name);
    try {
      const command = await this.#command(container, run);
      await turn();
      if (this.#stop || this.#suspended) return;
      const process = this.#context.runner.start(run, command, backOffMs);
      this.#histories.set(container.name, {
        current: { restartCount, startedAt: process.startedAt, backOffMs },
        previous: before?.current,
      });
      event(this.#pod, "Normal", "Started", `Started container ${container.name}`);
      this.#follow(container, { run, process, restartCount, backOffMs });
      this.#forgetRunsBefore(container.name, restartCount - 1);
    } catch (error) {
      if (error instanceof StartError) {
        const outcome = { exitCode: 128, reason: "StartError", message: error.message, finishedAt: clock.now() };
        this.#context.runner.refuse(run, outcome, backOffMs);
        const message = `Error: failed to start container "${container.name}": ${error.message}`;
        this.#tellCannotStart("Failed", message, before?.current?.outcome?.message !== error.message);
        this.#histories.set(container.name, {
          current: { restartCount, startedAt: outcome.finishedAt, backOffMs, outcome },
          previous: before?.current,
        });
        this.#dirty = true;
      } else if (error instanceof ContainerConfigError) {
        const delayMs = Math.min(2 * (before?.problem?.delayMs ?? CONFIG_RETRY.firstMs / 2), CONFIG_RETRY.maxMs);
        const { message } = error;
        const isNews = before?.problem?.message !== message;
        const isMount = error instanceof FailedMount;
        if (isMount) this.#tellCannotStart("FailedMount", message, isNews);
        else this.#tellCannotStart("Failed", `Error: ${message}`, isNews);
        const state = isMount ? "ContainerCreating" : "CreateContainerConfigError";
        this.#histories.set(container.name, {
          ...before,
          problem: { state, message, retryAt: clock.now() + delayMs, delayMs },
        });
      } else {
        throw error;
      }
    }
  }

  async #command(container: Container, run: RunFiles) {
    const { baseEnvironment, event } = this.#context;
    Deno.mkdirSync(run.work, { recursive: true, mode: 0o700 });
    const { volumes } = this.#directory;
    // The binding is ours, and what the watch tells of it may not be here yet.
    const pod: Pod = { ...this.#pod, spec: { ...this.#pod.spec!, nodeName: this.#context.nodeName } };
    this.#volumes ??= layOutVolumes(pod, volumes, this.#references).catch((error) => {
      this.#volumes = undefined;
      throw error;
    });
    await this.#volumes;
    makeSubPaths(container, volumes);
    const preset = { ...volumeVariables(container, volumes), TERMINATION_MESSAGE_PATH: run.message };
    const { declared, warnings } = await containerEnvironment(pod, container, {
      references: this.#references,
      preset,
    });
    for (const warning of warnings) event(this.#pod, "Warning", "InvalidEnvironmentVariableNames", warning);
    if (run.restartCount === 0) this.#tellWhatIsMissing(container);
    const HOSTNAME = this.#pod.spec?.hostname || this.#pod.metadata.name;
    return containerCommand(container, {
      environment: { ...baseEnvironment, HOSTNAME, ...preset, ...declared },
      variables: { ...preset, ...declared },
      defaultDirectory: run.work,
    });
  }

  #tellWhatIsMissing(container: Container): void {
    const notice = mountNotice(container);
    if (notice) this.#context.event(this.#pod, "Warning", "NotMounted", notice);
    const ignored = ignoredFields(container);
    if (ignored.length === 0) return;
    const owner = this.#pod.metadata.ownerReferences?.find(({ controller }) => controller)?.uid;
    // All Pods of a Job are alike: it is told of the first.
    if (owner && !this.#context.isNews(`${owner} ${container.name}`)) return;
    const message = `Container "${container.name}" is a plain process: ${ignored.join(", ")} have no effect`;
    this.#context.event(this.#pod, "Warning", "Ignored", message);
  }

  #tellCannotStart(reason: string, message: string, isNews = true): void {
    const { event, onCannotStart } = this.#context;
    event(this.#pod, "Warning", reason, message);
    const { namespace, name } = this.#pod.metadata;
    if (isNews) onCannotStart?.({ pod: { namespace: namespace!, name }, reason, message });
  }

  #follow(
    container: Container,
    about: { run: RunFiles; process: RunningProcess; restartCount: number; backOffMs: number },
  ): void {
    const { run, process, restartCount, backOffMs } = about;
    const { clock, pulse, rotation, onOutput } = this.#context;
    const { namespace, name, uid } = this.#pod.metadata;
    const pod = { namespace: namespace!, name, uid };
    const tail = new OutputTail(new RunLog(run), {
      clock,
      limits: rotation,
      onLine: onOutput && ((line) => onOutput({ pod, container: container.name, line })),
    });
    const looking = pulse.add(() => tail.look());
    this.#processes.set(container.name, process);
    process.ended.then((outcome) => {
      looking[Symbol.dispose]();
      tail.close();
      this.#processes.delete(container.name);
      const stopping = this.#stopping.get(container.name);
      for (const timer of stopping?.timers ?? []) timer[Symbol.dispose]();
      this.#stopping.delete(container.name);
      const { previous } = this.#histories.get(container.name) ?? {};
      this.#histories.set(container.name, {
        current: {
          restartCount,
          startedAt: process.startedAt,
          backOffMs,
          outcome: withMessage(container, run, outcome),
        },
        previous,
      });
      this.#wake();
    });
  }

  #end(name: string, killAt: EpochMs): void {
    const { clock, event } = this.#context;
    const process = this.#processes.get(name);
    if (!process) return;
    const kill = () => clock.schedule(killAt, () => process.signal("SIGKILL"));
    const stopping = this.#stopping.get(name);
    if (stopping) {
      if (killAt >= stopping.killAt) return;
      stopping.killAt = killAt;
      stopping.timers.push(kill());
      return;
    }
    const timers = [kill()];
    this.#stopping.set(name, { run: process, killAt, timers });
    if (!this.#gone) event(this.#pod, "Normal", "Killing", `Stopping container ${name}`);
    process.signal("SIGTERM");
    const now = clock.now();
    if (now - process.startedAt < YOUNG_MS) {
      timers.push(clock.schedule(now + YOUNG_MS, () => process.signal("SIGTERM")));
    }
  }

  /** Once for each wait. */
  #tellBackOff(name: string): void {
    const history = this.#histories.get(name)!;
    if (history.announced) return;
    this.#histories.set(name, { ...history, announced: true });
    const { name: podName, namespace, uid } = this.#pod.metadata;
    this.#context.event(
      this.#pod,
      "Warning",
      "BackOff",
      `Back-off restarting failed container ${name} in pod ${podName}_${namespace}(${uid})`,
    );
  }

  #report(plan: Plan): void {
    // A last phase stays as it is, also if an earlier life wrote it for a reason that no file tells.
    if (this.#gone || this.#retired || isTerminal(this.#pod)) return;
    const known = this.#status.last?.conditions ?? this.#pod.status?.conditions ?? [];
    this.#status.want(podStatus(this.#world(), plan, known), plan.over);
  }

  /** Nothing runs any more. A deleted Pod goes for good once its last status is written. */
  async #retire(): Promise<void> {
    if (!this.#retired) {
      this.#retired = true;
      if (this.#refusal && !isTerminal(this.#pod)) {
        this.#tellCannotStart(this.#refusal.reason, this.#refusal.message);
      }
      this.#over.resolve();
    }
    if (this.#gone) {
      if (this.#removed) return;
      // Who follows its log still gets the end.
      await this.#context.clock.sleep(2 * PULSE_MS, this.#abandoned.signal).catch(() => {});
      this.#directory.remove();
      this.#removed = true;
      this.#closed.resolve();
      return;
    }
    const { name, namespace, uid, deletionTimestamp } = this.#pod.metadata;
    if (!deletionTimestamp || this.#deletionAsked) return;
    await this.#status.flush();
    if (this.#gone) return;
    this.#deletionAsked = true;
    try {
      const { client } = this.#context;
      await client.delete(PODS, { name, namespace }, { gracePeriodSeconds: 0, preconditions: { uid }, lane: "status" });
    } catch (error) {
      if (error instanceof ApiError && (error.isNotFound || error.isConflict)) return;
      this.#deletionAsked = false;
      throw error;
    }
  }

  /** Reads what former lives of the program left on disk, and takes their processes up. */
  async #load(): Promise<void> {
    for (const { container, init } of containersOf(this.#pod)) {
      const runs = this.#directory.runs(container.name);
      const last = runs.at(-1);
      if (!last) {
        this.#recall(container, init);
        continue;
      }
      const before = runs.at(-2);
      const previous = before && this.#ended(container, before);
      const found = await this.#context.runner.takeUp(last);
      const { backOffMs = 0, startedAt = 0 } = last.readIntent() ?? {};
      const { restartCount } = last;
      if (found === undefined) {
        if (previous) this.#histories.set(container.name, { current: previous });
      } else if ("ended" in found) {
        this.#histories.set(container.name, { current: { restartCount, startedAt, backOffMs }, previous });
        this.#follow(container, { run: last, process: found, restartCount, backOffMs });
      } else {
        const tail = new OutputTail(new RunLog(last), { clock: this.#context.clock, limits: this.#context.rotation });
        tail.close();
        const outcome = withMessage(container, last, found);
        this.#histories.set(container.name, { current: { restartCount, startedAt, backOffMs, outcome }, previous });
      }
    }
  }

  #ended(container: Container, run: RunFiles) {
    const state = run.read();
    if (state?.kind !== "ended") return undefined;
    const { backOffMs = 0, startedAt = 0 } = run.readIntent() ?? {};
    const outcome = withMessage(container, run, state.outcome);
    return { restartCount: run.restartCount, startedAt, backOffMs, outcome };
  }

  /** A container that has run as far as the API knows, but of which there are no files, must not run again unasked. */
  #recall(container: Container, init: boolean): void {
    const { initContainerStatuses = [], containerStatuses = [] } = this.#pod.status ?? {};
    const status = (init ? initContainerStatuses : containerStatuses).find(({ name }) => name === container.name);
    const { running, terminated } = status?.state ?? {};
    const ended = terminated ?? status?.lastState?.terminated;
    if (!running && !ended) return;
    const now = this.#context.clock.now();
    const startedAt = parseTime(running?.startedAt ?? ended?.startedAt) ?? now;
    const outcome: Outcome = running || !ended ? { ...UNKNOWN_STATUS, startedAt, finishedAt: now } : {
      exitCode: ended.exitCode,
      reason: ended.reason ?? "Error",
      message: ended.message,
      startedAt,
      finishedAt: parseTime(ended.finishedAt) ?? now,
    };
    this.#histories.set(container.name, {
      current: { restartCount: status!.restartCount, startedAt, backOffMs: 0, outcome },
    });
  }

  #forgetRunsBefore(container: string, restartCount: number): void {
    for (const run of this.#directory.runs(container)) if (run.restartCount < restartCount) run.remove();
  }

  get #key(): string {
    return `${this.#pod.metadata.namespace}/${this.#pod.metadata.name}`;
  }
}

function isTerminal(pod: Pod): boolean {
  return pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
}

function withMessage(container: Container, run: RunFiles, outcome: Outcome): Outcome {
  const message = outcome.message ?? terminationMessage(container, run, outcome.exitCode);
  return message ? { ...outcome, message } : outcome;
}

function referencesOf(pod: Pod, client: KubeClient): References {
  const { namespace } = pod.metadata;
  const orUndefined = async <T>(found: Promise<T>) => {
    try {
      return await found;
    } catch (error) {
      if (error instanceof ApiError && error.isNotFound) return undefined;
      throw error instanceof ApiError ? new ContainerConfigError(error.message, { cause: error }) : error;
    }
  };
  return {
    configMap: (name) => orUndefined(client.get(CONFIG_MAPS, { name, namespace })),
    secret: (name) => orUndefined(client.get(SECRETS, { name, namespace })),
  };
}
