import { RECENT_RUNS } from "../cronjob/api/types.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import type { Look } from "./look.ts";
import { isOfSchedule, timeOf } from "./runs.ts";

/**
 * Returns since when every run of a CronJob is known by its Jobs and its status: some earlier Jobs may be deleted by the history
 * limits, or by a time to live. Undefined where not even the last run is known.
 */
export function knownSince({ input: { cronJob, jobs, now }, runs }: Look): EpochMs | undefined {
  const { object, settings, flavour, status, recorded, createdAt = -Infinity } = cronJob;
  if (flavour.openStatus) {
    const records = status.recentRuns?.length ?? 0;
    return records < RECENT_RUNS ? createdAt : Math.max(createdAt, timeOf(runs[Math.min(records, runs.length) - 1]!));
  }
  // A Job that a time to live or a user has deleted may be that of the last run.
  const newest = runs.find(isOfSchedule);
  const { lastScheduleTime = -Infinity } = recorded;
  if (lastScheduleTime > (newest ? timeOf(newest) : -Infinity)) return undefined;
  const oldestOf = (state: "succeeded" | "failed", limit: number | undefined) => {
    const ended = jobs.filter((job) => job.state === state);
    if (limit === undefined || ended.length < limit) return -Infinity;
    return Math.min(Infinity, ...ended.map(({ scheduledTime, createdAt = Infinity }) => scheduledTime ?? createdAt));
  };
  const { successfulLimit, failedLimit } = settings;
  const ttlSeconds = object.spec.jobTemplate?.spec?.ttlSecondsAfterFinished ?? Infinity;
  const oldest = [oldestOf("succeeded", successfulLimit), oldestOf("failed", failedLimit)];
  const since = Math.max(createdAt, now - ttlSeconds * 1000, ...oldest);
  return since === Infinity ? undefined : since;
}
