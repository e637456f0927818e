import { onAbort } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { loggerFor } from "../../telemetry/logging.ts";
import { messageOf } from "../../telemetry/message_of.ts";
import type { RunOfContainer } from "../runtime.ts";
import { identityOf, isAlive, type ProcessIdentity } from "../process/identity.ts";
import { lookOften, PULSE_MS } from "../files/pulse.ts";
import { removeFile } from "../files/disk.ts";
import { keepOutcome, type Outcome, UNKNOWN_STATUS } from "../files/run_files.ts";
import { nameOf } from "./container_names.ts";
import { type InspectedContainer, mayBeOutOfMemory, outcomeOf, phaseOf } from "./container_state.ts";
import { DockerLogs } from "./docker_logs.ts";
import type { EngineName } from "./api/engine_error.ts";
import type { EngineContainers } from "./engine_containers.ts";
import type { EngineOptions } from "./engine_options.ts";
import { wasKilledForMemory } from "./kernel_log.ts";
import { persist } from "../persist.ts";

/** After a look that failed. */
const RETRY_MS = 1_000;

/** How long an engine may take to see that a container's first process has ended. podman's never does without its monitor. */
const UNSEEN_MS = 10_000;

const logger = loggerFor("kubelet");

/** What is known of a container at a time. */
type Look =
  | { readonly kind: "running"; readonly process: ProcessIdentity }
  /** It has no process any more, and the engine does not know that yet. */
  | { readonly kind: "unseen" }
  | { readonly kind: "unknown" }
  | { readonly kind: "ended"; readonly outcome: Outcome };

/** Finds out how containers of an engine end. What came of one is on disk before it is removed. */
export class ContainerEnds {
  readonly #containers: EngineContainers;
  readonly #engine: EngineName;
  readonly #clock: Clock;
  /** Absent where the engine writes the logs itself. */
  readonly #logs: DockerLogs | undefined;
  readonly #closing: AbortSignal;

  constructor(containers: EngineContainers, { api, clock }: Pick<EngineOptions, "api" | "clock">) {
    this.#containers = containers;
    this.#engine = api.engine;
    this.#closing = api.closing;
    this.#clock = clock;
    this.#logs = api.engine === "docker" ? new DockerLogs({ api, clock }) : undefined;
  }

  /** Resolves once the container has ended, if that is before the API is closed. Never rejects. */
  async of(run: RunOfContainer): Promise<Outcome> {
    const signal = this.#closing;
    this.#logs?.follow(run);
    for (let unseenMs = 0; !signal.aborted;) {
      const found = await this.#look(run);
      if (found.kind === "ended") return found.outcome;
      if (found.kind === "running") {
        await this.#endOf(found.process);
        continue;
      }
      if (found.kind === "unseen" && (unseenMs += PULSE_MS) > UNSEEN_MS) return await this.#forsake(run);
      const delayMs = found.kind === "unseen" ? PULSE_MS : RETRY_MS;
      await this.#clock.sleep(delayMs, signal).catch(() => {/* The program stops. */});
    }
    // The next life of the program finds out.
    return await new Promise<never>(() => {});
  }

  /** Keeps how a container ended, and has it removed. */
  async conclude(run: RunOfContainer, found: InspectedContainer): Promise<Outcome> {
    await this.#logs?.finish(run);
    const wasOutOfMemory = run.container.resources?.limits?.memory !== undefined && mayBeOutOfMemory(found) &&
      await wasKilledForMemory(found.Id);
    const outcome = keepOutcome(run.files, outcomeOf(found, { wasOutOfMemory, now: this.#clock.now() }));
    this.removeLater(run);
    return outcome;
  }

  /** Keeps that nothing says how a container ended. */
  lost(run: RunOfContainer, message = `${this.#engine} has no such container any more`): Outcome {
    const now = this.#clock.now();
    return keepOutcome(run.files, { ...UNKNOWN_STATUS, message, startedAt: now, finishedAt: now });
  }

  /** Called once its outcome is on disk. Never rejects: what this life cannot remove the next one does. */
  async removeLater(run: RunOfContainer): Promise<void> {
    const remove = async () => {
      await this.#containers.remove(nameOf(run));
      removeFile(run.files.launched);
    };
    await persist(`remove container ${nameOf(run)}`, remove, { clock: this.#clock, signal: this.#closing });
  }

  async #look(run: RunOfContainer): Promise<Look> {
    try {
      const found = await this.#containers.inspect(nameOf(run));
      // Another life of the program may have seen its end, and removed it.
      const known = found ? undefined : run.files.read();
      if (known?.kind === "ended") return known;
      if (!found) return { kind: "ended", outcome: this.lost(run) };
      if (phaseOf(found) === "ended") return { kind: "ended", outcome: await this.conclude(run, found) };
      const process = identityOf(found.State.Pid ?? 0);
      return process ? { kind: "running", process } : { kind: "unseen" };
    } catch (error) {
      const about = { container: nameOf(run), error: messageOf(error) };
      if (!this.#closing.aborted) {
        logger.warn("Cannot see how container {container} ended, trying again: {error}", about);
      }
      return { kind: "unknown" };
    }
  }

  async #endOf(process: ProcessIdentity): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    using _looking = lookOften(this.#clock, () => isAlive(process) || resolve());
    using _closing = onAbort(this.#closing, () => resolve());
    await promise;
  }

  /** Of a container without a process whose end the engine does not see: its monitor was killed. */
  async #forsake(run: RunOfContainer): Promise<Outcome> {
    const error = `${this.#engine} does not see it`;
    logger.warn("Cannot see how container {container} ended: {error}", { container: nameOf(run), error });
    await this.#logs?.finish(run);
    const outcome = this.lost(run, `${this.#engine} has not seen the end of the container`);
    await this.#containers.kill(nameOf(run)).catch(() => {/* It has no process. */});
    this.removeLater(run);
    return outcome;
  }
}
