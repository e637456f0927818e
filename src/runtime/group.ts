import { aborted, Stage } from "../base/abort.ts";
import type { Runnable } from "./runnable.ts";

/** Parts that stop together, as one, whether they were added before the start or later. The end of any of them ends all. */
export class Group implements Runnable {
  readonly #parts = new Set<Runnable>();
  readonly #running = new Map<Runnable, Stage>();
  readonly #ended: Promise<void>[] = [];
  readonly #errors: unknown[] = [];
  #stage: Stage | undefined;

  /** Adds a part, which starts at once where the others run. */
  add(part: Runnable): void {
    this.#parts.add(part);
    if (this.#stage) this.#start(part, this.#stage);
  }

  /** Ends a part for good, which ends no other. */
  remove(part: Runnable): void {
    this.#parts.delete(part);
    this.#running.get(part)?.abort();
    this.#running.delete(part);
  }

  get name(): string {
    return [...this.#parts].map(({ name }) => name).join(", ");
  }

  get health() {
    return [...this.#parts].flatMap(({ health = [] }) => health);
  }

  async ready(): Promise<void> {
    await Promise.all([...this.#parts].map((part) => part.ready?.()));
  }

  /** Resolves, or rejects with the first error, when all have ended. */
  async run(signal: AbortSignal): Promise<void> {
    using stage = this.#stage = new Stage(signal);
    for (const part of this.#parts) this.#start(part, stage);
    await aborted(stage.signal);
    await Promise.all(this.#ended);
    if (this.#errors.length > 0) throw this.#errors[0];
  }

  #start(part: Runnable, all: Stage): void {
    const stage = new Stage(all.signal);
    this.#running.set(part, stage);
    this.#ended.push((async () => {
      try {
        await part.run(stage.signal);
        if (stage.signal.aborted) return;
        this.#errors.push(new Error(`Cannot go on: ${part.name} ended by itself`));
      } catch (error) {
        this.#errors.push(error);
      }
      all.abort();
    })());
  }
}
