import { onAbort } from "../../runtime/abort.ts";
import { after, type Clock } from "../../runtime/clock.ts";
import { loggerFor } from "../../telemetry/logging.ts";
import { messageOf } from "../../telemetry/message_of.ts";
import type { RunOfContainer } from "../runtime.ts";
import { identityOf, type ProcessIdentity } from "../process/identity.ts";
import { readText, removeFile } from "../files/disk.ts";
import type { RunFiles } from "../files/run_files.ts";
import { isDiskFull } from "../files/run_log.ts";
import { nameOf } from "./container_names.ts";
import type { InspectedContainer } from "./container_state.ts";
import type { ContainerWatch } from "./container_watch.ts";
import { type DockerLogs, LogsCut, LogsGone } from "./docker_logs.ts";

/** docker's own copy of the output must be whole, as it is counted through: such a file never turns over. */
const NEVER = "1000t";

const RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;

/** How often the rest of a container's output is asked for, and how long that may take in all. */
const LAST_TRIES = 3;
const REST_MS = 10 * 60_000;

const logger = loggerFor("kubelet");

interface Following {
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/**
 * docker keeps the output of containers where only it can read: their logs are copied from it.
 *
 * Guarantees: a log is docker's, byte for byte and from its start, whatever moment the copying ends at: what is there is
 * skipped when it goes on. It is whole before the container's end is known, or says that docker did not hand over the rest.
 */
export class DockerWatch implements ContainerWatch {
  /** docker is about to see that it has ended. */
  readonly withoutProcess = { kills: false, retryMs: 200 };
  readonly #clock: Clock;
  readonly #logs: DockerLogs;
  readonly #following = new Map<string, Following>();
  readonly #closing = new AbortController();

  constructor({ clock, logs }: { readonly clock: Clock; readonly logs: DockerLogs }) {
    this.#clock = clock;
    this.#logs = logs;
  }

  argsFor(): string[] {
    return ["--log-driver", "json-file", "--log-opt", `max-size=${NEVER}`];
  }

  hasBegun(files: RunFiles): boolean {
    return (readText(files.launched) ?? "").trim() !== "";
  }

  forget(files: RunFiles): void {
    removeFile(files.launched);
  }

  knownProcess(): undefined {
    return undefined;
  }

  processOf(_run: RunOfContainer, { State: { Pid = 0 } }: InspectedContainer): ProcessIdentity | undefined {
    return Pid > 0 ? identityOf(Pid) : undefined;
  }

  follow(run: RunOfContainer): void {
    const name = nameOf(run);
    if (this.#following.has(name)) return;
    const stop = new AbortController();
    this.#following.set(name, { stop, ended: this.#follow(run, stop.signal) });
  }

  async finish(run: RunOfContainer): Promise<void> {
    const name = nameOf(run);
    const following = this.#following.get(name);
    if (following) {
      // docker has all of the output before it says that the container has ended.
      following.stop.abort();
      await following.ended;
      this.#following.delete(name);
    }
    const late = new AbortController();
    using _closing = onAbort(this.#closing.signal, () => late.abort(new Error("the program stops")));
    using _timer = after(this.#clock, REST_MS, () => late.abort(new Error("docker takes too long")));
    try {
      await this.#copyRest(name, run.files.log, late.signal);
    } catch (error) {
      // The next life of the program copies the rest.
      if (this.#closing.signal.aborted) throw error;
      // Its end is to be known without its output, too.
      logger.error("Cannot read the rest of the output of container {container}: {error}", { container: name, error });
      sayIncomplete(run.files.log, error);
    }
  }

  close(): void {
    this.#closing.abort();
    for (const { stop } of this.#following.values()) stop.abort();
  }

  async #copyRest(container: string, log: string, signal: AbortSignal): Promise<void> {
    for (let tries = 1;; tries++) {
      try {
        return await this.#logs.copy(container, log, { follow: false, signal });
      } catch (error) {
        // A container that was removed has no output any more.
        if (error instanceof LogsGone) return;
        signal.throwIfAborted();
        if (tries === LAST_TRIES || error instanceof LogsCut || isDiskFull(error)) throw error;
        await this.#clock.sleep(RETRY_MS, signal);
      }
    }
  }

  async #follow(run: RunOfContainer, signal: AbortSignal): Promise<void> {
    const container = nameOf(run);
    for (let retryMs = RETRY_MS; !signal.aborted;) {
      try {
        // Its end is the container's, or docker's own: what has come of the container decides, in finish().
        await this.#logs.copy(container, run.files.log, { follow: true, signal });
        retryMs = RETRY_MS;
      } catch (error) {
        if (signal.aborted || error instanceof LogsGone) return;
        logger.warn("Cannot read the output of container {container}, trying again: {error}", { container, error });
        retryMs = Math.min(2 * retryMs, MAX_RETRY_MS);
      }
      await this.#clock.sleep(retryMs, signal).catch(() => {});
    }
  }
}

/** Ends a log with a line that says why there is no more. */
function sayIncomplete(log: string, error: unknown): void {
  const text = `\n[the rest of the output could not be read: ${messageOf(error)}]\n`;
  try {
    Deno.writeTextFileSync(log, text, { append: true, mode: 0o600 });
  } catch (error) {
    logger.error("Cannot write that output is missing: {error}", { error, file: log });
  }
}
