import { persist } from "../persist.ts";
import type { RunOfContainer } from "../runtime.ts";
import { LABELS, nameOf } from "./container_names.ts";
import type { InspectedContainer } from "./container_state.ts";
import type { EngineOptions } from "./engine_options.ts";
import { type EngineError, ifThere } from "./api/engine_error.ts";

/** The time in which an engine gets a container's processes to work, on a busy machine. */
const START_MS = 4 * 60_000;

/** Answers to a signal for a container that is not at work. */
const ENDED = [404, 409];

/** Between two tries of a signal: a grace period and a deadline are counted in seconds. */
const SIGNAL_MS = 1_000;

/** A container, and the Pod that it is of. */
export type LabelledContainer = { readonly name: string; readonly podUid: string };

type Listed = { readonly Names: readonly string[]; readonly Labels: Readonly<Record<string, string>> };

/** The containers that an engine has, by the runs that they are of. */
export class EngineContainers {
  readonly #options: Pick<EngineOptions, "api" | "clock">;

  constructor(options: Pick<EngineOptions, "api" | "clock">) {
    this.#options = options;
  }

  /** @throws {EngineError} with status 409 if there is one of that name */
  async create(name: string, body: object): Promise<void> {
    await this.#options.api.post("/containers/create", { query: { name }, body, timeoutMs: START_MS });
  }

  /** Has no effect on a container at work. One that has ended would start again: a caller asks once. */
  async start(name: string): Promise<void> {
    await this.#options.api.start(`/containers/${name}/start`, { timeoutMs: START_MS });
  }

  /** Resolves with undefined if there is none. */
  async inspect(name: string): Promise<InspectedContainer | undefined> {
    return await ifThere(this.#options.api.get<InspectedContainer>(`/containers/${name}/json`));
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
    const options = { clock: this.#options.clock, longestMs: SIGNAL_MS, signal: this.#options.api.closing };
    await persist(`signal container ${container}`, send, options);
  }

  async kill(name: string, signal = "SIGKILL"): Promise<void> {
    await this.#options.api.post(`/containers/${name}/kill`, { query: { signal } });
  }

  /** Has no effect where there is none. Ends what runs in it. */
  async remove(name: string): Promise<void> {
    const request = { query: { force: "1", v: "1" } };
    const removed = this.#options.api.stream("DELETE", `/containers/${name}`, request, (answer) => answer.text());
    await ifThere(removed).catch((error) => {
      // Another request is removing it.
      if ((error as EngineError).status !== 409) throw error;
    });
  }

  /** Returns those that have a label, also those at rest. */
  async labelled(label: string, value: string): Promise<LabelledContainer[]> {
    const query = { all: "1", filters: JSON.stringify({ label: [`${label}=${value}`] }) };
    const listed = await this.#options.api.get<readonly Listed[]>("/containers/json", { query });
    return listed.map(({ Names, Labels }) => ({ name: Names[0]!.replace(/^\//, ""), podUid: Labels[LABELS.podUid]! }));
  }
}
