import type { Container } from "kubernetes-types/core/v1";
import type { Pod } from "../../kube/resource.ts";
import { loggerFor } from "../../telemetry/logging.ts";
import { ContainerConfigError, CreateContainerError, type References, SandboxError } from "../inputs/env.ts";
import {
  type ContainerRuntime,
  type Image,
  type Notice,
  type RunningContainer,
  type RunOfContainer,
  StartError,
  type StartOrder,
} from "../runtime.ts";
import type { Refusal } from "../inputs/check.ts";
import { bootId, type ProcessIdentity, signalChildren } from "../process/identity.ts";
import { removeFile } from "../files/disk.ts";
import type { Outcome, RunFiles, RunState } from "../files/run_files.ts";
import { checkNonRoot, containerArguments } from "./container_arguments.ts";
import type { ContainerEnds } from "./container_ends.ts";
import { containerLabels, LABELS, nameOf } from "./container_names.ts";
import { phaseOf, startOf } from "./container_state.ts";
import type { ContainerWatch } from "./container_watch.ts";
import { EngineError, EngineMissing, isOfNetwork, reasonIn } from "./engine_command.ts";
import type { EngineKind } from "./engine_kind.ts";
import { handOver } from "./environment.ts";
import { engineRefusal, hostOf, ignoredByEngine, type MachineAccess } from "./engine_refusal.ts";
import { checkHostPaths } from "./host_paths.ts";
import type { ImageStore } from "./image_store.ts";
import { endOfFormerLaunch, LATE, type Launched, TOO_LATE } from "./launch.ts";
import { type Launcher, type LauncherOptions, NOT_CREATED } from "./launcher.ts";
import type { Sandboxes } from "./sandboxes.ts";

export interface EngineRuntimeOptions extends LauncherOptions, MachineAccess {
  readonly images: ImageStore;
  readonly sandboxes: Sandboxes;
  readonly watch: ContainerWatch;
  readonly ends: ContainerEnds;
  readonly launcher: Launcher;
  /** Whose containers these are. */
  readonly dataDir: string;
  /** The engine's network for Pods. */
  readonly network: string | undefined;
  /** For the variable TZ of each container. */
  readonly timeZone?: string;
}

const logger = loggerFor("kubelet");

/**
 * Runs containers by the command line of a container engine.
 *
 * Guarantees: a run's container is created and started once at most. Its name is the run's, so that the engine refuses a
 * second one; {@linkcode Launcher} claims the run before, so that one that was abandoned never starts late; what came of it is
 * on disk before the container is removed.
 */
export class EngineRuntime implements ContainerRuntime {
  readonly #options: EngineRuntimeOptions;
  readonly #bootId = bootId();

  constructor(options: EngineRuntimeOptions) {
    this.#options = options;
  }

  get name(): EngineKind["name"] {
    return this.#options.kind.name;
  }

  refusalOf(pod: Pod): Refusal | undefined {
    return pod.spec && engineRefusal(pod.spec, this.#options);
  }

  noticesOn(container: Container): Notice[] {
    const ignored = ignoredByEngine(container, this.#options);
    if (ignored.length === 0) return [];
    return [{ reason: "Ignored", message: `Container "${container.name}": ${ignored.join(", ")} have no effect here` }];
  }

  presetVariables(): Record<string, string> {
    const { timeZone } = this.#options;
    return timeZone ? { TZ: timeZone } : {};
  }

  async prepare(run: RunOfContainer, references: References, signal: AbortSignal): Promise<Image> {
    checkHostPaths(run.pod, run.container, this.#options.hostPaths);
    try {
      await this.#options.sandboxes.prepare(run.pod);
      const image = await this.#options.images.ready(run, references, signal);
      checkNonRoot(run.pod, run.container, image);
      return image;
    } catch (error) {
      throw error instanceof EngineError ? new ContainerConfigError(error.message, { cause: error }) : error;
    }
  }

  async start(ordered: StartOrder): Promise<RunningContainer> {
    const { clock, launcher } = this.#options;
    const order = { ...ordered, env: { ...this.presetVariables(), ...ordered.env } };
    const { files } = order;
    Deno.mkdirSync(files.directory, { recursive: true, mode: 0o700 });
    const { file, inherited } = handOver(order.env);
    const recipe = { args: this.#args(order, Object.keys(inherited)), env: inherited };
    Deno.writeTextFileSync(files.environment, file, { mode: 0o600 });
    const { code, complaint } = await launcher.launch(order, recipe).finally(() => removeFile(files.environment));
    if (/container name .+ is already in use/.test(complaint)) return await this.#adopt(order, complaint);
    if (code !== 0) throw await this.#failed(order, { code, complaint });
    return this.#follow(order, { startedAt: clock.now(), stopSignal: order.image!.stopSignal });
  }

  async takeUp(run: RunOfContainer): Promise<RunningContainer | Outcome | undefined> {
    const { files } = run;
    for (;;) {
      const state = files.read();
      switch (state?.kind) {
        case undefined:
        case "void":
          return undefined;
        case "ended":
          if (this.#options.watch.hasBegun(files)) this.#options.ends.removeLater(run);
          return state.outcome;
        case "intended":
          if (files.giveUp(files.readIntent()!.attempt)) return undefined;
          continue;
        case "started":
          return await this.#find(run, await this.#isLate(run, state));
        case "claimed":
          // Its launch ended before it could write down who it is: it has not come to the engine.
          return await this.#find(run);
      }
    }
  }

  async podIsOver(pod: Pod): Promise<void> {
    this.#options.images.forget(pod.metadata.uid);
    await this.#options.sandboxes.remove(pod);
  }

  async removeStrangers(isKnown: (uid: string) => boolean): Promise<void> {
    const { containers, dataDir, sandboxes } = this.#options;
    const found = await containers.list(LABELS.dataDir, dataDir);
    const strangers = found.filter(({ uid }) => !isKnown(uid));
    for (const uid of new Set(strangers.map(({ uid }) => uid))) await sandboxes.removeByUid(uid);
    await containers.removeAll(strangers);
  }

  close(): Promise<void> {
    this.#options.ends.close();
    this.#options.watch.close();
    return this.#options.command.close();
  }

  #args(order: StartOrder, inherited: readonly string[]): string[] {
    const { kind, sandboxes, dataDir, hostPaths, watch } = this.#options;
    const { files } = order;
    // Any user of the container writes its last words there.
    Deno.writeTextFileSync(files.message, "");
    Deno.chmodSync(files.message, 0o666);
    return [
      ...["--pull", "never", "--name", nameOf(order)],
      ...containerLabels(order, dataDir),
      ...watch.argsFor(files),
      ...sandboxes.argsFor(order.pod),
      ...containerArguments(order, { kind, image: order.image!, envFile: files.environment, inherited, hostPaths }),
    ];
  }

  /** Removes what a launch that failed has left. Returns what is to be said of it. */
  async #failed(order: StartOrder, { code, complaint }: Launched): Promise<Error> {
    const { containers, sandboxes, watch } = this.#options;
    const found = await containers.inspect(order);
    const isUnstarted = !found || phaseOf(found) === "unstarted";
    if (isUnstarted) watch.forget(order.files);
    await containers.remove(order);
    const reason = reasonIn(complaint) || `${this.name} run ended with exit code ${code}`;
    if (!isUnstarted) return new StartError(reason);
    sandboxes.forget(order.pod);
    if (isOfNetwork(reason)) return new SandboxError(reason);
    // A daemon may have been about to start what is there.
    const isAbsent = code === NOT_CREATED || (code === TOO_LATE && !found);
    return isAbsent ? new CreateContainerError(reason) : new StartError(reason);
  }

  /** Resolves once a run's launch has ended: whether it had to be killed. */
  async #isLate(run: RunOfContainer, state: Extract<RunState, { kind: "started" }>): Promise<boolean> {
    if (!this.#isOfThisBoot(run.files)) return false;
    const claimedAt = run.files.claimedAt() ?? state.startedAt;
    if (await endOfFormerLaunch(state, claimedAt, this.#options.clock)) return false;
    logger.warn("Killed the command that was to start container {container}: {error}", {
      container: nameOf(run),
      error: LATE,
    });
    return true;
  }

  /**
   * Finds out from the engine what became of a container whose launch has ended.
   *
   * @param isLate whether the launch was killed: what it was about to start may have started, and must not again
   * @throws {EngineError} if that cannot be found out now
   */
  async #find(run: RunOfContainer, isLate = false): Promise<RunningContainer | Outcome | undefined> {
    const { clock, containers, ends, watch } = this.#options;
    // A program that was killed during the launch has left it.
    removeFile(run.files.environment);
    const found = await this.#checkDaemon(run.files).then(() => containers.inspect(run)).catch((error) => {
      // Since the machine has started anew nothing of it works, and there is nothing to ask.
      if (error instanceof EngineMissing && !this.#isOfThisBoot(run.files)) return undefined;
      throw error;
    });
    if (!found) {
      const process = watch.knownProcess(run);
      if (process) return this.#followUnknown(run, process);
      // What was at work once must not be again.
      return watch.hasBegun(run.files) ? ends.lost(run) : undefined;
    }
    switch (phaseOf(found)) {
      case "unstarted": {
        const lost = { exitCode: 128, reason: "StartError", message: LATE, finishedAt: clock.now() };
        if (isLate) run.files.writeOutcome(lost);
        await containers.remove(run);
        watch.forget(run.files);
        return isLate ? lost : undefined;
      }
      case "ended":
        return await ends.conclude(run, found);
      case "running":
        return this.#follow(run, {
          startedAt: startOf(found) ?? clock.now(),
          stopSignal: String(found.Config?.StopSignal || "SIGTERM"),
        });
    }
  }

  #follow(
    run: RunOfContainer,
    { startedAt, stopSignal }: { startedAt: number; stopSignal: string },
  ): RunningContainer {
    let over = false;
    const ended = this.#options.ends.of(run).finally(() => over = true);
    return {
      startedAt,
      losesEarlySignals: false,
      ended,
      open: this.#options.containers.opener(run),
      host: hostOf(this.#options),
      exec: (argv, timeoutMs, of) => this.#options.containers.exec(run, argv, timeoutMs, of),
      signal: (signal) =>
        void this.#options.containers.signal(run, signal === "SIGTERM" ? stopSignal : signal, () => over),
    };
  }

  /** An engine that has lost its records, as an upgrade may have it, knows nothing of a container that still works. */
  #followUnknown(run: RunOfContainer, process: ProcessIdentity): RunningContainer {
    return {
      startedAt: run.files.readIntent()!.startedAt,
      losesEarlySignals: false,
      ended: this.#options.ends.of(run),
      open: this.#options.containers.opener(run),
      signal: (signal) => signalChildren(process, signal),
    };
  }

  /** A launch that had been on its way for very long was first. */
  async #adopt(order: StartOrder, complaint: string): Promise<RunningContainer> {
    const found = await this.#find(order);
    if (found === undefined) throw new CreateContainerError(reasonIn(complaint));
    if ("ended" in found) return found;
    const startedAt = found.startedAt ?? found.finishedAt;
    const open = this.#options.containers.opener(order);
    return { startedAt, losesEarlySignals: false, ended: Promise.resolve(found), signal: () => {}, open };
  }

  /** Another daemon does not know the container, which may still be at work. */
  async #checkDaemon(files: RunFiles): Promise<void> {
    const { endpoint: was } = files.readIntent()!;
    if (was === undefined) return;
    const is = await this.#options.command.endpoint();
    if (is !== was) throw new EngineError(`${this.name} has it at ${was}, and is asked at ${is} now`);
  }

  #isOfThisBoot(files: RunFiles): boolean {
    return files.readIntent()!.bootId === this.#bootId;
  }
}
