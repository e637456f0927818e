import { onAbort } from "../../runtime/abort.ts";
import type { Clock } from "../../runtime/clock.ts";
import { loggerFor } from "../../telemetry/logging.ts";
import { messageOf } from "../../telemetry/message_of.ts";
import type { RunOfContainer } from "../runtime.ts";
import { identityOf, isAlive, type ProcessIdentity } from "../process/identity.ts";
import type { Pulse } from "../files/pulse.ts";
import { keepOutcome, type Outcome, UNKNOWN_STATUS } from "../files/run_files.ts";
import { nameOf } from "./container_names.ts";
import { type InspectedContainer, mayBeOutOfMemory, outcomeOf, phaseOf } from "./container_state.ts";
import type { EngineContainers } from "./engine_containers.ts";
import type { EngineName } from "./engine_kind.ts";
import type { ContainerWatch } from "./container_watch.ts";
import { wasKilledForMemory } from "./kernel_log.ts";

export interface ContainerEndsOptions {
  readonly engine: EngineName;
  readonly containers: EngineContainers;
  readonly watch: ContainerWatch;
  readonly clock: Clock;
  readonly pulse: Pulse;
}

/** After a look that failed. */
const RETRY_MS = 1_000;

const logger = loggerFor("kubelet");

/** Finds out how containers of an engine end. What came of one is on disk before it is removed. */
export class ContainerEnds {
  readonly #options: ContainerEndsOptions;
  readonly #closing = new AbortController();

  constructor(options: ContainerEndsOptions) {
    this.#options = options;
  }

  /** Resolves once the container has ended, if that is before {@linkcode close}. Never rejects. */
  async of(run: RunOfContainer): Promise<Outcome> {
    const { clock, containers, watch } = this.#options;
    const { signal } = this.#closing;
    watch.follow(run);
    for (let process = watch.knownProcess(run); !signal.aborted;) {
      let retryMs = RETRY_MS;
      if (process) await this.#endOf(process);
      if (signal.aborted) break;
      try {
        const found = await containers.inspect(run);
        // Another life of the program may have seen its end, and removed it.
        const known = found ? undefined : run.files.read();
        if (known?.kind === "ended") return known.outcome;
        if (!found) return this.lost(run);
        if (phaseOf(found) === "ended") return await this.conclude(run, found);
        process = watch.processOf(run, found);
        if (process) continue;
        if (watch.withoutProcess.kills) {
          await this.#killUnwatched(run);
          // podman does not write it down if the process has ended at the wrong moment for it.
          if (!hasProcess(found)) return await this.conclude(run, found);
        }
        ({ retryMs } = watch.withoutProcess);
      } catch (error) {
        if (signal.aborted) break;
        const container = nameOf(run);
        logger.warn("Cannot see how container {container} ended, trying again: {error}", { container, error });
      }
      await clock.sleep(retryMs, signal).catch(() => {/* the program stops */});
    }
    // The next life of the program finds out.
    return await new Promise<never>(() => {});
  }

  /** Looks no more. Containers go on. */
  close(): void {
    this.#closing.abort();
  }

  /** Keeps how a container ended, and has it removed. */
  async conclude(run: RunOfContainer, found: InspectedContainer): Promise<Outcome> {
    await this.#options.watch.finish(run);
    const wasOutOfMemory = run.container.resources?.limits?.memory !== undefined && mayBeOutOfMemory(found) &&
      await wasKilledForMemory(found.Id);
    const outcome = keepOutcome(run.files, outcomeOf(found, { wasOutOfMemory, now: this.#options.clock.now() }));
    this.removeLater(run);
    return outcome;
  }

  /** Keeps that nothing says how a container ended. */
  lost(run: RunOfContainer): Outcome {
    const now = this.#options.clock.now();
    const message = `${this.#options.engine} has no such container any more`;
    return keepOutcome(run.files, { ...UNKNOWN_STATUS, message, startedAt: now, finishedAt: now });
  }

  /** Called once its outcome is on disk. */
  removeLater(run: RunOfContainer): void {
    const { containers, watch } = this.#options;
    containers.remove(run).then(() => watch.forget(run.files)).catch((error) =>
      logger.warn("Cannot remove container {container}: {error}", { container: nameOf(run), error })
    );
  }

  async #endOf(process: ProcessIdentity): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    using _looking = this.#options.pulse.add(() => isAlive(process) || resolve());
    using _closing = onAbort(this.#closing.signal, () => resolve());
    await promise;
  }

  /**
   * Kills a container whose monitor was killed: its output goes nowhere, and the engine hears nothing of its end. An
   * engine that cannot kill it any more finds out by that that it has ended.
   */
  async #killUnwatched(run: RunOfContainer): Promise<void> {
    const container = nameOf(run);
    logger.warn("The monitor of container {container} is gone: killing the container", { container });
    await this.#options.containers.kill(run).catch((error) =>
      logger.debug("Cannot kill container {container}: {error}", { container, error: messageOf(error) })
    );
  }
}

function hasProcess({ State: { Pid = 0 } }: InspectedContainer): boolean {
  return Pid > 0 && identityOf(Pid) !== undefined;
}
