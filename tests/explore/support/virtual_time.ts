import type { Clock } from "../../../src/base/clock.ts";
import type { EpochMs } from "../../../src/base/epoch_ms.ts";

interface Timer {
  /** True time. */
  readonly at: EpochMs;
  readonly fn: () => void;
  /** The clock of a process that set it. */
  readonly by: ProcessClock | undefined;
}

/** The time of one world. It stands still until it is moved to its next timer. */
export class VirtualTime {
  readonly #timers = new Set<Timer>();
  #now: EpochMs;

  constructor(start: EpochMs) {
    this.#now = start;
  }

  get now(): EpochMs {
    return this.#now;
  }

  /** Calls `fn` at a true time. Disposing of the result cancels it. */
  schedule(at: EpochMs, fn: () => void, by?: ProcessClock): Disposable {
    const timer = { at: Math.ceil(at), fn, by };
    this.#timers.add(timer);
    return { [Symbol.dispose]: () => void this.#timers.delete(timer) };
  }

  /** Moves on to the next timer, the one that was set first where two are due, and fires it. Returns whether there is one. */
  fireNext(until: EpochMs): boolean {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.by?.isStopped) this.#timers.delete(timer);
      else if (timer.at <= until && timer.at < (next?.at ?? Infinity)) next = timer;
    }
    if (!next) return false;
    this.#timers.delete(next);
    this.#now = Math.max(this.#now, next.at);
    next.fn();
    return true;
  }
}

/** The clock of one process, whose wall clock may differ from true time. */
export class ProcessClock implements Clock {
  readonly #time: VirtualTime;
  readonly #start: EpochMs;
  readonly #skewMs: number;
  /** The process is dead: none of its timers fires any more. */
  isStopped = false;

  constructor(time: VirtualTime, skewMs: number) {
    this.#time = time;
    this.#start = time.now;
    this.#skewMs = skewMs;
  }

  now(): EpochMs {
    return this.#time.now + this.#skewMs;
  }

  monotonic(): number {
    return this.#time.now - this.#start;
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const abort = () => {
        timer[Symbol.dispose]();
        reject(signal!.reason);
      };
      const timer = this.schedule(this.now() + Math.max(0, delayMs), () => {
        signal?.removeEventListener("abort", abort);
        resolve();
      });
      signal?.addEventListener("abort", abort, { once: true });
    });
  }

  schedule(at: EpochMs, fn: () => void): Disposable {
    return this.#time.schedule(at - this.#skewMs, fn, this);
  }
}
