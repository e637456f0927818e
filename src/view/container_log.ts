import { ApiError } from "../kube/api_error.ts";
import type { KubeClient } from "../kube/client.ts";
import type { Container } from "./containers.ts";
import { LogPlace, readStamped } from "./log_place.ts";
import { podLogOf, type PodLogOptions } from "./pod_log.ts";

export interface ContainerLogOptions extends Omit<PodLogOptions, "timestamps" | "sinceTime"> {
  readonly client: KubeClient;
  /** @param at its time; only of what is followed */
  readonly onLine: (text: string, at: string | undefined) => void | Promise<void>;
  /** @param isFinal whether it is not tried again */
  readonly onTrouble: (error: unknown, isFinal: boolean) => void | Promise<void>;
}

/** A log that ends in a fault is not read on for ever. */
const TRIES = 3;

/** The log of one start of a container. Where it breaks off that is followed, it is read on. */
export class ContainerLog {
  readonly #options: ContainerLogOptions;
  readonly #place = new LogPlace();
  /** Readings in a row that broke off before anything new. */
  #inVain = 0;
  /** The reading that goes on. */
  reading: Promise<void> | undefined;
  /** Whether all of it has been read that can be. */
  isComplete = false;

  constructor(options: ContainerLogOptions) {
    this.#options = options;
  }

  /** Reads what is new of it, until it ends or breaks off. @param isLast whether there is nothing to wait for but its end */
  readOn(container: Container, isLast: boolean): void {
    if (this.isComplete || this.reading) return;
    this.reading = this.#read(container, isLast).finally(() => this.reading = undefined);
  }

  async #read(container: Container, isLast: boolean): Promise<void> {
    const { client, onLine, onTrouble, follow, signal, tail } = this.#options;
    const { since } = this.#place;
    // All lines that came since are wanted.
    const asked = {
      ...this.#options,
      timestamps: follow,
      sinceTime: since,
      tail: since === undefined ? tail : undefined,
    };
    let [hasBegun, isStamped, isNew] = [false, follow === true, false];
    this.#place.readAgain(tail !== undefined);
    try {
      for await (const line of podLogOf(client, container, asked)) {
        hasBegun = true;
        const { at, text } = follow ? readStamped(line) : { text: line };
        isStamped = at !== undefined;
        if (at !== undefined && !this.#place.passes(at)) continue;
        isNew = true;
        await onLine(text, at);
      }
      // A container that still runs has not ended its log: something between has.
      this.isComplete = container.hasEnded || isLast || !isStamped;
    } catch (error) {
      if (signal.aborted) return;
      this.#inVain = isNew ? 0 : this.#inVain + 1;
      this.isComplete = !isStamped || (isLast && this.#inVain >= TRIES) ||
        (error instanceof ApiError && (isLast || error.code < 500));
      if (this.isComplete || !hasBegun) await onTrouble(error, this.isComplete);
    }
  }
}
