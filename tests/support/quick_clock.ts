import type { EpochMs } from "../../src/base/epoch_ms.ts";
import { FakeClock } from "./fake_clock.ts";

/**
 * A fake clock for code that waits for promises alone, never for the event loop: quick enough for a randomised test to
 * run it thousands of times.
 */
export class QuickClock extends FakeClock {
  constructor(start: EpochMs = 0) {
    super(start, turns);
  }

  /** Whole milliseconds, as timers have: a sum of fractions could end just before its time, and for ever. */
  override sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return super.sleep(Math.ceil(delayMs), signal);
  }
}

/** Lets promises settle. */
export async function turns(): Promise<void> {
  for (let turn = 0; turn < 30; turn++) await Promise.resolve();
}
