import type { EpochMs } from "../base/epoch_ms.ts";

/** More times than this are not distinguished where they are looked at one by one, unless the caller asks for that. */
export const MOST_COUNTED = 10_000;

/** Returns how many times these are, `most` for more. */
export function countTimes(times: Iterable<EpochMs>, most = MOST_COUNTED): number {
  let count = 0;
  for (const _ of times) if (++count === most) break;
  return count;
}
