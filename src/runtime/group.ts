import { aborted, Stage } from "../base/abort.ts";
import { type Clock, endsWithin } from "../base/clock.ts";
import type { Runnable } from "./runnable.ts";

/** How long the other parts may take to end after one has failed; then its error ends the program all the same. */
const GRACE_MS = 10_000;

interface Running {
  readonly stage: Stage;
  /** Never rejects. */
  readonly ended: Promise<void>;
}

/** Parts that stop together, as one, whether they were added before the start or later. The end of any of them ends all. */
export class Group implements Runnable {
  readonly #clock: Clock;
  readonly #parts = new Set<Runnable>();
  readonly #running = new Map<Runnable, Running>();
  readonly #errors: unknown[] = [];
  #stage: Stage | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Adds a part, which starts at once where the others run. */
  add(part: Runnable): void {
    this.#parts.add(part);
    if (this.#stage) this.#start(part, this.#stage);
  }

  /** Ends a part for good, and no other. Resolves when it has ended. */
  async remove(part: Runnable): Promise<void> {
    this.#parts.delete(part);
    const running = this.#running.get(part);
    running?.stage.abort();
    await running?.ended;
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

  /** Resolves when all parts have ended, or rejects with the first error, {@linkcode GRACE_MS} after it at the latest. */
  async run(signal: AbortSignal): Promise<void> {
    using stage = this.#stage = new Stage(signal);
    for (const part of this.#parts) this.#start(part, stage);
    await aborted(stage.signal);
    const ended = Promise.all([...this.#running.values()].map(({ ended }) => ended));
    if (this.#errors.length > 0) await endsWithin(this.#clock, GRACE_MS, ended);
    else await ended;
    if (this.#errors.length > 0) throw this.#errors[0];
  }

  #start(part: Runnable, all: Stage): void {
    const stage = new Stage(all.signal);
    const ended = failureOf(part, stage.signal).then((error) => {
      if (error === undefined) return;
      this.#errors.push(error);
      all.abort();
    });
    this.#running.set(part, { stage, ended });
  }
}

/**
 * Runs a part until `signal` is aborted. Resolves with why it failed, if it did: an end before `ending` is aborted is a
 * failure too. Never rejects.
 */
export async function failureOf(part: Runnable, signal: AbortSignal, ending = signal): Promise<unknown> {
  try {
    await part.run(signal);
    return ending.aborted ? undefined : new Error(`Cannot go on: ${part.name} ended by itself`);
  } catch (error) {
    return error ?? new Error(`Cannot go on: ${part.name} failed`);
  }
}
