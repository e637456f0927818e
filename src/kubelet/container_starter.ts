import type { Pod } from "../kube/resource.ts";
import { ContainerConfigError } from "./inputs/config_error.ts";
import { containerEnvironment } from "./inputs/env.ts";
import {
  type ContainerRuntime,
  type RunningContainer,
  type RunOfContainer,
  StartError,
  type StartOrder,
} from "./runtime.ts";
import type { ContainerHistory, Run, Start, StartProblem } from "./decide.ts";
import type { PodContext } from "./context.ts";
import type { PodDirectory } from "./files/pod_directory.ts";
import { reportCannotStart, reportWhatIsMissing } from "./events.ts";
import { layOutVolumes } from "./inputs/volumes.ts";
import { type References, referencesOf } from "./inputs/references.ts";

const RETRY = { firstMs: 2_000, maxMs: 60_000 };

/** The result of an attempt to start a container. */
export interface StartResult {
  readonly history: ContainerHistory;
  /** Absent where it could not be started. */
  readonly running?: RunningContainer;
}

/** Starts the containers of one Pod. */
export class ContainerStarter {
  readonly #context: PodContext;
  readonly #directory: PodDirectory;
  readonly #runtime: ContainerRuntime;
  readonly #references: References;
  #volumes: Promise<void> | undefined;

  constructor(pod: Pod, directory: PodDirectory, runtime: ContainerRuntime, context: PodContext) {
    this.#context = context;
    this.#directory = directory;
    this.#runtime = runtime;
    this.#references = referencesOf(pod, context.client);
  }

  /**
   * Starts a container, unless `mayStart` says immediately before that it may not be started any more. When `signal` is
   * aborted, it stops getting ready.
   *
   * @returns undefined if it was not to be started any more
   */
  async start(
    pod: Pod,
    start: Start,
    before: ContainerHistory | undefined,
    { mayStart, signal }: { readonly mayStart: () => boolean; readonly signal: AbortSignal },
  ): Promise<StartResult | undefined> {
    const { container, restartCount, backOffMs } = start;
    const { event, turn } = this.#context;
    const run = { pod, container, files: this.#directory.run(container.name, restartCount) };
    const previous = before?.current;
    try {
      const order = await this.#order(run, backOffMs, signal);
      await turn();
      if (!mayStart()) return undefined;
      const running = await this.#runtime.start(order);
      event(pod, "Normal", "Started", `Started container ${container.name}`);
      const current = { restartCount, startedAt: running.startedAt, backOffMs };
      return { history: { current, previous }, running };
    } catch (error) {
      if (signal.aborted && error === signal.reason) return undefined;
      if (error instanceof StartError) return { history: { current: this.#refused(run, error, backOffMs), previous } };
      if (!(error instanceof ContainerConfigError)) throw error;
      return { history: { ...before, problem: this.#problem(pod, error, before?.problem) } };
    }
  }

  /** The command of a container cannot be run: that was its run. */
  #refused({ pod, container, files }: RunOfContainer, { message }: StartError, backOffMs: number): Run {
    const startedAt = this.#context.clock.now();
    const outcome = { exitCode: 128, reason: "StartError", message, finishedAt: startedAt };
    files.refuse(outcome, { backOffMs, runtime: this.#runtime.name });
    const failed = `Error: failed to start container "${container.name}": ${message}`;
    reportCannotStart(this.#context, pod, "Failed", failed);
    return { restartCount: files.restartCount, startedAt, backOffMs, outcome };
  }

  #problem(pod: Pod, { message, reason, state }: ContainerConfigError, before: StartProblem | undefined): StartProblem {
    reportCannotStart(this.#context, pod, reason, reason === "Failed" ? `Error: ${message}` : message);
    const delayMs = before ? Math.min(2 * before.delayMs, RETRY.maxMs) : RETRY.firstMs;
    return { state, message, retryAt: this.#context.clock.now() + delayMs, delayMs };
  }

  async #order(run: RunOfContainer, backOffMs: number, signal: AbortSignal): Promise<StartOrder> {
    const { runtimes, nodeName } = this.#context;
    const runtime = this.#runtime;
    if (!runtimes.allows(runtime)) {
      throw new StartError(`the container runtime ${runtime.name}, which the pod began with, is not allowed any more`);
    }
    const { volumes } = this.#directory;
    // The watch may not have shown yet that we have taken it.
    const pod: Pod = { ...run.pod, spec: { ...run.pod.spec!, nodeName } };
    await this.#layOutVolumes(pod);
    const references = this.#references;
    const { variables: preset, notices, image } = await runtime.prepare(run, volumes, signal);
    const env = await containerEnvironment(pod, run.container, { references, preset });
    if (run.files.restartCount === 0) reportWhatIsMissing(this.#context, run, notices);
    return { ...run, pod, env, volumes, backOffMs, image };
  }

  /** All containers wait for the same volumes. After a failure the next start tries again. */
  #layOutVolumes(pod: Pod): Promise<void> {
    return this.#volumes ??= layOutVolumes(pod, this.#directory.volumes, this.#references).catch((error) => {
      this.#volumes = undefined;
      throw error;
    });
  }
}
