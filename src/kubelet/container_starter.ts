import type { Container } from "kubernetes-types/core/v1";
import type { Pod } from "../kube/resource.ts";
import { ContainerConfigError, containerEnvironment, ImageError, type References } from "./inputs/env.ts";
import type { RunAtWork } from "./container_run.ts";
import { type ContainerRuntime, type RunOfContainer, StartError, type StartOrder } from "./runtime.ts";
import type { ContainerHistory, Start, StartProblem } from "./decide.ts";
import type { PodContext } from "./context.ts";
import type { PodDirectory } from "./files/pod_directory.ts";
import { reportCannotStart, reportWhatIsMissing } from "./events.ts";
import { layOutVolumes } from "./inputs/volumes.ts";
import { referencesOf } from "./inputs/references.ts";
import type { Outcome, RunFiles } from "./files/run_files.ts";

const CONFIG_RETRY = { firstMs: 2_000, maxMs: 60_000 };

/** What became of an attempt to start a container. */
export type StartResult =
  | { readonly kind: "started"; readonly run: RunAtWork }
  /** Its command cannot be run. */
  | { readonly kind: "refused"; readonly outcome: Outcome }
  /** It cannot be started as it is configured now. */
  | { readonly kind: "problem"; readonly problem: StartProblem }
  /** The Pod has to end, or is left to another life of the program. */
  | { readonly kind: "withheld" };

/** Returns what is known of a container after an attempt to start it. */
export function historyAfter(
  result: Exclude<StartResult, { kind: "withheld" }>,
  { restartCount, backOffMs }: Start,
  before: ContainerHistory | undefined,
): ContainerHistory {
  const previous = before?.current;
  switch (result.kind) {
    case "problem":
      return { ...before, problem: result.problem };
    case "refused": {
      const { outcome } = result;
      return { current: { restartCount, startedAt: outcome.finishedAt, backOffMs, outcome }, previous };
    }
    case "started":
      return { current: { restartCount, startedAt: result.run.running.startedAt, backOffMs }, previous };
  }
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
   */
  async start(
    pod: Pod,
    { container, restartCount, backOffMs }: Start,
    before: ContainerHistory | undefined,
    { mayStart, signal }: { readonly mayStart: () => boolean; readonly signal: AbortSignal },
  ): Promise<StartResult> {
    const { event, turn } = this.#context;
    const files = this.#directory.run(container.name, restartCount);
    try {
      const order = await this.#order({ pod, container, files }, backOffMs, signal);
      await turn();
      if (!mayStart()) return { kind: "withheld" };
      const running = await this.#runtime.start(order);
      event(pod, "Normal", "Started", `Started container ${container.name}`);
      return { kind: "started", run: { files, running, backOffMs } };
    } catch (error) {
      if (signal.aborted && error === signal.reason) return { kind: "withheld" };
      if (error instanceof StartError) return this.#refused(pod, error, { container, files, backOffMs, before });
      if (error instanceof ContainerConfigError) return this.#problem(pod, error, before?.problem);
      throw error;
    }
  }

  #refused(
    pod: Pod,
    error: StartError,
    about: { container: Container; files: RunFiles; backOffMs: number; before: ContainerHistory | undefined },
  ): StartResult {
    const { container, files, backOffMs, before } = about;
    const finishedAt = this.#context.clock.now();
    const outcome = { exitCode: 128, reason: "StartError", message: error.message, finishedAt };
    files.refuse(outcome, { backOffMs, runtime: this.#runtime.name });
    const message = `Error: failed to start container "${container.name}": ${error.message}`;
    const isNews = before?.current?.outcome?.message !== error.message;
    reportCannotStart(this.#context, pod, { reason: "Failed", message, isNews });
    return { kind: "refused", outcome };
  }

  #problem(pod: Pod, error: ContainerConfigError, before: StartProblem | undefined): StartResult {
    const { message, reason, state } = error;
    if (error instanceof ImageError) {
      const { delayMs } = error;
      if (before?.message !== message) {
        this.#context.event(pod, "Warning", "Failed", `Error: ${state}`);
        const { namespace, name } = pod.metadata;
        // The same pull that fails again is no news.
        const isNews = state !== "ImagePullBackOff" && !before?.message.includes(message);
        if (isNews) this.#context.onCannotStart?.({ pod: { namespace: namespace!, name }, reason: state, message });
      }
      return { kind: "problem", problem: { state, message, retryAt: this.#context.clock.now() + delayMs, delayMs } };
    }
    const delayMs = before ? Math.min(2 * before.delayMs, CONFIG_RETRY.maxMs) : CONFIG_RETRY.firstMs;
    reportCannotStart(this.#context, pod, {
      reason,
      message: reason === "Failed" ? `Error: ${message}` : message,
      isNews: before?.message !== message,
    });
    return { kind: "problem", problem: { state, message, retryAt: this.#context.clock.now() + delayMs, delayMs } };
  }

  async #order(run: RunOfContainer, backOffMs: number, signal: AbortSignal): Promise<StartOrder> {
    const { runtimes, event, nodeName } = this.#context;
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
    const { variables: preset, variableNames: names, notices, image } = await runtime.prepare(run, {
      volumes,
      references,
      signal,
    });
    const { variables: env, warnings } = await containerEnvironment(taken, container, { references, preset, names });
    for (const warning of warnings) event(pod, "Warning", "InvalidEnvironmentVariableNames", warning);
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
