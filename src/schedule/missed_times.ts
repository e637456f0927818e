import { anchoredFrom } from "./anchored_from.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import type { Schedule } from "./schedule.ts";

/** More missed runs than this are not counted: one a minute for nineteen years. */
export const MISSED_COUNT_LIMIT = 10_000_000;

export interface MissedRuns {
  /** The latest run that was missed; undefined when none was. */
  readonly latest?: EpochMs;
  /** How many were missed, the latest included; never more than the limit. */
  readonly count: number;
  /** Whether there were more than `count` says. */
  readonly capped: boolean;
}

/**
 * Returns whether there are more than so many runs in `(since, now]`. An `@every` without an anchor counts from `since`.
 */
export function missedMoreThan(limit: number, schedule: Schedule, since: EpochMs, now: EpochMs): boolean {
  let count = 0;
  for (const _ of schedule.between(since, now)) if (++count > limit) return true;
  return false;
}

/**
 * Returns the latest run in `(since, now]`; undefined where there is none. An `@every` without an anchor counts from
 * `since`.
 */
export function latestMissed(schedule: Schedule, since: EpochMs, now: EpochMs): EpochMs | undefined {
  if (now <= since) return undefined;
  const latest = anchoredFrom(schedule, since).previous(now + 1);
  return latest !== undefined && latest > since ? latest : undefined;
}

/**
 * Returns the runs in `(since, now]`. Exact for any gap: the latest is searched backwards from `now`, and the others are
 * counted on the calendar without visiting them. (kube-controller-manager extrapolates from the distance of two runs, and
 * so loses runs of irregular schedules.) An `@every` without an anchor counts from `since`.
 */
export function missed(schedule: Schedule, since: EpochMs, now: EpochMs): MissedRuns {
  const latest = latestMissed(schedule, since, now);
  if (latest === undefined) return { count: 0, capped: false };
  const count = schedule.count(since, now);
  return { latest, count: Math.min(count, MISSED_COUNT_LIMIT), capped: count > MISSED_COUNT_LIMIT };
}
