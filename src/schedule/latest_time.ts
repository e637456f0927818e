import type { EpochMs } from "../base/epoch_ms.ts";
import type { Schedule } from "./schedule.ts";

/** Returns the latest run in `(since, now]`; undefined where there is none. */
export function latestTime(schedule: Schedule, since: EpochMs, now: EpochMs): EpochMs | undefined {
  const latest = schedule.previous(now + 1);
  return latest !== undefined && latest > since ? latest : undefined;
}
