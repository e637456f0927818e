import type { Clock } from "../../src/base/clock.ts";
import type { EpochMs } from "../../src/base/epoch_ms.ts";

interface Timer {
  readonly at: number;
  readonly by: "wall" | "monotonic";
  readonly order: number;
  readonly fn: () => void;
}

/** A clock that stands still until a test moves it. Due timers run in order, and promises settle between them. */
export class FakeClock implements Clock {
  #now: EpochMs;
  #monotonic = 0;
  #order = 0;
  #timers = new Set<Timer>();

  constructor(start: EpochMs | string = "2026-01-01T00:00:00Z") {
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
    await settle();
    for (;;) {
      const next = this.#nextWithin(end - this.#monotonic);
      if (next === undefined) break;
      this.#move(next.inMs);
      this.#timers.delete(next.timer);
      next.timer.fn();
      await settle();
    }
    this.#move(end - this.#monotonic);
    await settle();
  }

  /** Lets the wall clock jump, as NTP or a laptop waking up does: the monotonic clock does not move. */
  async jump(ms: number): Promise<void> {
    this.#now += ms;
    await this.advance(0);
  }

  #move(ms: number): void {
    this.#now += ms;
    this.#monotonic += ms;
  }

  #add(by: Timer["by"], at: number, fn: () => void): Timer {
    const timer = { at, by, order: this.#order++, fn };
    this.#timers.add(timer);
    return timer;
  }

  #nextWithin(ms: number): { timer: Timer; inMs: number } | undefined {
    let best: { timer: Timer; inMs: number } | undefined;
    for (const timer of this.#timers) {
      const inMs = Math.max(0, timer.at - (timer.by === "wall" ? this.#now : this.#monotonic));
      if (inMs > ms) continue;
      if (!best || inMs < best.inMs || (inMs === best.inMs && timer.order < best.timer.order)) best = { timer, inMs };
    }
    return best;
  }
}

/** Lets everything that needs no more than a few turns of the event loop happen. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setTimeout(resolve, 0));
}
