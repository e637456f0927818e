import { loggerFor } from "../telemetry/logging.ts";
import { aborted, readyOrAborted, Stage } from "../base/abort.ts";
import { type Clock, endsWithin } from "../base/clock.ts";
import { failureOf } from "./group.ts";
import type { HealthCheck } from "./health_check.ts";
import type { Runnable } from "./runnable.ts";

const logger = loggerFor("manager");

export interface ManagerOptions {
  clock: Clock;
  /** How long everything together may take to stop. @default {10_000} */
  graceMs?: number;
}

/** The grace of a part where the grace of all is used up already. */
const LAST_CHANCE_MS = 200;

/**
 * Starts the parts of the program, each once those before it are ready, and stops them in reverse.
 *
 * The end of any part that was not asked to end, by an error or not, ends all of them.
 */
export class Manager {
  readonly #options: ManagerOptions;
  readonly #parts: Runnable[] = [];

  constructor(options: ManagerOptions) {
    this.#options = options;
  }

  /** Adds a part, which starts after those added before. Only before {@linkcode run}. */
  add(part: Runnable): this {
    this.#parts.push(part);
    return this;
  }

  /** Questions about all parts. */
  get health(): readonly HealthCheck[] {
    return this.#parts.flatMap(({ health = [] }) => health);
  }

  /**
   * Runs until `signal` is aborted and all parts have stopped.
   *
   * @throws the error of the first part that failed
   * @throws {Error} naming the parts that did not stop in time
   */
  async run(signal: AbortSignal): Promise<void> {
    using stage = new Stage(signal);
    const running: Running[] = [];
    const failures: unknown[] = [];
    try {
      for (const part of this.#parts) {
        if (stage.signal.aborted) break;
        logger.debug("Starting {part}", { part: part.name });
        const stop = new AbortController();
        const ended = failureOf(part, stop.signal, stage.signal).then((error) => {
          if (error !== undefined) failures.push(error);
          stage.abort(error);
        });
        running.push({ part, stop, ended });
        if (part.ready) await readyOrAborted([{ ready: () => part.ready!() }], stage.signal);
      }
      await aborted(stage.signal);
    } catch (error) {
      failures.push(error);
    }
    const late = await this.#stop(running);
    if (failures.length > 0) throw failures[0];
    if (late.length > 0) throw new Error(`Cannot stop in time: ${late.join(", ")}`);
  }

  /** Returns the names of those that did not stop in time. */
  async #stop(running: readonly Running[]): Promise<string[]> {
    const { clock, graceMs = 10_000 } = this.#options;
    const deadline = clock.monotonic() + graceMs;
    const late: string[] = [];
    for (const { part, stop, ended } of running.toReversed()) {
      logger.debug("Stopping {part}", { part: part.name });
      stop.abort();
      // A part that is late takes nothing but time from the parts after it: they may stop all the same.
      const leftMs = Math.max(LAST_CHANCE_MS, deadline - clock.monotonic());
      if (!await endsWithin(clock, leftMs, ended)) late.push(part.name);
    }
    return late;
  }
}

interface Running {
  readonly part: Runnable;
  readonly stop: AbortController;
  /** Never rejects. */
  readonly ended: Promise<void>;
}
