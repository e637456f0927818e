import { keyOf } from "../../kube/object.ts";
import type { Pod } from "../../kube/resource.ts";
import { messageOf } from "../../telemetry/message_of.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import { ContainerConfigError, PROBLEMS } from "../inputs/config_error.ts";
import {
  AWAY_MS,
  type ContainerRuntime,
  type Prepared,
  type RunningContainer,
  type RunOfContainer,
  StartError,
  type StartOrder,
} from "../runtime.ts";
import { removePath } from "../files/disk.ts";
import type { Outcome, RunFiles } from "../files/run_files.ts";
import { ignoredNotice, type Refusal } from "../inputs/check.ts";
import { bootId } from "../process/identity.ts";
import { checkNonRoot, containerBody } from "./container_body.ts";
import { ContainerEnds } from "./container_ends.ts";
import { nameOf } from "./container_names.ts";
import { type InspectedContainer, phaseOf, startOf } from "./container_state.ts";
import { EngineError, type EngineName } from "./api/engine_error.ts";
import { EngineContainers } from "./engine_containers.ts";
import type { EngineOptions } from "./engine_options.ts";
import { engineRefusal, ignoredByEngine } from "./engine_refusal.ts";
import { openExec } from "./exec_session.ts";
import { ImageStore } from "./images/image_store.ts";
import { persist } from "../persist.ts";
import { sandboxError, Sandboxes } from "./sandboxes.ts";
import { slots } from "./slots.ts";

/** Starts at a time: more would only wait for each other, for the engine's locks and for processors. */
const STARTS_AT_A_TIME = 8;

const CONFLICT = 409;

/** How often a container is made whose name is taken by one that never started. */
const CREATE_TRIES = 3;

/** The engine itself needs so much longer for a command in a container, on a busy machine. */
const EXEC_OVERHEAD_MS = 2_000;

/** A container at work, how it ended, or undefined if it was never started. */
type Found = RunningContainer | Outcome | undefined;

/**
 * Runs containers by the HTTP API of a container engine. A run's container is started once at most:
 * - A container's name is the run's: the engine refuses a second one.
 * - It mounts the run's message file. Once that is gone, no request to start it that is still on its way succeeds: a run is
 *   abandoned by removing the file, and by a look at the container after that.
 * - Its id is on disk before it is asked to start: a run whose container is gone then may have happened.
 */
export class EngineRuntime implements ContainerRuntime {
  readonly #options: EngineOptions;
  readonly #containers: EngineContainers;
  readonly #images: ImageStore;
  readonly #sandboxes: Sandboxes;
  readonly #ends: ContainerEnds;
  readonly #inTurn = slots(STARTS_AT_A_TIME);
  readonly #bootId = bootId();

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#containers = new EngineContainers(options);
    this.#images = new ImageStore(options);
    this.#sandboxes = new Sandboxes(this.#containers, options);
    this.#ends = new ContainerEnds(this.#containers, options);
  }

  get name(): EngineName {
    return this.#options.api.engine;
  }

  refusalOf(pod: Pod): Refusal | undefined {
    return pod.spec && engineRefusal(pod.spec, this.#options);
  }

  async prepare(run: RunOfContainer, _volumes: string, signal: AbortSignal): Promise<Prepared> {
    const { timeZone } = this.#options;
    try {
      await this.#sandboxes.prepare(run.pod);
      const image = await this.#images.ready(run, signal);
      checkNonRoot(run.pod, run.container, image);
      const notices = ignoredNotice(run.container, ignoredByEngine(run.container, run.pod.spec!));
      return { variables: timeZone ? { TZ: timeZone } : {}, notices, image };
    } catch (error) {
      throw error instanceof EngineError ? new ContainerConfigError(error.message, { cause: error }) : error;
    }
  }

  start(order: StartOrder): Promise<RunningContainer> {
    const start = this.#inTurn(async () => {
      const { files } = order;
      Deno.mkdirSync(files.directory, { recursive: true, mode: 0o700 });
      files.writeIntent({ ...await this.#intent(), backOffMs: order.backOffMs });
      const found = await this.#create(order) ?? await this.#begin(order);
      if (found && "ended" in found) return found;
      // A container that has ended already is followed to its end on disk.
      const startedAt = found ? found.startedAt ?? found.finishedAt : this.#options.clock.now();
      return this.#follow(order, startedAt, order.image!.stopSignal);
    });
    return this.#options.api.during(start);
  }

  async resume(run: RunOfContainer): Promise<Found> {
    const state = run.files.read();
    if (state === undefined || state.kind === "void") return undefined;
    if (state.kind !== "ended") return await this.#find(run);
    if (run.files.wasLaunched) this.#ends.removeLater(run, state.outcome);
    return state.outcome;
  }

  async podIsOver(pod: Pod): Promise<void> {
    const { api, clock } = this.#options;
    const remove = () => this.#sandboxes.remove(pod);
    await api.during(persist(`remove the sandbox of pod ${keyOf(pod)}`, remove, { clock, signal: api.closing }));
  }

  async removeStrangers(isKnown: (uid: string) => boolean): Promise<void> {
    const remove = () => this.#sandboxes.removeStrangers(isKnown);
    const { api, clock } = this.#options;
    await persist("remove containers of unknown pods", remove, { clock, signal: api.closing });
  }

  async close(): Promise<void> {
    await this.#options.api.close();
  }

  /** Resolves with the container of that name that was started already; undefined once one is made. */
  async #create(order: StartOrder): Promise<Found> {
    const placement = this.#sandboxes.placementOf(order.pod);
    for (let tries = 1;; tries++) {
      order.files.makeMessage();
      try {
        await this.#containers.create(nameOf(order), containerBody(order, placement, this.#options));
        return undefined;
      } catch (error) {
        if (!(error instanceof EngineError)) throw error;
        if (error.status !== CONFLICT || tries === CREATE_TRIES) throw notMade(error);
        const found = await this.#find(order);
        if (found) return found;
        // podman may have been killed when it had no more than the name.
        await this.#containers.remove(nameOf(order));
      }
    }
  }

  /** Starts the container that was made. Resolves with what it has come to where the engine did not say that it starts it. */
  async #begin(order: StartOrder): Promise<Found> {
    const name = nameOf(order);
    try {
      Deno.writeTextFileSync(order.files.launched, name, { mode: 0o600 });
      await this.#containers.start(name);
      return undefined;
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      const found = await this.#find(order).catch((error) => {
        throw new ContainerConfigError(messageOf(error), { ...PROBLEMS.create, cause: error });
      });
      if (found) return found;
      // Without an answer, nothing says that it cannot be started; nor where docker has ended what the Pod's containers share.
      if ([undefined, CONFLICT].includes(error.status) || error.isOfNetwork) throw notMade(error);
      throw new StartError(error.message, { cause: error });
    }
  }

  /**
   * Finds out from the engine what became of a container. One that was not started never will be after this, and is
   * removed: undefined.
   *
   * @throws {EngineError} if that cannot be found out now
   */
  async #find(run: RunOfContainer): Promise<Found> {
    const { files } = run;
    await this.#checkEndpoint(files);
    let found = await this.#containers.inspect(nameOf(run));
    if (found && phaseOf(found) === "unstarted") {
      removePath(files.message);
      found = await this.#containers.inspect(nameOf(run));
    }
    if (!found) return files.wasLaunched ? this.#ends.lost(run) : undefined;
    const phase = phaseOf(found);
    if (phase === "ended") return await this.#ends.conclude(run, found);
    if (phase === "unstarted" && !await this.#startAnew(run, found)) {
      removePath(files.launched);
      await this.#containers.remove(nameOf(run));
      return undefined;
    }
    const startedAt = startOf(found) ?? this.#options.clock.now();
    return this.#follow(run, startedAt, String(found.Config?.StopSignal || "SIGTERM"));
  }

  /**
   * Starts a container that is ready with its process, as podman has it for an instant, if it was asked to start. If podman
   * refuses, it had done so before it was killed.
   *
   * @returns whether the container has started
   */
  async #startAnew(run: RunOfContainer, { State: { Pid = 0 } }: InspectedContainer): Promise<boolean> {
    if (Pid === 0 || !run.files.wasLaunched) return false;
    await this.#containers.start(nameOf(run)).catch((error) => {
      if ((error as EngineError).status === undefined) throw error;
    });
    return true;
  }

  #follow(run: RunOfContainer, startedAt: EpochMs, stopSignal: string): RunningContainer {
    const { clock } = this.#options;
    let over = false;
    let overdueAt = Infinity;
    return {
      startedAt,
      ended: this.#ends.of(run, () => clock.monotonic() >= overdueAt).finally(() => over = true),
      open: (request) => openExec(this.#options, nameOf(run), request),
      execOverheadMs: EXEC_OVERHEAD_MS,
      signal: (signal) => {
        if (signal === "SIGKILL") overdueAt = clock.monotonic() + AWAY_MS;
        this.#containers.signal(run, signal === "SIGTERM" ? stopSignal : signal, () => over);
      },
    };
  }

  /** Another daemon does not know the container, which may still be at work. */
  async #checkEndpoint(files: RunFiles): Promise<void> {
    const { endpoint: was } = files.readIntent() ?? {};
    if (was === undefined) return;
    const is = await this.#options.api.socketPath();
    if (is !== was) throw new EngineError(`${this.name} has it at ${was}, and is asked at ${is} now`);
  }

  async #intent() {
    const { api, clock } = this.#options;
    // The socket of podman's service is another in each life of the program.
    const endpoint = this.name === "docker" ? await api.socketPath() : undefined;
    return { attempt: "engine", bootId: this.#bootId, startedAt: clock.now(), runtime: this.name, endpoint };
  }
}

function notMade(cause: EngineError): Error {
  return cause.isOfNetwork
    ? sandboxError(cause)
    : new ContainerConfigError(cause.message, { ...PROBLEMS.create, cause });
}
