import { type Clock, endsWithin } from "../../base/clock.ts";

/** Lets some work run at a time, first come first served. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(atATime: number) {
    this.#free = atATime;
  }

  /** Calls `work` once it is its turn. */
  use<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#inTurn(work);
    this.#underWay.add(done);
    const forget = () => void this.#underWay.delete(done);
    done.then(forget, forget);
    return done;
  }

  /** Resolves once nothing runs and nothing waits, or that takes too long. */
  async idle(clock: Clock, timeoutMs: number): Promise<void> {
    await endsWithin(clock, timeoutMs, Promise.allSettled(this.#underWay));
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}
