import { onAbort } from "../../runtime/abort.ts";
import { type ChildProcess, spawn } from "node:child_process";
import { after, type Clock, endsWithin } from "../../runtime/clock.ts";
import { messageOf } from "../../telemetry/message_of.ts";
import { type Lane, Lanes } from "./lanes.ts";

/** What a command of a container engine has said. */
export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Whether it took too long, or was interrupted. */
  readonly wasKilled: boolean;
}

/** A command of a container engine that did not do what it was to do. */
export class EngineError extends Error {
  override readonly name = "EngineError";
}

/** There is no such engine on this machine, or none that may be run. */
export class EngineMissing extends EngineError {}

/** How an engine's command line is held to one daemon. */
export interface EngineDaemon {
  /** Has it say where its daemon is. */
  readonly endpointArgs: readonly string[];
  /** Returns what has commands go there, after the operator's own words. */
  pinArgs(words: readonly string[], endpoint: string): readonly string[];
}

export interface CommandOptions {
  /** For its standard input. @default nothing */
  readonly stdin?: Uint8Array;
  /** After which it is killed. @default {60_000} */
  readonly timeoutMs?: number;
  /** Whether it may be killed when the program stops, as it can be done again. @default {false} */
  readonly isInterruptible?: boolean;
  /** Kills it when it is aborted. */
  readonly signal?: AbortSignal;
  /** @default {"control"} */
  readonly lane?: Lane;
}

const TIMEOUT_MS = 60_000;

/** How long a stop of the program waits for commands. */
const CLOSE_MS = 10_000;

/** What is kept of a command's output. */
const MAX_OUTPUT = 1024 * 1024;

export interface EngineCommandOptions {
  /** The operator's own arguments, before each subcommand. */
  readonly globalArgs: readonly string[];
  readonly clock: Clock;
  /** All commands go to the one that the first goes to, whatever the engine is configured for later. */
  readonly daemon?: EngineDaemon;
  /** An engine leaves files where it is called: podman's monitors one for each container that used up its memory. */
  readonly workingDirectory: string;
}

/** Runs the command line of a container engine, some commands of each lane at a time. */
export class EngineCommand {
  readonly #words: readonly string[];
  readonly #clock: Clock;
  readonly #daemon: EngineDaemon | undefined;
  readonly #workingDirectory: string;
  #endpoint: Promise<string> | undefined;
  readonly #lanes = new Lanes();
  readonly #interruptible = new Set<ChildProcess>();
  #closed = false;

  constructor(engine: string, { globalArgs, clock, daemon, workingDirectory }: EngineCommandOptions) {
    this.#words = [engine, ...globalArgs];
    this.#clock = clock;
    this.#daemon = daemon;
    this.#workingDirectory = workingDirectory;
  }

  /** Resolves with the words before each subcommand. */
  async argv(): Promise<readonly string[]> {
    const endpoint = await this.endpoint();
    return endpoint === undefined ? this.#words : [...this.#words, ...this.#daemon!.pinArgs(this.#words, endpoint)];
  }

  /**
   * Resolves with where the engine's daemon is; undefined for an engine without one.
   *
   * @throws {EngineError} if that cannot be found out now
   */
  async endpoint(): Promise<string | undefined> {
    if (!this.#daemon) return undefined;
    this.#endpoint ??= this.#ask(this.#daemon.endpointArgs);
    try {
      return await this.#endpoint;
    } catch (error) {
      this.#endpoint = undefined;
      throw error;
    }
  }

  get workingDirectory(): string {
    return this.#workingDirectory;
  }

  /** Resolves with what the command says, whatever its exit code. */
  run(args: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
    const { lane = "control", signal } = options;
    return this.inTurn(lane, () => this.#run(args, options), signal);
  }

  /**
   * Resolves with the standard output of a command that succeeds.
   *
   * @throws {EngineError} with what it says if it does not
   */
  async output(args: readonly string[], options: CommandOptions = {}): Promise<string> {
    return this.#outputOf(await this.run(args, options), args);
  }

  /** Ends what may be interrupted, and resolves once no command runs any more, or one takes far too long. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const child of this.#interruptible) child.kill("SIGKILL");
    await endsWithin(this.#clock, CLOSE_MS, this.#lanes.idle());
  }

  /** Calls `work` as soon as it is one of a few of its lane at a time. */
  inTurn<T>(lane: Lane, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#lanes.inTurn(lane, work, signal);
  }

  async #ask(args: readonly string[]): Promise<string> {
    const endpoint = this.#outputOf(await this.#spawn(this.#words, args, {}), args).trim();
    if (endpoint === "") throw new EngineError(`${this.#words[0]} does not say where its daemon is`);
    return endpoint;
  }

  #outputOf({ code, stdout, stderr }: CommandResult, args: readonly string[]): string {
    if (code === 0) return stdout;
    throw new EngineError(reasonIn(stderr) || `${this.#words[0]} ${args[0]} ended with exit code ${code}`);
  }

  async #run(args: readonly string[], options: CommandOptions): Promise<CommandResult> {
    return await this.#spawn(await this.argv(), args, options);
  }

  async #spawn(
    [program = "", ...before]: readonly string[],
    args: readonly string[],
    options: CommandOptions,
  ): Promise<CommandResult> {
    const { stdin, timeoutMs = TIMEOUT_MS, isInterruptible = false, signal } = options;
    signal?.throwIfAborted();
    if (isInterruptible && this.#closed) throw new EngineError("the program stops");
    // In a group of its own: a Ctrl-C at the terminal is meant for this program alone.
    const child = spawn(program, [...before, ...args], {
      detached: true,
      cwd: this.#workingDirectory,
      stdio: [stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    });
    if (isInterruptible) this.#interruptible.add(child);
    const kill = () => void child.kill("SIGKILL");
    using _killing = onAbort(signal, kill);
    let late = false;
    using _timer = after(this.#clock, timeoutMs, () => {
      late = true;
      kill();
    });
    const [stdout, stderr] = [textOf(child.stdout), textOf(child.stderr)];
    // It may end before it has read all, or never begin.
    child.stdin?.on("error", () => {});
    if (stdin !== undefined) child.stdin?.end(stdin);
    try {
      const code = await new Promise<number | null>((resolve, reject) => {
        child.once("error", reject);
        child.once("exit", resolve);
      });
      signal?.throwIfAborted();
      const said = { code: code ?? 128, stdout: await stdout, stderr: await stderr, wasKilled: code === null };
      return late ? { ...said, stderr: `${said.stderr}\n${args[0]} took longer than ${timeoutMs / 1000} s` } : said;
    } catch (error) {
      signal?.throwIfAborted();
      const { code } = error as { code?: string };
      if (code === "ENOENT" || code === "EACCES") {
        throw new EngineMissing(`${program} cannot be run: it is not installed, or not on PATH`, { cause: error });
      }
      throw new EngineError(`Cannot run ${program}: ${messageOf(error)}`, { cause: error });
    } finally {
      this.#interruptible.delete(child);
    }
  }
}

const PREFIX = /^(docker: )?(Error|Error response from daemon):\s*/i;

/** docker's last line. */
const HINT = /^(See|Run) 'docker .*--help'/;

/** Returns the reason that is in an engine's complaints: its last line, without the level. */
export function reasonIn(stderr: string): string {
  const lines = stderr.trim().split("\n").filter((line) => line !== "" && !HINT.test(line));
  return (lines.findLast((line) => PREFIX.test(line)) ?? lines.at(-1) ?? "").replace(PREFIX, "").trim();
}

/** How what engines say of a network begins: netavark, the plugins of CNI, and those of rootless engines. */
const NETWORK_TROUBLE =
  /^(netavark|aardvark|plugin type=|slirp4netns|pasta|error configuring network|setting up network)/i;

/** Returns whether it is the network that a container could not be given. */
export function isOfNetwork(reason: string): boolean {
  return NETWORK_TROUBLE.test(reason);
}

/** Never rejects: of a command that cannot even be started, a stream closes too early. */
async function textOf(stream: AsyncIterable<Uint8Array> | null): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of stream ?? []) {
      if (length < MAX_OUTPUT) pieces.push(piece);
      length += piece.length;
    }
  } catch {
    // What has come by then is all there is.
  }
  return pieces.map((piece) => new TextDecoder().decode(piece)).join("");
}
