import type { Pod } from "../../kube/resource.ts";
import type { ContainerRuntime, Prepared, RunningContainer, RunOfContainer, StartOrder } from "../runtime.ts";
import type { Clock } from "../../base/clock.ts";
import { baseEnvironment } from "../inputs/env.ts";
import { ignoredNotice, type Refusal } from "../inputs/check.ts";
import { mountNotice, volumeVariables } from "../inputs/volumes.ts";
import type { Outcome } from "../files/run_files.ts";
import { type Command, commandOf, wordsOf } from "./container_command.ts";
import { ignoredFields, processRefusal, whoWeAre } from "./refusal.ts";
import { ProcessRunner } from "./runner.ts";
import { startSession } from "./session_process.ts";
import { environmentOf } from "./shim.ts";

/** Runs each container as a plain process of this machine, with the rights of the program. */
export class ProcessRuntime implements ContainerRuntime {
  readonly name = "process";
  readonly #runner: ProcessRunner;
  /** The user of the processes. */
  readonly #self = whoWeAre();
  /** The variables of every process. */
  readonly #baseEnvironment = baseEnvironment(Deno.env);

  constructor(clock: Clock) {
    this.#runner = new ProcessRunner(clock);
  }

  refusalOf(pod: Pod): Refusal | undefined {
    return pod.spec && processRefusal(pod.spec, this.#self);
  }

  // deno-lint-ignore require-await
  async prepare({ container, files }: RunOfContainer, volumes: string): Promise<Prepared> {
    const variables = { ...volumeVariables(container, volumes), TERMINATION_MESSAGE_PATH: files.message };
    return { variables, notices: [...mountNotice(container), ...ignoredNotice(container, ignoredFields(container))] };
  }

  // deno-lint-ignore require-await
  async start(order: StartOrder): Promise<RunningContainer> {
    const { pod, container, files, env, backOffMs } = order;
    Deno.mkdirSync(files.work, { recursive: true, mode: 0o700 });
    const HOSTNAME = pod.spec?.hostname || pod.metadata.name;
    const environment = { ...this.#baseEnvironment, HOSTNAME, ...env };
    const workingDirectory = container.workingDir || files.work;
    const command = commandOf(wordsOf(container, env), { environment, workingDirectory });
    const process = this.#runner.start(files, command, backOffMs);
    return { ...process, open: opener(order, () => command.env) };
  }

  async resume(run: RunOfContainer): Promise<RunningContainer | Outcome | undefined> {
    const found = await this.#runner.resume(run.files);
    if (found === undefined || !("ended" in found)) return found;
    return { ...found, open: opener(run, () => environmentOf(found.identity)) };
  }
}

/** Returns what runs commands as the container's process is run. */
function opener(run: RunOfContainer, environment: () => Command["env"]): RunningContainer["open"] {
  const workingDirectory = run.container.workingDir || run.files.work;
  // deno-lint-ignore require-await
  return async ({ command = [], stdin, tty }) =>
    startSession(commandOf(command, { environment: environment(), workingDirectory }), { stdin, tty });
}
