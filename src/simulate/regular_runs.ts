import type { CronJob } from "../cronjob/api/cron_job.ts";
import type { DueTimes } from "../cronjob/decision/findings.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import { indexOf, type RegularRuns } from "./runs.ts";
import type { TimesOfSchedules } from "./times.ts";

export interface FoundRuns {
  readonly runs: RegularRuns;
  /** When a run is due and as many are active as may be; undefined where that does not come. */
  readonly crowdedAt: EpochMs | undefined;
  /** The last of the runs: those that are active then. */
  readonly active: readonly { readonly scheduledTime: EpochMs; readonly startsAt: EpochMs }[];
}

export interface RegularRunsOptions {
  readonly to: EpochMs;
  readonly times: TimesOfSchedules;
  readonly durationMs: number;
  /** When the Jobs end that are active before. */
  readonly ends: readonly EpochMs[];
}

/** Finds the runs up to the first that finds no room, where only the schedule decides: each starts at its time. */
export function regularRuns(
  { settings, flavour }: CronJob,
  { schedule, next, offsetMs }: DueTimes,
  { to, times, durationMs, ends }: RegularRunsOptions,
): FoundRuns {
  const { endTime = Infinity, maxActive } = settings;
  const found = times.from(schedule!, next!, flavour.nameUnitSeconds * 1_000);
  const end = indexOf(found.times, Math.min(to - offsetMs, endTime + 1));
  const runs = { ...found, end, offsetMs, durationMs };
  const crowded = maxActive === Infinity ? undefined : firstCrowded(runs, ends, maxActive);
  if (crowded === undefined) return { runs, crowdedAt: undefined, active: [] };
  const uncrowded = { ...runs, end: crowded };
  const crowdedAt = found.times[crowded]! + offsetMs;
  return { runs: uncrowded, crowdedAt, active: activeAt(crowdedAt, uncrowded) };
}

/** Returns the first time at which as many are active as may be. */
function firstCrowded(
  { times, first, end, offsetMs, durationMs }: RegularRuns,
  ends: readonly EpochMs[],
  maxActive: number,
): number | undefined {
  // The oldest of these runs that is still active.
  let oldest = first;
  for (let i = first; i < end; i++) {
    const time = times[i]!;
    while (times[oldest]! + durationMs <= time) oldest++;
    const before = ends.length === 0 ? 0 : ends.filter((endsAt) => endsAt > time + offsetMs).length;
    if (i - oldest + before >= maxActive) return i;
  }
  return undefined;
}

function activeAt(now: EpochMs, { times, first, end, offsetMs, durationMs }: RegularRuns): FoundRuns["active"] {
  const from = Math.max(first, indexOf(times, now - offsetMs - durationMs + 1));
  return Array.from({ length: Math.max(0, end - from) }, (_, i) => times[from + i]!)
    .map((scheduledTime) => ({ scheduledTime, startsAt: scheduledTime + offsetMs }));
}
