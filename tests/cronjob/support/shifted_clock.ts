import { type Clock, SystemClock } from "../../../src/base/clock.ts";
import type { EpochMs } from "../../../src/base/epoch_ms.ts";

/** Runs as fast as time does, but at another date: what needs a Saturday need not wait for one. */
export class ShiftedClock implements Clock {
  readonly #clock = new SystemClock();
  readonly #timers = new Set<Timer>();
  #shiftMs: number;

  constructor(start: string) {
    this.#shiftMs = Date.parse(start) - this.#clock.now();
  }

  /** Goes on from another date; timers that are due by then fire. */
  set(to: string): void {
    this.#shiftMs = Date.parse(to) - this.#clock.now();
    for (const timer of this.#timers) this.#arm(timer);
  }

  now(): EpochMs {
    return this.#clock.now() + this.#shiftMs;
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return this.#clock.sleep(delayMs, signal);
  }

  schedule(at: EpochMs, fn: () => void): Disposable {
    const timer: Timer = { at, fn };
    this.#timers.add(timer);
    this.#arm(timer);
    return {
      [Symbol.dispose]: () => {
        this.#timers.delete(timer);
        timer.armed?.[Symbol.dispose]();
      },
    };
  }

  #arm(timer: Timer): void {
    timer.armed?.[Symbol.dispose]();
    timer.armed = this.#clock.schedule(timer.at - this.#shiftMs, () => {
      this.#timers.delete(timer);
      timer.fn();
    });
  }
}

interface Timer {
  readonly at: EpochMs;
  readonly fn: () => void;
  armed?: Disposable;
}
