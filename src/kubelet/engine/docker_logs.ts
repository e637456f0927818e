import { after, type Clock } from "../../base/clock.ts";
import { onAbort, Stage } from "../../base/abort.ts";
import { loggerFor } from "../../telemetry/logging.ts";
import { messageOf } from "../../telemetry/message_of.ts";
import { isDiskFull } from "../files/run_log.ts";
import type { RunOfContainer } from "../runtime.ts";
import { nameOf } from "./container_names.ts";
import type { EngineApi } from "./api/engine_api.ts";
import { EngineError } from "./api/engine_error.ts";
import { Frames } from "./api/frames.ts";

/** docker has less of a container's output than was copied from it before. */
class LogsCut extends Error {
  override readonly name = "LogsCut";
}

const RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;

/** How often the rest of a container's output is asked for, and how long that may take in all. */
const LAST_TRIES = 3;
const REST_MS = 10 * 60_000;

/** Answers for a container that is not there, or is being removed. */
const GONE = [404, 409];

const logger = loggerFor("kubelet");

interface Following {
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/**
 * docker keeps the output of containers where only it can read: their logs are copied from its stream.
 *
 * Guarantees: a log is docker's, byte for byte and from its start, whatever moment the copying ends at: what is there is
 * skipped when it goes on. It is whole before the container's end is known, or says that docker did not hand over the rest.
 */
export class DockerLogs {
  readonly #api: EngineApi;
  readonly #clock: Clock;
  readonly #following = new Map<string, Following>();
  readonly #closing = new AbortController();

  constructor({ api, clock }: { readonly api: EngineApi; readonly clock: Clock }) {
    this.#api = api;
    this.#clock = clock;
  }

  /** Keeps the log of a container at work up to date. */
  follow(run: RunOfContainer): void {
    const name = nameOf(run);
    if (this.#following.has(name)) return;
    const stop = new Stage(this.#closing.signal);
    this.#following.set(name, { stop, ended: this.#follow(run, stop.signal).finally(() => stop[Symbol.dispose]()) });
  }

  /** Resolves once the log of a container that has ended is whole. */
  async finish(run: RunOfContainer): Promise<void> {
    const name = nameOf(run);
    const following = this.#following.get(name);
    // docker has all of the output before it says that the container has ended.
    following?.stop.abort();
    await following?.ended;
    this.#following.delete(name);
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

  /** Follows no more. Containers go on. */
  close(): void {
    this.#closing.abort();
  }

  async #copyRest(container: string, log: string, signal: AbortSignal): Promise<void> {
    for (let tries = 1;; tries++) {
      try {
        return await this.#copy(container, log, { follow: false, signal });
      } catch (error) {
        // A container that was removed has no output any more.
        if (isGone(error)) return;
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
        await this.#copy(container, run.files.log, { follow: true, signal });
        retryMs = RETRY_MS;
      } catch (error) {
        if (signal.aborted || isGone(error)) return;
        logger.warn("Cannot read the output of container {container}, trying again: {error}", { container, error });
        retryMs = Math.min(2 * retryMs, MAX_RETRY_MS);
      }
      await this.#clock.sleep(retryMs, signal).catch(() => {});
    }
  }

  /**
   * Appends to a file what it lacks of a container's output.
   *
   * @throws {LogsCut} if the file has more of it than docker
   */
  async #copy(container: string, path: string, options: { follow: boolean; signal: AbortSignal }): Promise<void> {
    const { follow, signal } = options;
    using file = Deno.openSync(path, { append: true, create: true, mode: 0o600 });
    let skip = file.statSync().size;
    const query = { stdout: "1", stderr: "1", follow: follow ? "1" : "0" };
    await this.#api.stream("GET", `/containers/${container}/logs`, { query, signal }, async ({ body }) => {
      const frames = new Frames(false);
      for await (const piece of body) {
        for (const { bytes } of frames.read(piece)) {
          const lacking = bytes.subarray(Math.min(skip, bytes.length));
          skip -= bytes.length - lacking.length;
          for (let written = 0; written < lacking.length;) written += file.writeSync(lacking.subarray(written));
        }
      }
      if (!frames.isWhole) throw new EngineError("docker ended the connection in the middle of the output");
    });
    // A daemon that stops breaks off what follows.
    if (!follow && skip > 0) throw new LogsCut(`docker's own log of it is ${skip} bytes shorter than this one`);
  }
}

function isGone(error: unknown): boolean {
  return error instanceof EngineError && GONE.includes(error.status ?? 0);
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
