import type { Container } from "kubernetes-types/core/v1";
import type { Pod } from "../kube/resource.ts";
import { containerCommand, StartError } from "./container_command.ts";
import { ContainerConfigError, containerEnvironment, FailedMount, type References } from "./container_env.ts";
import type { ProcessOfRun } from "./container_run.ts";
import type { ContainerHistory, Start, StartProblem } from "./decide.ts";
import type { PodContext } from "./pod_context.ts";
import type { PodDirectory } from "./pod_directory.ts";
import { reportCannotStart, reportWhatIsMissing } from "./pod_events.ts";
import { layOutVolumes, makeSubPaths, volumeVariables } from "./pod_volumes.ts";
import type { Command } from "./process_runner.ts";
import { referencesOf } from "./references.ts";
import type { Outcome, RunFiles } from "./run_files.ts";

const CONFIG_RETRY = { firstMs: 2_000, maxMs: 60_000 };

/** What became of an attempt to start a container. */
export type StartResult =
  | { readonly kind: "started"; readonly run: ProcessOfRun }
  /** Its command cannot be run. */
  | { readonly kind: "refused"; readonly outcome: Outcome }
  /** It cannot be started as it is configured now. */
  | { readonly kind: "problem"; readonly problem: StartProblem }
  /** The Pod has to end, or is left to another life of the program. */
  | { readonly kind: "withheld" };

/** Starts the containers of one Pod. */
export class ContainerStarter {
  readonly #context: PodContext;
  readonly #directory: PodDirectory;
  readonly #references: References;
  #volumes: Promise<void> | undefined;

  constructor(pod: Pod, directory: PodDirectory, context: PodContext) {
    this.#context = context;
    this.#directory = directory;
    this.#references = referencesOf(pod, context.client);
  }

  /** Starts a container, unless `mayStart` says immediately before that it may not be started any more. */
  async start(
    pod: Pod,
    { container, restartCount, backOffMs }: Start,
    before: ContainerHistory | undefined,
    mayStart: () => boolean,
  ): Promise<StartResult> {
    const { event, turn, runner } = this.#context;
    const files = this.#directory.run(container.name, restartCount);
    try {
      const command = await this.#command(pod, container, files);
      await turn();
      if (!mayStart()) return { kind: "withheld" };
      const process = runner.start(files, command, backOffMs);
      event(pod, "Normal", "Started", `Started container ${container.name}`);
      return { kind: "started", run: { files, process, backOffMs } };
    } catch (error) {
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
    this.#context.runner.refuse(files, outcome, backOffMs);
    const message = `Error: failed to start container "${container.name}": ${error.message}`;
    const isNews = before?.current?.outcome?.message !== error.message;
    reportCannotStart(this.#context, pod, { reason: "Failed", message, isNews });
    return { kind: "refused", outcome };
  }

  #problem(pod: Pod, error: ContainerConfigError, before: StartProblem | undefined): StartResult {
    const { message } = error;
    const delayMs = before ? Math.min(2 * before.delayMs, CONFIG_RETRY.maxMs) : CONFIG_RETRY.firstMs;
    const isMount = error instanceof FailedMount;
    reportCannotStart(this.#context, pod, {
      reason: isMount ? "FailedMount" : "Failed",
      message: isMount ? message : `Error: ${message}`,
      isNews: before?.message !== message,
    });
    const state = isMount ? "ContainerCreating" : "CreateContainerConfigError";
    return { kind: "problem", problem: { state, message, retryAt: this.#context.clock.now() + delayMs, delayMs } };
  }

  async #command(pod: Pod, container: Container, run: RunFiles): Promise<Command> {
    const { baseEnvironment, event, nodeName } = this.#context;
    Deno.mkdirSync(run.work, { recursive: true, mode: 0o700 });
    const { volumes } = this.#directory;
    // The binding is ours, and the watch may not have shown it yet.
    const bound: Pod = { ...pod, spec: { ...pod.spec!, nodeName } };
    await this.#layOutVolumes(bound);
    makeSubPaths(container, volumes);
    const preset = { ...volumeVariables(container, volumes), TERMINATION_MESSAGE_PATH: run.message };
    const references = this.#references;
    const { declared, warnings } = await containerEnvironment(bound, container, { references, preset });
    for (const warning of warnings) event(pod, "Warning", "InvalidEnvironmentVariableNames", warning);
    if (run.restartCount === 0) reportWhatIsMissing(this.#context, pod, container);
    const HOSTNAME = pod.spec?.hostname || pod.metadata.name;
    return containerCommand(container, {
      environment: { ...baseEnvironment, HOSTNAME, ...preset, ...declared },
      variables: { ...preset, ...declared },
      defaultDirectory: run.work,
    });
  }

  /** All containers wait for the same volumes. After a failure the next start tries again. */
  #layOutVolumes(pod: Pod): Promise<void> {
    return this.#volumes ??= layOutVolumes(pod, this.#directory.volumes, this.#references).catch((error) => {
      this.#volumes = undefined;
      throw error;
    });
  }
}
