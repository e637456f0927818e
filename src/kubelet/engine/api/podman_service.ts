import { type ChildProcess, spawn } from "node:child_process";
import type { Clock } from "../../../base/clock.ts";
import { loggerFor } from "../../../telemetry/logging.ts";
import { ifThere, readJson, readText, removeFile, removeFolder, replaceFile, sizeOf } from "../../files/disk.ts";
import { bootId, identityOf, isAlive, type ProcessIdentity, signalGroup } from "../../process/identity.ts";
import type { EngineSocket } from "./engine_api.ts";
import { EngineError, EngineMissing } from "./engine_error.ts";

export interface PodmanServiceOptions {
  /** podman's own arguments, before its subcommand. */
  readonly args: readonly string[];
  readonly dataDir: string;
  readonly clock: Clock;
  /** How long the service outlives its last request where it is not ended. @default for ever */
  readonly idleSeconds?: number;
}

/** A service that this life of the program has started, or a former one. */
interface Service {
  readonly bootId: string;
  readonly identity: ProcessIdentity;
  readonly args: readonly string[];
  /** Holds the socket and the service's own messages. */
  readonly folder: string;
}

/** How long a service may take until it answers, and after each signal until it is gone. */
const START_MS = 30_000;
const END_MS = 5_000;

const LOOK_MS = 50;

/** Of the service's own messages; more are forgotten. */
const MAX_LOG_BYTES = 1024 * 1024;

/** A longer path leaves no room for the socket's name: the path of a Unix socket has 107 bytes at most. */
const MAX_FOLDER = 60;

/** Exit codes of a shell that cannot run a program. */
const NOT_RUN = [126, 127];

const logger = loggerFor("kubelet");

/**
 * podman has no daemon: a process of its own serves its API, on a socket that no other user reaches.
 *
 * Guarantees: the service is started when it is first needed, and anew when it has died or its socket was removed; no
 * container ends with it. A former life's is taken over if it answers and has the same arguments, and is ended otherwise:
 * its pid, start time and boot are on disk.
 */
export class PodmanService implements EngineSocket {
  readonly #options: PodmanServiceOptions;
  readonly #record: string;
  #service: Promise<Service> | undefined;
  /** The last one that this life has started, with its exit code. */
  #own: { readonly child: ChildProcess; readonly exit: Promise<number | null> } | undefined;

  constructor(options: PodmanServiceOptions) {
    this.#options = options;
    this.#record = `${options.dataDir}/podman-service.json`;
  }

  async path(): Promise<string> {
    for (;;) {
      const pending = this.#service ??= this.#replace();
      const service = await pending.catch((error) => {
        if (this.#service === pending) this.#service = undefined;
        throw error;
      });
      const path = socketIn(service.folder);
      if (isAtWork(service) && sizeOf(path) !== undefined) {
        forgetLongLog(service.folder);
        return path;
      }
      if (this.#service === pending) this.#service = undefined;
    }
  }

  async close(): Promise<void> {
    const service = await this.#service?.catch(() => undefined);
    this.#service = undefined;
    if (service) await this.#end(service);
  }

  async #replace(): Promise<Service> {
    const former = readJson<Service | undefined>(this.#record, () => undefined);
    if (former) {
      const isSame = JSON.stringify(former.args) === JSON.stringify(this.#options.args);
      if (isSame && isAtWork(former) && await answers(former)) return former;
      await this.#end(former);
    }
    return await this.#start();
  }

  async #start(): Promise<Service> {
    const { args, dataDir, idleSeconds = 0 } = this.#options;
    const folder = Deno.makeTempDirSync({ dir: folderForSockets(), prefix: "cjc-podman-" });
    try {
      const words = ["podman", ...args, "system", "service", `--time=${idleSeconds}`, `unix://${socketIn(folder)}`];
      const service = { bootId: bootId(), identity: await this.#spawn(words, folder, dataDir), args, folder };
      replaceFile(this.#record, JSON.stringify(service));
      await this.#answered(service);
      return service;
    } catch (error) {
      removeFile(this.#record);
      removeFolder(folder);
      throw error;
    }
  }

  /** In a process group of its own: a Ctrl-C at the terminal is meant for this program alone. */
  async #spawn(words: readonly string[], folder: string, cwd: string): Promise<ProcessIdentity> {
    const script = 'log=$1; shift; exec "$@" >>"$log" 2>&1';
    const child = spawn("/bin/sh", ["-c", script, "sh", logIn(folder), ...words], {
      detached: true,
      cwd,
      stdio: "ignore",
    });
    child.unref();
    const exit = new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", resolve);
    });
    this.#own = { child, exit };
    const identity = child.pid === undefined ? undefined : identityOf(child.pid);
    return identity ?? await this.#failed(folder);
  }

  async #answered(service: Service): Promise<void> {
    const { clock } = this.#options;
    const end = clock.monotonic() + START_MS;
    while (!await answers(service)) {
      if (!isAtWork(service)) await this.#failed(service.folder);
      if (clock.monotonic() >= end) {
        await this.#end(service);
        throw new EngineError(`podman's service has not answered for ${START_MS / 1000} s`);
      }
      await clock.sleep(LOOK_MS);
    }
  }

  async #failed(folder: string): Promise<never> {
    const code = await this.#exit();
    if (NOT_RUN.includes(code ?? 0)) {
      throw new EngineMissing("podman cannot be run: it is not installed, or not on PATH");
    }
    const last = (readText(logIn(folder)) ?? "").trim().split("\n").at(-1);
    throw new EngineError(last || `podman's service has ended with exit code ${code}`);
  }

  /** The program does not wait for a service, except here. */
  #exit(): Promise<number | null> {
    const { child, exit } = this.#own!;
    try {
      child.ref();
    } catch {
      // Its exit is on its way already.
    }
    return exit;
  }

  async #end(service: Service): Promise<void> {
    const { clock } = this.#options;
    const { identity, folder } = service;
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      try {
        if (isAtWork(service)) signalGroup(identity.pid, signal);
      } catch {
        // It is another user's, and stays.
      }
      const end = clock.monotonic() + END_MS;
      while (isAtWork(service) && clock.monotonic() < end) await clock.sleep(LOOK_MS);
    }
    if (!isAtWork(service) && this.#own?.child.pid === identity.pid) await this.#exit();
    if (isAtWork(service)) logger.warn("Cannot end podman's service: {error}", { error: `pid ${identity.pid} stays` });
    removeFile(this.#record);
    removeFolder(folder);
  }
}

/** Pids of an earlier boot mean other processes by now. */
function isAtWork(service: Service): boolean {
  return service.bootId === bootId() && isAlive(service.identity);
}

function socketIn(folder: string): string {
  return `${folder}/engine.sock`;
}

function logIn(folder: string): string {
  return `${folder}/log`;
}

/** The service appends: what it writes next stands at the file's beginning. */
function forgetLongLog(folder: string): void {
  if ((sizeOf(logIn(folder)) ?? 0) > MAX_LOG_BYTES) Deno.truncateSync(logIn(folder));
}

/** A data dir may be too deep for a socket. */
function folderForSockets(): string {
  const own = Deno.env.get("XDG_RUNTIME_DIR") ?? "";
  const isUsable = own.startsWith("/") && own.length <= MAX_FOLDER && ifThere(() => Deno.statSync(own).isDirectory);
  return isUsable ? own : "/tmp";
}

async function answers({ folder }: Service): Promise<boolean> {
  try {
    (await Deno.connect({ transport: "unix", path: socketIn(folder) })).close();
    return true;
  } catch {
    return false;
  }
}
