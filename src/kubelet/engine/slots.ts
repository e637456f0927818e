import { aborted, Stage } from "../../base/abort.ts";

/** Lets some work run at a time, first come first served. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(atATime: number) {
    this.#free = atATime;
  }

  /** Calls `work` once it is its turn. */
  async use<T>(work: () => Promise<T>): Promise<T> {
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

/**
 * Resolves as `work` does, which may go on when this rejects.
 *
 * @throws the signal's reason, once it is aborted
 */
export async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  using stage = new Stage(signal);
  const left = aborted(stage.signal).then((): never => {
    throw signal.reason;
  });
  left.catch(() => {/* The work was done before. */});
  return await Promise.race([work, left]);
}
