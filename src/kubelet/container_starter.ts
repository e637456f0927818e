import type { Pod } from "../kube/resource.ts";
import { ContainerConfigError } from "./inputs/config_error.ts";
import { containerEnvironment } from "./inputs/env.ts";
import type { RunAtWork } from "./container_run.ts";
import { type ContainerRuntime, type RunOfContainer, StartError, type StartOrder } from "./runtime.ts";
import type { ContainerHistory, Run, Start, StartProblem } from "./decide.ts";
import type { PodContext } from "./context.ts";
import type { PodDirectory } from "./files/pod_directory.ts";
import { reportCannotStart, reportWhatIsMissing } from "./events.ts";
import { layOutVolumes } from "./inputs/volumes.ts";
import { type References, referencesOf } from "./inputs/references.ts";
import type { RunFiles } from "./files/run_files.ts";

const RETRY = { firstMs: 2_000, maxMs: 60_000 };

/** What became of an attempt to start a container. */
export interface StartResult {
  readonly history: ContainerHistory;
  /** Absent where it could not be started. */
  readonly work?: RunAtWork;
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
    const files = this.#directory.run(container.name, restartCount);
    const previous = before?.current;
    try {
      const order = await this.#order({ pod, container, files }, backOffMs, signal);
      await turn();
      if (!mayStart()) return undefined;
      const running = await this.#runtime.start(order);
      event(pod, "Normal", "Started", `Started container ${container.name}`);
      const current = { restartCount, startedAt: running.startedAt, backOffMs };
      return { history: { current, previous }, work: { files, running } };
    } catch (error) {
      if (signal.aborted && error === signal.reason) return undefined;
      if (error instanceof StartError) {
        return { history: { current: this.#refused(pod, error, { start, files, previous }), previous } };
      }
      if (!(error instanceof ContainerConfigError)) throw error;
      return { history: { ...before, problem: this.#problem(pod, error, before?.problem) } };
    }
  }

  /** The command of a container cannot be run: that was its run. */
  #refused(
    pod: Pod,
    { message }: StartError,
    { start, files, previous }: { readonly start: Start; readonly files: RunFiles; readonly previous: Run | undefined },
  ): Run {
    const { container, restartCount, backOffMs } = start;
    const finishedAt = this.#context.clock.now();
    const outcome = { exitCode: 128, reason: "StartError", message, finishedAt };
    files.refuse(outcome, { backOffMs, runtime: this.#runtime.name });
    reportCannotStart(this.#context, pod, {
      reason: "Failed",
      message: `Error: failed to start container "${container.name}": ${message}`,
      isNews: previous?.outcome?.message !== message,
    });
    return { restartCount, startedAt: finishedAt, backOffMs, outcome };
  }

  #problem(
    pod: Pod,
    { message, reason, state }: ContainerConfigError,
    before: StartProblem | undefined,
  ): StartProblem {
    reportCannotStart(this.#context, pod, {
      reason,
      message: reason === "Failed" ? `Error: ${message}` : message,
      isNews: before?.message !== message,
    });
    const delayMs = before ? Math.min(2 * before.delayMs, RETRY.maxMs) : RETRY.firstMs;
    return { state, message, retryAt: this.#context.clock.now() + delayMs, delayMs };
  }

  async #order(run: RunOfContainer, backOffMs: number, signal: AbortSignal): Promise<StartOrder> {
    const { runtimes, nodeName } = this.#context;
    const runtime = this.#runtime;
    if (!runtimes.allows(runtime)) {
      throw new StartError(`the container runtime ${runtime.name}, which the pod began with, is not allowed any more`);
    }
    const { pod, container, files } = run;
    const { volumes } = this.#directory;
    // The watch may not have shown yet that we have taken it.
    const taken: Pod = { ...pod, spec: { ...pod.spec!, nodeName } };
    await this.#layOutVolumes(taken);
    const references = this.#references;
    const { variables: preset, notices, image } = await runtime.prepare(run, {
      volumes,
      signal,
    });
    const env = await containerEnvironment(taken, container, { references, preset });
    if (files.restartCount === 0) reportWhatIsMissing(this.#context, run, notices);
    return { pod: taken, container, files, env, volumes, backOffMs, image };
  }

  /** All containers wait for the same volumes. After a failure the next start tries again. */
  #layOutVolumes(pod: Pod): Promise<void> {
    return this.#volumes ??= layOutVolumes(pod, this.#directory.volumes, this.#references).catch((error) => {
      this.#volumes = undefined;
      throw error;
    });
  }
}
