import { type ChildProcess, spawn } from "node:child_process";
import type { Writable } from "node:stream";
import { type Clock, endsWithin } from "../../../base/clock.ts";
import { readText, sizeOf } from "../../files/disk.ts";
import { identityOf } from "../../process/identity.ts";
import type { EngineSocket } from "./engine_api.ts";
import { EngineError } from "./engine_error.ts";

export interface PodmanServiceOptions {
  /** podman's own arguments, before its subcommand. */
  readonly args: readonly string[];
  /** Where the service works. */
  readonly dataDir: string;
  readonly clock: Clock;
}

/**
 * Becomes podman's service. A pipe ties it to the program: once the program closes it, or is gone, whatever it dies of, the
 * service is asked to end, which finishes first what it is at. The service's parent is looked up, as its pid may be
 * another's by then.
 */
const TIED = `folder=$1; shift
( read -r _ <&3
read -r _ _ _ parent _ </proc/self/stat
if [ "$parent" = $$ ]; then kill -TERM $$; fi
rm -rf "$folder" ) </dev/null >/dev/null 2>&1 &
exec "$@" 3<&- >>"$folder/log" 2>&1`;

/** How long the service may take until it answers, and until it is gone. */
const START_MS = 30_000;
const END_MS = 5_000;

const LOOK_MS = 50;

/** Of the service's own messages; more are forgotten. */
const MAX_LOG_BYTES = 1024 * 1024;

/** Exit codes of a shell that cannot run a program. */
const NOT_RUN = [126, 127];

/** A service at work, or one that has ended. */
interface Service {
  readonly child: ChildProcess;
  readonly exit: Promise<number | null>;
  readonly socket: string;
  /** Holds the socket and the service's own messages. */
  readonly folder: string;
}

/**
 * podman has no daemon: a process of its own serves its API, on a socket that no other user reaches.
 *
 * Guarantees: the service is started when it is first needed, and anew when it has died or its socket was removed. It ends
 * with the program, and no container ends with it.
 */
export class PodmanService implements EngineSocket {
  readonly #options: PodmanServiceOptions;
  #service: Promise<Service> | undefined;

  constructor(options: PodmanServiceOptions) {
    this.#options = options;
  }

  async path(): Promise<string> {
    for (;;) {
      const pending = this.#service ??= this.#start().catch((error) => {
        this.#service = undefined;
        throw error;
      });
      const service = await pending;
      if (isAtWork(service) && sizeOf(service.socket) !== undefined) {
        // The service appends: what it writes next stands at the log's beginning.
        const log = `${service.folder}/log`;
        if ((sizeOf(log) ?? 0) > MAX_LOG_BYTES) Deno.truncateSync(log);
        return service.socket;
      }
      if (this.#service === pending) this.#service = undefined;
      await this.#end(service);
    }
  }

  async close(): Promise<void> {
    const service = await this.#service?.catch(() => undefined);
    this.#service = undefined;
    if (service) await this.#end(service);
  }

  async #start(): Promise<Service> {
    const { args, dataDir, clock } = this.#options;
    // A Unix socket's path has 107 bytes at most: a data dir may be too deep.
    const folder = Deno.makeTempDirSync({ dir: "/tmp", prefix: "cjc-podman-" });
    const socket = `${folder}/engine.sock`;
    const words = ["podman", ...args, "system", "service", "--time=0", `unix://${socket}`];
    const service = { ...startTied(words, folder, dataDir), folder, socket };
    const end = clock.monotonic() + START_MS;
    try {
      while (!await answers(service)) {
        if (!isAtWork(service)) throw await reasonFor(service);
        if (clock.monotonic() >= end) throw new EngineError("podman's service does not answer");
        await clock.sleep(LOOK_MS);
      }
      return service;
    } catch (error) {
      await this.#end(service);
      throw error;
    }
  }

  async #end({ child, exit }: Service): Promise<void> {
    (child.stdio[3] as Writable | undefined)?.destroy();
    if (!await endsWithin(this.#options.clock, END_MS, exit)) child.kill("SIGKILL");
    await exit;
  }
}

/** In a process group of its own: a Ctrl-C at the terminal is meant for this program alone. */
function startTied(words: readonly string[], folder: string, cwd: string): Pick<Service, "child" | "exit"> {
  const args = ["-c", TIED, "sh", folder, ...words];
  const child = spawn("/bin/sh", args, { detached: true, cwd, stdio: ["ignore", "ignore", "ignore", "pipe"] });
  const exit = new Promise<number | null>((resolve) => {
    child.once("error", () => resolve(null));
    child.once("exit", resolve);
  });
  return { child, exit };
}

async function reasonFor({ exit, folder }: Service): Promise<EngineError> {
  const code = await exit;
  if (NOT_RUN.includes(code ?? 0)) return new EngineError("podman cannot be run: it is not installed, or not on PATH");
  const last = (readText(`${folder}/log`) ?? "").trim().split("\n").at(-1);
  return new EngineError(last || `podman's service has ended with exit code ${code}`);
}

/** Returns whether a service is at work. A killed one is known to be gone before its exit is an event. */
function isAtWork({ child }: Service): boolean {
  return child.exitCode === null && identityOf(child.pid ?? 0) !== undefined;
}

async function answers({ socket: path }: Service): Promise<boolean> {
  try {
    (await Deno.connect({ transport: "unix", path })).close();
    return true;
  } catch {
    return false;
  }
}
