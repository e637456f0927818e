import type { Clock } from "../base/clock.ts";
import type { Runnable } from "./runnable.ts";

type CollectGarbage = (options: { readonly type: "major"; readonly flavor: "last-resort" }) => void;

/** A collection takes some 3 ms for each MB in use. With this rest, collections take a four-hundredth of the time. */
const REST_MS_FOR_MB = 1_200;
const MB = 1_000_000;
const MINUTE_MS = 60_000;
/** Most runs are due as a minute begins: no collection runs within this time before and after it. */
const MARGIN_MS = 3_000;

/** The growth of the heap since the last collection that is worth another. */
const WORTHWHILE_BYTES = 2 * MB;

/** The end of the rest after the last collection, on the monotonic clock. */
let restsUntil = -Infinity;
/** The bytes in use after the last collection. */
let leftInUse = -Infinity;

/**
 * Collects garbage, and gives its memory back to the system. The program stands still meanwhile, so it rests afterwards: half a
 * minute with a small heap, ten minutes with 500 MB. No collection runs about the beginning of a minute, nor while the heap has
 * hardly grown. Does nothing where V8 was not started with `--expose-gc`.
 *
 * @param inUse returns the bytes of V8's heap that are in use
 */
export function releaseMemory(clock: Clock, inUse: () => number = () => Deno.memoryUsage().heapUsed): void {
  const { gc } = globalThis as { gc?: CollectGarbage };
  const now = clock.monotonic();
  if (!gc || untilQuietMs(clock.now()) > 0 || now < restsUntil || inUse() < leftInUse + WORTHWHILE_BYTES) return;
  gc({ type: "major", flavor: "last-resort" });
  leftInUse = inUse();
  restsUntil = now + REST_MS_FOR_MB * leftInUse / MB;
}

/** Returns the milliseconds until no minute begins soon, nor has just begun. */
function untilQuietMs(now: number): number {
  const ofMinute = (now + MARGIN_MS) % MINUTE_MS;
  return ofMinute > 2 * MARGIN_MS ? 0 : 2 * MARGIN_MS - ofMinute + 1;
}

/** The time between two attempts, a little longer where a minute begins then. */
const EVERY_MS = 15_000;

/** Returns the part that collects the garbage of the start, and from time to time later garbage. */
export function memoryRelease(clock: Clock, inUse?: () => number): Runnable {
  return {
    name: "memory release",
    async run(signal) {
      while (!signal.aborted) {
        await clock.sleep(EVERY_MS + untilQuietMs(clock.now() + EVERY_MS), signal).catch(() => {});
        if (!signal.aborted) releaseMemory(clock, inUse);
      }
    },
  };
}
