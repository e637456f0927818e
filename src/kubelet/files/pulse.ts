import type { Clock } from "../../base/clock.ts";
import { loggerFor } from "../../telemetry/logging.ts";

const logger = loggerFor("kubelet");

/** How often output files and processes that are not our children are looked at. */
export const PULSE_MS = 200;

/** One shared beat for all that can only be seen by looking. It stands still while there is no listener. */
export class Pulse {
  readonly #clock: Clock;
  readonly #listeners = new Set<() => void>();
  #stop: AbortController | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `listener` every {@linkcode PULSE_MS} until the result is disposed of. */
  add(listener: () => void): Disposable {
    this.#listeners.add(listener);
    if (!this.#stop) {
      this.#stop = new AbortController();
      this.#beat(this.#stop.signal);
    }
    return {
      [Symbol.dispose]: () => {
        this.#listeners.delete(listener);
        if (this.#listeners.size > 0) return;
        this.#stop?.abort();
        this.#stop = undefined;
      },
    };
  }

  async #beat(signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        await this.#clock.sleep(PULSE_MS, signal);
      } catch {
        return;
      }
      for (const listener of [...this.#listeners]) {
        try {
          listener();
        } catch (error) {
          // One that fails, as with a full disk, must not end the others.
          logger.error("Cannot look at a container: {error}", { error });
        }
      }
    }
  }
}
