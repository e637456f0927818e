import { after } from "../../base/clock.ts";
import { Stage } from "../../base/abort.ts";
import { loggerFor } from "../../telemetry/logging.ts";
import { messageOf } from "../../telemetry/message_of.ts";
import { ifPossible } from "../files/disk.ts";
import { persist } from "../persist.ts";
import type { RunOfContainer } from "../runtime.ts";
import { nameOf } from "./container_names.ts";
import type { EngineOptions } from "./engine_options.ts";
import { EngineError } from "./api/engine_error.ts";
import { Frames } from "./api/frames.ts";

const RETRY_MS = 1_000;

/** How often the rest of a container's output is asked for, and how long that may take in all. */
const LAST_TRIES = 3;
const REST_MS = 10 * 60_000;

/** Answers for a container that is not there, or is being removed. */
const GONE = [404, 409];

const logger = loggerFor("kubelet");

/**
 * docker keeps the output of containers where only it can read: their logs are copied from its stream.
 *
 * Guarantees: a log is docker's, byte for byte and from its start, whatever moment the copying ends at: what is there is
 * skipped when it goes on. It is whole before the container's end is known, or says that docker did not hand over the rest.
 */
export class DockerLogs {
  readonly #options: Pick<EngineOptions, "api" | "clock">;
  readonly #following = new Map<string, { readonly stop: AbortController; readonly ended: Promise<void> }>();

  constructor(options: Pick<EngineOptions, "api" | "clock">) {
    this.#options = options;
  }

  /** Keeps the log of a container at work up to date. */
  follow(run: RunOfContainer): void {
    const name = nameOf(run);
    if (this.#following.has(name)) return;
    const stop = new Stage(this.#options.api.closing);
    this.#following.set(name, { stop, ended: this.#follow(run, stop.signal).finally(() => stop[Symbol.dispose]()) });
  }

  /** Resolves once the log of a container that has ended is whole. */
  async finish(run: RunOfContainer): Promise<void> {
    const following = this.#following.get(nameOf(run));
    // docker has all of the output before it says that the container has ended.
    following?.stop.abort();
    await following?.ended;
    this.#following.delete(nameOf(run));
    using late = new Stage(this.#options.api.closing);
    using _timer = after(this.#options.clock, REST_MS, () => late.abort(new Error("docker takes too long")));
    for (let tries = 1;; tries++) {
      try {
        return void await this.#copy(run, { follow: false, signal: late.signal });
      } catch (error) {
        // The next life of the program copies the rest.
        this.#options.api.closing.throwIfAborted();
        // Its end is to be known without its output, too.
        if (tries === LAST_TRIES || late.signal.aborted) return sayIncomplete(run, error);
        await this.#options.clock.sleep(RETRY_MS, late.signal).catch(() => {/* The time is up. */});
      }
    }
  }

  /** Ends the log of a container of which docker says nothing any more. */
  abandon(run: RunOfContainer, reason: Error): void {
    this.#following.get(nameOf(run))?.stop.abort();
    this.#following.delete(nameOf(run));
    sayIncomplete(run, reason);
  }

  async #follow(run: RunOfContainer, signal: AbortSignal): Promise<void> {
    let isThere = true;
    const copy = async () => void (isThere = await this.#copy(run, { follow: true, signal }));
    while (isThere && !signal.aborted) {
      await persist(`read the output of container ${nameOf(run)}`, copy, { clock: this.#options.clock, signal });
      // Its end is the container's, or docker's own: what has come of the container decides, in finish().
      await this.#options.clock.sleep(RETRY_MS, signal).catch(() => {});
    }
  }

  /**
   * Appends to a run's log what it lacks of its container's output.
   *
   * @returns false if the container is gone
   * @throws {EngineError} if the log has more of it than docker
   */
  async #copy(run: RunOfContainer, { follow, signal }: { follow: boolean; signal: AbortSignal }): Promise<boolean> {
    using file = Deno.openSync(run.files.log, { append: true, create: true, mode: 0o600 });
    let skip = file.statSync().size;
    const query = { stdout: "1", stderr: "1", follow: follow ? "1" : "0" };
    try {
      await this.#options.api.stream(
        "GET",
        `/containers/${nameOf(run)}/logs`,
        { query, signal, timeoutMs: Infinity },
        async ({ body }) => {
          const frames = new Frames();
          for await (const piece of body!) {
            for (const { bytes } of frames.read(piece)) {
              const lacking = bytes.subarray(Math.min(skip, bytes.length));
              skip -= bytes.length - lacking.length;
              for (let written = 0; written < lacking.length;) written += file.writeSync(lacking.subarray(written));
            }
          }
          if (!frames.isWhole) throw new EngineError("docker ended the connection in the middle of the output");
        },
      );
    } catch (error) {
      if (error instanceof EngineError && GONE.includes(error.status ?? 0)) return false;
      throw error;
    }
    // A daemon that stops breaks off what follows.
    if (!follow && skip > 0) throw new EngineError(`docker's own log of it is ${skip} bytes shorter than this one`);
    return true;
  }
}

/** Ends a log with a line that says why there is no more. */
function sayIncomplete(run: RunOfContainer, error: unknown): void {
  logger.error("Cannot read the rest of the output of container {container}: {error}", {
    container: nameOf(run),
    error,
  });
  const text = `\n[the rest of the output could not be read: ${messageOf(error)}]\n`;
  ifPossible(() => Deno.writeTextFileSync(run.files.log, text, { append: true, mode: 0o600 }));
}
