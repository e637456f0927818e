import { Stage } from "../base/abort.ts";
import type { Runnable } from "./runnable.ts";

/** Parts that start together and stop together, as one. The end of any of them ends all. */
export class Group implements Runnable {
  readonly #parts: Runnable[] = [];

  /** Only before {@linkcode run}. */
  add(part: Runnable): void {
    this.#parts.push(part);
  }

  get name(): string {
    return this.#parts.map(({ name }) => name).join(", ");
  }

  get health() {
    return this.#parts.flatMap(({ health = [] }) => health);
  }

  async ready(): Promise<void> {
    await Promise.all(this.#parts.map((part) => part.ready?.()));
  }

  /** Resolves, or rejects with the first error, when all have ended. */
  async run(signal: AbortSignal): Promise<void> {
    using running = new Stage(signal);
    const errors: unknown[] = [];
    await Promise.all(this.#parts.map(async (part) => {
      try {
        await part.run(running.signal);
        if (!running.signal.aborted) errors.push(new Error(`Cannot go on: ${part.name} ended by itself`));
      } catch (error) {
        errors.push(error);
      }
      running.abort();
    }));
    if (errors.length > 0) throw errors[0];
  }
}
