import type { Clock } from "../../base/clock.ts";
import type { ContainerSession, SessionRequest } from "../../kube/container_session.ts";
import { persist } from "../persist.ts";
import type { RunOfContainer } from "../runtime.ts";
import { LABELS, nameOf } from "./container_names.ts";
import type { InspectedContainer } from "./container_state.ts";
import type { EngineApi } from "./api/engine_api.ts";
import { EngineError } from "./api/engine_error.ts";
import { openExec } from "./exec_session.ts";

/** The time in which an engine gets a container's processes to work, on a busy machine. */
const START_MS = 4 * 60_000;

/** Answers to a signal for a container that is not at work. */
const ENDED = [404, 409];

/** Between two tries of a signal: a grace period and a deadline are counted in seconds. */
const SIGNAL_MS = 1_000;

/** A container, and the Pod that it is of. */
export interface LabelledContainer {
  readonly name: string;
  readonly podUid: string;
}

interface Listed {
  readonly Names: readonly string[];
  readonly Labels: Readonly<Record<string, string>>;
}

/** The containers that an engine has, by the runs that they are of. */
export class EngineContainers {
  readonly #api: EngineApi;
  readonly #clock: Clock;

  constructor({ api, clock }: { readonly api: EngineApi; readonly clock: Clock }) {
    this.#api = api;
    this.#clock = clock;
  }

  /**
   * Resolves with the container's id.
   *
   * @throws {EngineError} with status 409 if there is one of that name
   */
  async create(name: string, body: object): Promise<string> {
    const request = { query: { name }, body, timeoutMs: START_MS };
    return (await this.#api.post<{ readonly Id: string }>("/containers/create", request)).Id;
  }

  /** Has no effect on a container at work. One that has ended would start again: a caller asks once. */
  async start(name: string): Promise<void> {
    await this.#api.post(`/containers/${name}/start`, { timeoutMs: START_MS });
  }

  /** Resolves with undefined if there is none. */
  async inspect(name: string): Promise<InspectedContainer | undefined> {
    return await absent(this.#api.get<InspectedContainer>(`/containers/${name}/json`));
  }

  /** Sends a signal, as often as it takes while the container is not over and the program does not stop. */
  async signal(run: RunOfContainer, signal: string, isOver: () => boolean): Promise<void> {
    const container = nameOf(run);
    const send = async () => {
      if (isOver()) return;
      await this.kill(container, signal).catch((error) => {
        if (!ENDED.includes((error as EngineError).status ?? 0)) throw error;
      });
    };
    const options = { clock: this.#clock, longestMs: SIGNAL_MS, signal: this.#api.closing };
    await persist(`signal container ${container}`, send, options);
  }

  async kill(name: string, signal = "SIGKILL"): Promise<void> {
    await this.#api.post(`/containers/${name}/kill`, { query: { signal } });
  }

  /** Has no effect where there is none. Ends what runs in it. */
  async remove(name: string): Promise<void> {
    await absent(this.#api.delete(`/containers/${name}`, { query: { force: "1", v: "1" } })).catch((error) => {
      // Another request is removing it.
      if ((error as EngineError).status !== 409) throw error;
    });
  }

  /** Returns those that have a label, also those at rest. */
  async labelled(label: string, value: string): Promise<LabelledContainer[]> {
    const query = { all: "1", filters: JSON.stringify({ label: [`${label}=${value}`] }) };
    const listed = await this.#api.get<readonly Listed[]>("/containers/json", { query });
    return listed.map(({ Names, Labels }) => ({ name: Names[0]!.replace(/^\//, ""), podUid: Labels[LABELS.podUid]! }));
  }

  /**
   * Runs a command in a container.
   *
   * @throws {EngineError} if the engine does not start it
   */
  open(run: RunOfContainer, request: SessionRequest): Promise<ContainerSession> {
    return openExec({ api: this.#api, clock: this.#clock }, nameOf(run), request);
  }
}

/** Resolves with undefined where there is nothing of that name. */
async function absent<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof EngineError && error.status === 404) return undefined;
    throw error;
  }
}
