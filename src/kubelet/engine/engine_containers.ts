import type { Clock } from "../../runtime/clock.ts";
import { loggerFor } from "../../telemetry/logging.ts";
import { messageOf } from "../../telemetry/message_of.ts";
import type { ExecResult, RunningContainer, RunOfContainer } from "../runtime.ts";
import { killMarked } from "../process/marked_processes.ts";
import { startSession } from "../process/session_process.ts";
import { nameOf } from "./container_names.ts";
import { type InspectedContainer, phaseOf } from "./container_state.ts";
import { type EngineCommand, EngineError, reasonIn } from "./engine_command.ts";
import type { EngineKind } from "./engine_kind.ts";
import { sessionArguments } from "./session_arguments.ts";

/** One that a label was asked for. */
export interface ListedContainer {
  readonly id: string;
  /** Of its Pod. */
  readonly uid: string;
}

/** After a signal that the engine did not send. */
const RETRY_MS = 1_000;

/** A variable by which the processes of a command in a container are found. */
const EXEC_MARK = "CRONJOB_CONTROLLER_EXEC";

/** What the engine itself needs for a command in a container, on a busy machine. */
const EXEC_OVERHEAD_MS = 2_000;

const logger = loggerFor("kubelet");

/** {@linkcode InspectedContainer}, without the environment, which may be larger than what is read of an answer. */
const INSPECTED = '{"Id":{{json .ID}},"State":{{json .State}},"Config":{"StopSignal":{{json .Config.StopSignal}}}}';

/** The containers that an engine has, by the runs that they are of. */
export class EngineContainers {
  readonly #kind: EngineKind;
  readonly #command: EngineCommand;
  readonly #clock: Clock;

  constructor({ kind, command, clock }: { kind: EngineKind; command: EngineCommand; clock: Clock }) {
    this.#kind = kind;
    this.#command = command;
    this.#clock = clock;
  }

  /** Returns undefined if there is none. */
  async inspect(run: RunOfContainer): Promise<InspectedContainer | undefined> {
    const name = nameOf(run);
    const { code, stdout, stderr } = await this.#command.run(["container", "inspect", "--format", INSPECTED, name]);
    if (code === 0) return JSON.parse(stdout) as InspectedContainer;
    if (/no such (container|object)/i.test(stderr)) return undefined;
    throw new EngineError(`Cannot inspect container ${name}: ${reasonIn(stderr)}`);
  }

  /** Sends a signal, as often as it takes while the container is not over. */
  async signal(run: RunOfContainer, signal: string, isOver: () => boolean): Promise<void> {
    const container = nameOf(run);
    while (!isOver()) {
      try {
        return await this.#kill(container, signal);
      } catch (error) {
        if (isOver() || await this.#hasEnded(run)) return;
        logger.warn("Cannot signal container {container}, trying again: {error}", {
          container,
          error: messageOf(error),
        });
      }
      await this.#clock.sleep(RETRY_MS);
    }
  }

  /** Sends SIGKILL once. */
  async kill(run: RunOfContainer): Promise<void> {
    await this.#kill(nameOf(run), "SIGKILL");
  }

  /**
   * Runs a command in a container. What takes too long is killed, with what it has started.
   *
   * @throws {EngineError} if the engine could not do it
   */
  async exec(
    run: RunOfContainer,
    argv: readonly string[],
    timeoutMs: number,
    lane: "probe" | "hook" = "probe",
  ): Promise<ExecResult> {
    const options = { timeoutMs: timeoutMs + EXEC_OVERHEAD_MS, isInterruptible: true, lane };
    const mark = `${EXEC_MARK}=${crypto.randomUUID()}`;
    const { code, stdout, stderr, wasKilled } = await this.#command.run(
      ["exec", "--env", mark, nameOf(run), ...argv],
      options,
    );
    if (wasKilled) this.#killMarked(run, mark);
    else if (isOfEngine(code, stderr)) throw new EngineError(reasonIn(stderr));
    return { code, output: stdout + stderr };
  }

  /** Returns the function that runs commands in a container for clients. */
  opener(run: RunOfContainer): RunningContainer["open"] {
    return async (request) => {
      const mark = `${EXEC_MARK}=${crypto.randomUUID()}`;
      const argv = [...await this.#command.argv(), ...sessionArguments(nameOf(run), mark, request)];
      const { workingDirectory } = this.#command;
      const session = startSession({ argv, env: Deno.env.toObject(), workingDirectory }, request);
      let hasEnded = false;
      let wasFound = false;
      const kill = (isLast: boolean) => {
        wasFound = this.#killMarked(run, mark, isLast && !wasFound) || wasFound;
      };
      const killLast = () => kill(true);
      const end = () => {
        session.end();
        if (hasEnded) return;
        hasEnded = true;
        kill(false);
        // It may have been on its way.
        session.ended.then(killLast, killLast);
      };
      session.ended.finally(() => hasEnded = true).catch(() => {});
      return { ...session, end };
    };
  }

  async remove(run: RunOfContainer): Promise<void> {
    await this.#remove([nameOf(run)]);
  }

  async list(label: string, value: string): Promise<ListedContainer[]> {
    const { listFormat } = this.#kind;
    const args = ["ps", "--all", "--no-trunc", "--filter", `label=${label}=${value}`, "--format", listFormat];
    const lines = (await this.#command.output(args)).split("\n").filter((line) => line !== "");
    return lines.map((line) => {
      const [id = "", uid = ""] = line.split(" ");
      return { id, uid };
    });
  }

  async removeAll(found: readonly ListedContainer[]): Promise<void> {
    if (found.length === 0) return;
    await this.#remove(found.map(({ id }) => id));
  }

  async #remove(names: readonly string[]): Promise<void> {
    const { code, stderr } = await this.#command.run([...this.#kind.removeArgs, ...names]);
    if (code !== 0 && !/no such container|already in progress/i.test(stderr)) throw new EngineError(reasonIn(stderr));
  }

  /**
   * Called when the engine's command is killed, which does not end what it has started in the container.
   *
   * @returns whether there was any such process
   */
  #killMarked(run: RunOfContainer, mark: string, isExpected = true): boolean {
    const { wasFound, problem: error } = killMarked(mark);
    if (error && (wasFound || isExpected)) {
      logger.warn("Cannot kill a command in container {container}: {error}", { container: nameOf(run), error });
    }
    return wasFound;
  }

  async #kill(container: string, signal: string): Promise<void> {
    await this.#command.output(["kill", "--signal", signal, container]);
  }

  async #hasEnded(run: RunOfContainer): Promise<boolean> {
    try {
      const found = await this.inspect(run);
      return found === undefined || phaseOf(found) !== "running";
    } catch {
      // It is as unknown as before.
      return false;
    }
  }
}

/** Returns whether a command in a container failed because of the engine: podman says so by its exit code, too. */
function isOfEngine(code: number, stderr: string): boolean {
  if (code === 125) return /^Error: /m.test(stderr);
  return code === 1 &&
    /^(Cannot connect to the Docker daemon|Error response from daemon:|error during connect:)/i.test(stderr);
}
