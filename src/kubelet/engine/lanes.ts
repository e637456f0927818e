import { onAbort } from "../../runtime/abort.ts";

/** What commands of an engine are for: those of one lane never wait for those of another. */
export type Lane = "control" | "launch" | "probe" | "hook" | "pull";

/**
 * Commands at a time: more would only wait for each other, for the engine's locks and for processors. Hooks may wait for
 * each other by themselves, for as long as they like: none may keep another from its start.
 */
const AT_A_TIME: Readonly<Record<Lane, number>> = { control: 8, launch: 8, probe: 8, hook: Infinity, pull: 3 };

/** Lets some commands of each lane run at a time, first come first served. */
export class Lanes {
  readonly #running = new Map<Lane, number>();
  readonly #waiting = new Map<Lane, (() => void)[]>();
  #idle = Promise.withResolvers<void>();

  /**
   * Calls `work` once it is its turn.
   *
   * @throws the signal's reason, if it is aborted before
   */
  async inTurn<T>(lane: Lane, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.#turn(lane, signal);
    try {
      return await work();
    } finally {
      this.#leave(lane);
    }
  }

  /** Resolves once nothing runs and nothing waits. */
  async idle(): Promise<void> {
    while ([...this.#running.values()].some((count) => count > 0)) await this.#idle.promise;
  }

  async #turn(lane: Lane, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const running = this.#running.get(lane) ?? 0;
    if (running < AT_A_TIME[lane]) return void this.#running.set(lane, running + 1);
    const waiting = this.#waiting.getOrInsertComputed(lane, () => []);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    using _leaving = onAbort(signal, () => {
      const index = waiting.indexOf(resolve);
      // Else it has just been given its turn.
      if (index >= 0) waiting.splice(index, 1);
      reject(signal!.reason);
    });
    waiting.push(resolve);
    await promise;
  }

  /** The place is handed on to the first that waits. */
  #leave(lane: Lane): void {
    const next = this.#waiting.get(lane)?.shift();
    if (next) return next();
    this.#running.set(lane, this.#running.get(lane)! - 1);
    this.#idle.resolve();
    this.#idle = Promise.withResolvers();
  }
}
