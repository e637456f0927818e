import type { Findings } from "../cronjob/decision/findings.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import { indexOf, type RegularRuns } from "./runs.ts";
import type { TimesOfSchedules } from "./times.ts";

/** Returns whether nothing is under decision, and from this instant on only the schedule and the active Jobs decide. */
export function isSteady({ block, due, start, scheduled, manual, backfill }: Findings): boolean {
  const isIdle = ({ kind }: { kind: string }) => kind === "none" || kind === "done";
  return block === undefined && !due.stopped && due.schedule !== undefined && due.next !== undefined &&
    start.open.length === 1 && start.dropped.length === 0 && scheduled.kind === "none" && isIdle(manual) &&
    backfill.progress?.state !== "Running";
}

export interface RegularRunsOptions {
  readonly to: EpochMs;
  readonly times: TimesOfSchedules;
  readonly durationMs: number;
  /** When the Jobs end that are active before. */
  readonly ends: readonly EpochMs[];
}

/** Returns the runs of a steady CronJob, each at its time; undefined where one of them finds no room. */
export function regularRuns(
  { input: { cronJob: { settings, flavour } }, due: { schedule, next, offsetMs } }: Findings,
  { to, times, durationMs, ends }: RegularRunsOptions,
): RegularRuns | undefined {
  const { endTime = Infinity, maxActive } = settings;
  const found = times.from(schedule!, next!, flavour.nameUnitSeconds * 1_000);
  const end = indexOf(found.times, Math.min(to - offsetMs, endTime + 1));
  const runs = { ...found, end, offsetMs, durationMs };
  return maxActive < Infinity && isCrowded(runs, ends, maxActive) ? undefined : runs;
}

/** Returns whether as many are active at one of the times as may be. */
function isCrowded(
  { times, first, end, offsetMs, durationMs }: RegularRuns,
  ends: readonly EpochMs[],
  maxActive: number,
): boolean {
  // The oldest of these runs that is still active.
  let oldest = first;
  for (let i = first; i < end; i++) {
    const time = times[i]!;
    while (times[oldest]! + durationMs <= time) oldest++;
    const before = ends.filter((endsAt) => endsAt > time + offsetMs).length;
    if (i - oldest + before >= maxActive) return true;
  }
  return false;
}
