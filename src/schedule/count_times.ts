import type { EpochMs } from "../base/epoch_ms.ts";

/** More times than this are not distinguished where they are looked at one by one. */
export const MOST_COUNTED = 10_000;

/** Returns how many times these are, {@linkcode MOST_COUNTED} for more. */
export function countTimes(times: Iterable<EpochMs>): number {
  let count = 0;
  for (const _ of times) if (++count === MOST_COUNTED) break;
  return count;
}
