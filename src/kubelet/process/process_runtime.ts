import type { Container } from "kubernetes-types/core/v1";
import type { SessionRequest } from "../../kube/container_session.ts";
import type { Pod } from "../../kube/resource.ts";
import type {
  ContainerRuntime,
  Notice,
  Prepared,
  PrepareOptions,
  RunningContainer,
  RunOfContainer,
  StartOrder,
} from "../runtime.ts";
import type { Refusal } from "../inputs/check.ts";
import type { Clock } from "../../runtime/clock.ts";
import { makeSubPaths, mountNotice, volumeVariables } from "../inputs/volumes.ts";
import type { Outcome } from "../files/run_files.ts";
import { commandOf, containerCommand } from "./container_command.ts";
import { ignoredFields, processRefusal, type Self } from "./refusal.ts";
import type { Command, ProcessRunner, RunningProcess } from "./runner.ts";
import { startSession } from "./session_process.ts";
import { resultOf } from "./exec_command.ts";
import { environmentOf } from "./shim.ts";

/** The names of variables that every shell hands on. */
const SHELL_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

export interface ProcessRuntimeOptions {
  readonly clock: Clock;
  readonly runner: ProcessRunner;
  /** Who the processes run as. */
  readonly self: Self;
  /** What every process gets. */
  readonly baseEnvironment: Readonly<Record<string, string>>;
}

/** Runs each container as a plain process of this machine, with the rights of the program. */
export class ProcessRuntime implements ContainerRuntime {
  readonly name = "process";
  readonly #options: ProcessRuntimeOptions;

  constructor(options: ProcessRuntimeOptions) {
    this.#options = options;
  }

  refusalOf(pod: Pod): Refusal | undefined {
    return pod.spec && processRefusal(pod.spec, this.#options.self);
  }

  // deno-lint-ignore require-await
  async prepare({ container, files }: RunOfContainer, { volumes }: PrepareOptions): Promise<Prepared> {
    const variables = { ...volumeVariables(container, volumes), TERMINATION_MESSAGE_PATH: files.message };
    return { variables, variableNames: SHELL_NAME, notices: this.#noticesOn(container) };
  }

  #noticesOn(container: Container): Notice[] {
    const notMounted = mountNotice(container);
    const ignored = ignoredFields(container);
    const have = ignored.length === 1 ? "has" : "have";
    return [
      ...notMounted ? [{ reason: "NotMounted", message: notMounted } as const] : [],
      ...ignored.length === 0 ? [] : [
        {
          reason: "Ignored",
          message: `Container "${container.name}" is a plain process: ${ignored.join(", ")} ${have} no effect`,
        } as const,
      ],
    ];
  }

  // deno-lint-ignore require-await
  async start(order: StartOrder): Promise<RunningContainer> {
    const { pod, container, files, env, volumes, backOffMs } = order;
    Deno.mkdirSync(files.work, { recursive: true, mode: 0o700 });
    makeSubPaths(container, volumes);
    const HOSTNAME = pod.spec?.hostname || pod.metadata.name;
    const command = containerCommand(container, {
      environment: { ...this.#options.baseEnvironment, HOSTNAME, ...env },
      variables: env,
      defaultDirectory: files.work,
    });
    const process = this.#options.runner.start(files, command, backOffMs);
    return { ...process, ...this.#access(order, process, () => command.env) };
  }

  async resume(run: RunOfContainer): Promise<RunningContainer | Outcome | undefined> {
    const found = await this.#options.runner.resume(run.files);
    if (found === undefined || !("ended" in found)) return found;
    return { ...found, ...this.#access(run, found, () => environmentOf(found.identity)) };
  }

  /** Runs commands as the container's process is run, for clients and for probes. */
  #access(
    run: RunOfContainer,
    { ended }: RunningProcess,
    environment: () => Command["env"],
  ): Required<Pick<RunningContainer, "open" | "exec">> {
    const { clock } = this.#options;
    const workingDirectory = run.container.workingDir || run.files.work;
    const session = (argv: readonly string[], request: Pick<SessionRequest, "stdin" | "tty">) =>
      startSession(commandOf(argv, { environment: environment(), workingDirectory }), request);
    const over = new AbortController();
    ended.then(() => over.abort());
    return {
      // deno-lint-ignore require-await
      open: async (request) => session(request.command, request),
      exec: async (argv, timeoutMs) => {
        const started = session(argv, { stdin: false, tty: false });
        return await resultOf(started, { clock, timeoutMs, over: over.signal });
      },
    };
  }
}
