import type { EpochMs } from "./epoch_ms.ts";

/**
 * The only door to time. Nothing else in `src/` reads a clock or sets a timer, so that tests can drive time by hand.
 */
export interface Clock {
  /** Wall-clock time. It can jump, in both directions. */
  now(): EpochMs;
  /** Milliseconds that only ever rise, at the speed of real time; their origin means nothing. */
  monotonic(): number;
  /** Resolves after `delayMs`; rejects with `signal.reason` as soon as `signal` is aborted. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
  /**
   * Calls `fn` once the wall clock reads `at` or later, however far away that is and however the clock jumps meanwhile
   * (seen within {@linkcode WALL_CLOCK_CHECK_MS}). Disposing of the result cancels it. Never calls `fn` synchronously.
   */
  schedule(at: EpochMs, fn: () => void): Disposable;
}

/**
 * How often a waiting timer compares itself with the wall clock. This bounds the delay after the clock jumped or the
 * machine woke up, and keeps every native timer far below the 2^31-1 ms beyond which JavaScript timers fire at once.
 */
export const WALL_CLOCK_CHECK_MS = 2_000;

/** The machine's own clock. */
export class SystemClock implements Clock {
  now(): EpochMs {
    return Date.now();
  }

  monotonic(): number {
    return performance.now();
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const end = this.monotonic() + delayMs;
      let timer: ReturnType<typeof setTimeout>;
      const wait = () => {
        const leftMs = end - this.monotonic();
        if (leftMs > 0) {
          timer = setTimeout(wait, Math.min(leftMs, 2 ** 31 - 1));
          return;
        }
        signal?.removeEventListener("abort", abort);
        resolve();
      };
      const abort = () => {
        clearTimeout(timer);
        reject(signal!.reason);
      };
      signal?.addEventListener("abort", abort, { once: true });
      timer = setTimeout(wait, Math.min(Math.max(0, delayMs), 2 ** 31 - 1));
    });
  }

  schedule(at: EpochMs, fn: () => void): Disposable {
    let timer: ReturnType<typeof setTimeout>;
    const check = () => {
      const leftMs = at - this.now();
      if (leftMs <= 0) return fn();
      timer = setTimeout(check, Math.min(leftMs, WALL_CLOCK_CHECK_MS));
    };
    timer = setTimeout(check, Math.min(Math.max(0, at - this.now()), WALL_CLOCK_CHECK_MS));
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  }
}

/** Calls `fn` after a length of time, however the wall clock is set meanwhile. Disposing of the result cancels it. */
export function after(clock: Pick<Clock, "sleep">, delayMs: number, fn: () => void): Disposable {
  const cancelled = new AbortController();
  clock.sleep(Math.max(0, delayMs), cancelled.signal).then(fn, () => {/* cancelled */});
  return { [Symbol.dispose]: () => cancelled.abort() };
}

/** Resolves to whether `work` ends within a length of time; later work is not cancelled. Rejects if `work` rejects in time. */
export async function endsWithin(
  clock: Pick<Clock, "sleep">,
  delayMs: number,
  work: Promise<unknown>,
): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  using _timer = after(clock, delayMs, () => late.resolve(false));
  return await Promise.race([work.then(() => true), late.promise]);
}

/** Resolves when what had arrived at the program by now has been read. It takes no time that a clock would measure. */
export async function arrivalsRead(): Promise<void> {
  // A timer may run before the reads of its turn.
  for (let turn = 0; turn < 2; turn++) await new Promise<void>((resolve) => setTimeout(resolve, 0));
}
