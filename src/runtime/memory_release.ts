import type { Clock } from "../base/clock.ts";
import { releaseMemory } from "./release_memory.ts";
import type { Runnable } from "./runnable.ts";

/** How often it is tried; {@linkcode releaseMemory} says how often it is done. */
const EVERY_MS = 15_000;

/** Gives back what the start has left behind, and from time to time what has become garbage since. */
export class MemoryRelease implements Runnable {
  readonly name = "memory release";
  readonly #clock: Clock;
  readonly #inUse: (() => number) | undefined;

  /** @param inUse as {@linkcode releaseMemory} takes it */
  constructor(clock: Clock, inUse?: () => number) {
    this.#clock = clock;
    this.#inUse = inUse;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#clock.sleep(EVERY_MS, signal).catch(() => {});
      if (!signal.aborted) releaseMemory(this.#clock, this.#inUse);
    }
  }
}
