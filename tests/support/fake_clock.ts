import { setImmediate } from "node:timers";
import type { Clock } from "../../src/base/clock.ts";
import type { EpochMs } from "../../src/base/epoch_ms.ts";

interface Timer {
  readonly at: number;
  readonly by: "wall" | "monotonic";
  readonly fn: () => void;
}

/** A clock that stands still until a test moves it. Due timers run in order, and promises settle between them. */
export class FakeClock implements Clock {
  #now: EpochMs;
  #monotonic = 0;
  /** In the order in which they were set. */
  readonly #timers = new Set<Timer>();
  readonly #settle: () => Promise<void>;

  constructor(start: EpochMs | string = "2026-01-01T00:00:00Z", settleAll = settle) {
    this.#settle = settleAll;
    this.#now = typeof start === "string" ? Date.parse(start) : start;
  }

  /** How many sleeps and schedules are waiting. */
  get pending(): number {
    return this.#timers.size;
  }

  now(): EpochMs {
    return this.#now;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const timer = this.#add("monotonic", this.#monotonic + Math.max(0, delayMs), () => {
        signal?.removeEventListener("abort", abort);
        resolve();
      });
      const abort = () => {
        this.#timers.delete(timer);
        reject(signal!.reason);
      };
      signal?.addEventListener("abort", abort, { once: true });
    });
  }

  schedule(at: EpochMs, fn: () => void): Disposable {
    const timer = this.#add("wall", at, fn);
    return { [Symbol.dispose]: () => void this.#timers.delete(timer) };
  }

  /** Moves both clocks on by `ms`, running every timer that becomes due at its own instant. */
  async advance(ms: number): Promise<void> {
    const end = this.#monotonic + ms;
    await this.#settle();
    for (;;) {
      const next = this.#nextWithin(end - this.#monotonic);
      if (next === undefined) break;
      this.pause(Math.max(0, this.#waitMs(next)));
      this.#timers.delete(next);
      next.fn();
      await this.#settle();
    }
    this.pause(end - this.#monotonic);
    await this.#settle();
  }

  /** Lets the wall clock jump, as NTP or a laptop waking up does: the monotonic clock does not move. */
  async jump(ms: number): Promise<void> {
    this.setWall(this.#now + ms);
    await this.advance(0);
  }

  /** Sets the wall clock alone; what becomes due by that runs on the next `advance`. */
  setWall(now: EpochMs): void {
    this.#now = now;
  }

  /** Lets time pass while nothing runs, as for a process that is stopped: what became due runs on the next `advance`. */
  pause(ms: number): void {
    this.#now += ms;
    this.#monotonic += ms;
  }

  /** Runs what is due by now, without waiting for what comes of it. */
  runDue(): void {
    for (let next = this.#nextWithin(0); next; next = this.#nextWithin(0)) {
      this.#timers.delete(next);
      next.fn();
    }
  }

  #add(by: Timer["by"], at: number, fn: () => void): Timer {
    const timer = { at, by, fn };
    this.#timers.add(timer);
    return timer;
  }

  #waitMs({ at, by }: Timer): number {
    return at - (by === "wall" ? this.#now : this.#monotonic);
  }

  /** The timer that is due first, and was set first where two are. */
  #nextWithin(ms: number): Timer | undefined {
    let next: Timer | undefined;
    let leastMs = Infinity;
    for (const timer of this.#timers) {
      const waitMs = this.#waitMs(timer);
      if (waitMs > ms || waitMs >= leastMs) continue;
      next = timer;
      leastMs = waitMs;
    }
    return next;
  }
}

/** Lets everything that needs no more than a few turns of the event loop happen. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setTimeout(resolve, 0));
}

/** The same for code that waits for no socket, process or thread: a turn takes microseconds. */
export async function settleInMemory(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await macrotask();
}

/** Lets all run that waits for a turn of the event loop, without the millisecond of a timer. */
export function macrotask(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
