import type { Clock } from "../../src/base/clock.ts";
import type { EpochMs } from "../../src/base/epoch_ms.ts";

/**
 * A fake clock for code that waits for promises alone, never for the event loop: quick enough for a randomised test to
 * run it thousands of times.
 */
export class QuickClock implements Clock {
  #now: number;
  readonly #start: number;
  readonly #timers = new Set<{ at: number; fn: () => void }>();

  constructor(start: EpochMs = 0) {
    this.#now = this.#start = start;
  }

  /** How many timers wait. */
  get pending(): number {
    return this.#timers.size;
  }

  now(): EpochMs {
    return this.#now;
  }

  monotonic(): number {
    return this.#now - this.#start;
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      // Whole milliseconds, as timers have: a sum of fractions could end just before its time, and for ever.
      const timer = this.schedule(this.#now + Math.ceil(delayMs), () => {
        signal?.removeEventListener("abort", abort);
        resolve();
      });
      const abort = () => {
        timer[Symbol.dispose]();
        reject(signal!.reason);
      };
      signal?.addEventListener("abort", abort, { once: true });
    });
  }

  schedule(at: EpochMs, fn: () => void): Disposable {
    const timer = { at, fn };
    this.#timers.add(timer);
    return { [Symbol.dispose]: () => void this.#timers.delete(timer) };
  }

  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await turns();
    for (;;) {
      let next: { at: number; fn: () => void } | undefined;
      for (const timer of this.#timers) if (timer.at <= end && timer.at < (next?.at ?? Infinity)) next = timer;
      if (!next) break;
      this.#now = Math.max(this.#now, next.at);
      this.#timers.delete(next);
      next.fn();
      await turns();
    }
    this.#now = end;
  }

  /** Lets time pass while nothing runs, as for a process that is stopped: what became due runs on the next `advance`. */
  pause(ms: number): void {
    this.#now += ms;
  }
}

/** Lets promises settle. */
export async function turns(): Promise<void> {
  for (let turn = 0; turn < 30; turn++) await Promise.resolve();
}
