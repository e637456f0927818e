import type { Clock } from "../base/clock.ts";
import type { Runnable } from "./runnable.ts";

type CollectGarbage = (options: { readonly type: "major"; readonly flavor: "last-resort" }) => void;

/** It takes some 3 ms for each MB that is in use, and may take a four-hundredth of the time. */
const REST_MS_FOR_MB = 1_200;
const MB = 1_000_000;
const MINUTE_MS = 60_000;
/** Most runs are due as a minute begins: so long before and after it nothing stands still. */
const MARGIN_MS = 3_000;

/** It is not done for less garbage. */
const WORTHWHILE_BYTES = 2 * MB;

/** Before that it is not done again. */
let restsUntil = -Infinity;
/** How much was in use after the last time. */
let leftInUse = -Infinity;

/**
 * Gives what is no longer needed back to the system. All else stands still meanwhile: so the more is in use, the longer it is
 * left alone afterwards, half a minute for what a small program holds and ten minutes for 500 MB; and it is not done about
 * the beginning of a minute, nor by a program that rests. Does nothing where V8 was not started with `--expose-gc`.
 *
 * @param inUse how many bytes of V8's heap are in use
 */
export function releaseMemory(clock: Clock, inUse: () => number = () => Deno.memoryUsage().heapUsed): void {
  const { gc } = globalThis as { gc?: CollectGarbage };
  const now = clock.monotonic();
  if (!gc || untilQuiet(clock.now()) > 0 || now < restsUntil || inUse() < leftInUse + WORTHWHILE_BYTES) return;
  gc({ type: "major", flavor: "last-resort" });
  leftInUse = inUse();
  restsUntil = now + REST_MS_FOR_MB * leftInUse / MB;
}

/** How many milliseconds it is until no minute begins soon, nor has just begun. */
function untilQuiet(now: number): number {
  const ofMinute = (now + MARGIN_MS) % MINUTE_MS;
  return ofMinute > 2 * MARGIN_MS ? 0 : 2 * MARGIN_MS - ofMinute + 1;
}

/** How often it is tried, done or not: this long, or a little longer where a minute begins then. */
const EVERY_MS = 15_000;

/** Returns the part that gives back what the start has left behind, and from time to time what has become garbage since. */
export function memoryRelease(clock: Clock, inUse?: () => number): Runnable {
  return {
    name: "memory release",
    async run(signal) {
      while (!signal.aborted) {
        await clock.sleep(EVERY_MS + untilQuiet(clock.now() + EVERY_MS), signal).catch(() => {});
        if (!signal.aborted) releaseMemory(clock, inUse);
      }
    },
  };
}
