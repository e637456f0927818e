import { onAbort } from "../base/abort.ts";

/** Callers that wait for the same news. */
export class Waiters {
  readonly #wakes = new Set<() => void>();

  /** Resolves when {@linkcode wake} or {@linkcode wakeAll} wakes this caller, or when `signal` is aborted. */
  woken(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        listening[Symbol.dispose]();
        resolve();
      };
      this.#wakes.add(wake);
      const listening = onAbort(signal, () => {
        this.#wakes.delete(wake);
        resolve();
      });
    });
  }

  /** Wakes the caller that has been waiting for the longest. */
  wake(): void {
    const [wake] = this.#wakes;
    if (!wake) return;
    this.#wakes.delete(wake);
    wake();
  }

  wakeAll(): void {
    for (const wake of this.#wakes) wake();
    this.#wakes.clear();
  }
}
