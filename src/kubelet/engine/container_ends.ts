import { onAbort } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { loggerFor } from "../../telemetry/logging.ts";
import { messageOf } from "../../telemetry/message_of.ts";
import type { RunOfContainer } from "../runtime.ts";
import { identityOf, isAlive, lookForEnd, type ProcessIdentity } from "../process/identity.ts";
import { lookOften, PULSE_MS } from "../files/pulse.ts";
import { ifPossible, removePath } from "../files/disk.ts";
import { keepOutcome, type Outcome, UNKNOWN_STATUS } from "../files/run_files.ts";
import { nameOf } from "./container_names.ts";
import { type InspectedContainer, outcomeOf, phaseOf } from "./container_state.ts";
import { DockerLogs } from "./docker_logs.ts";
import type { EngineApi } from "./api/engine_api.ts";
import type { EngineContainers } from "./engine_containers.ts";
import type { EngineOptions } from "./engine_options.ts";
import { wasKilledForMemory } from "./kernel_log.ts";
import { persist } from "../persist.ts";

/** After a look that failed. */
const RETRY_MS = 1_000;

/** How long an engine may take to see that a container's first process has ended. podman's never does without its monitor. */
const UNSEEN_MS = 10_000;

const KILLED = 137;

const logger = loggerFor("kubelet");

/**
 * The state of a container at a time: how it ended, its first process, that it has none and the engine does not know
 * that yet, or why nothing is known.
 */
type Look = Outcome | ProcessIdentity | "unseen" | Error;

/** Finds out how containers of an engine end. What came of one is on disk before it is removed. */
export class ContainerEnds {
  readonly #containers: EngineContainers;
  readonly #api: EngineApi;
  readonly #clock: Clock;
  /** Absent where the engine writes the logs itself. */
  readonly #logs: DockerLogs | undefined;

  constructor(containers: EngineContainers, { api, clock }: Pick<EngineOptions, "api" | "clock">) {
    this.#containers = containers;
    this.#api = api;
    this.#clock = clock;
    this.#logs = api.engine === "docker" ? new DockerLogs({ api, clock }) : undefined;
  }

  /**
   * Resolves once the container has ended, if that is before the API is closed. Never rejects.
   *
   * @param isOverdue whether it should have been killed for long: an engine that is away is not waited for any more
   */
  async of(run: RunOfContainer, isOverdue: () => boolean): Promise<Outcome> {
    const signal = this.#api.closing;
    this.#logs?.follow(run);
    let process: ProcessIdentity | undefined;
    for (let unseenMs = 0; !signal.aborted;) {
      const found = await this.#look(run);
      if (found === "unseen" && (unseenMs += PULSE_MS) > UNSEEN_MS) return await this.#forsake(run);
      if (found instanceof Error && isOverdue()) {
        if (!process || !isAlive(process)) return await this.#forsake(run, found);
        // While it goes on, no other may start beside it. It may be another user's.
        ifPossible(() => Deno.kill(process!.pid, "SIGKILL"));
      }
      if (found !== "unseen" && !(found instanceof Error)) {
        if ("exitCode" in found) return found;
        await this.#endOf(process = found, isOverdue);
        if (!isOverdue()) continue;
      }
      const delayMs = found === "unseen" ? PULSE_MS : RETRY_MS;
      await this.#clock.sleep(delayMs, signal).catch(() => {/* The program stops. */});
    }
    // The next life of the program finds out.
    return await new Promise<never>(() => {});
  }

  /** Keeps how a container ended, and has it removed. */
  async conclude(run: RunOfContainer, found: InspectedContainer): Promise<Outcome> {
    await this.#logs?.finish(run);
    const seen = outcomeOf(found, this.#clock.now());
    const isLimited = run.container.resources?.limits?.memory !== undefined;
    const isOutOfMemory = isLimited && seen.exitCode === KILLED && await wasKilledForMemory(found.Id);
    return this.#keep(run, isOutOfMemory ? { ...seen, reason: "OOMKilled" } : seen);
  }

  /** Keeps that nothing says how a container ended. */
  lost(run: RunOfContainer, message = `${this.#api.engine} has no such container any more`): Outcome {
    const now = this.#clock.now();
    return this.#keep(run, { ...UNKNOWN_STATUS, message, startedAt: now, finishedAt: now });
  }

  /** Called once its outcome is known. Never rejects: what this life cannot remove the next one does. */
  async removeLater(run: RunOfContainer, outcome: Outcome): Promise<void> {
    const remove = async () => {
      const kind = run.files.read()?.kind;
      // Without a container and an outcome a run would start again. Files of Pods that are gone are not there.
      if (kind && kind !== "ended") run.files.writeOutcome(outcome);
      await this.#containers.remove(nameOf(run));
      removePath(run.files.launched);
    };
    await persist(`remove container ${nameOf(run)}`, remove, { clock: this.#clock, signal: this.#api.closing });
  }

  #keep(run: RunOfContainer, outcome: Outcome): Outcome {
    keepOutcome(run.files, outcome);
    this.removeLater(run, outcome);
    return outcome;
  }

  async #look(run: RunOfContainer): Promise<Look> {
    try {
      const found = await this.#containers.inspect(nameOf(run));
      // Another life of the program may have seen its end, and removed it.
      const known = found ? undefined : run.files.read();
      if (known?.kind === "ended") return known.outcome;
      if (!found) return this.lost(run);
      if (phaseOf(found) === "ended") return await this.conclude(run, found);
      return identityOf(found.State.Pid ?? 0) ?? "unseen";
    } catch (error) {
      const about = { container: nameOf(run), error: messageOf(error) };
      if (!this.#api.closing.aborted) {
        logger.warn("Cannot see how container {container} ended, trying again: {error}", about);
      }
      return error as Error;
    }
  }

  async #endOf(process: ProcessIdentity, isOverdue: () => boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    using _looking = lookForEnd(this.#clock, process, resolve);
    using _waiting = lookOften(this.#clock, () => isOverdue() && resolve());
    using _closing = onAbort(this.#api.closing, () => resolve());
    await promise;
  }

  /** Of a container whose end the engine does not see: its monitor was killed, or the engine is away. */
  async #forsake(run: RunOfContainer, reason?: Error): Promise<Outcome> {
    const error = `${this.#api.engine} has not seen the end of the container${reason ? `: ${reason.message}` : ""}`;
    logger.warn("Cannot see how container {container} ended: {error}", { container: nameOf(run), error });
    if (reason) {
      this.#logs?.abandon(run, reason);
    } else {
      await this.#containers.kill(nameOf(run)).catch(() => {/* It has no process. */});
      await this.#logs?.finish(run);
    }
    return this.lost(run, error);
  }
}
