import type { EpochMs } from "../base/epoch_ms.ts";
import type { Schedule } from "./schedule.ts";

/** Returns whether there are more than so many runs in `(since, now]`. */
export function missedMoreThan(limit: number, schedule: Schedule, since: EpochMs, now: EpochMs): boolean {
  let count = 0;
  for (const _ of schedule.between(since, now)) if (++count > limit) return true;
  return false;
}

/** Returns the latest run in `(since, now]`; undefined where there is none. */
export function latestMissed(schedule: Schedule, since: EpochMs, now: EpochMs): EpochMs | undefined {
  if (now <= since) return undefined;
  const latest = schedule.previous(now + 1);
  return latest !== undefined && latest > since ? latest : undefined;
}
