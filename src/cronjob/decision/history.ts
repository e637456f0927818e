import type { BackfillProgress } from "../api/backfill.ts";
import { type Child, isGoingAway, isOfSchedule } from "../api/job.ts";
import type { Settings } from "../api/settings.ts";
import { jobsToCount } from "./backfill.ts";

/** Returns the finished Jobs beyond the history limits, oldest first. An absent limit keeps all. */
export function beyondHistory(settings: Settings, children: readonly Child[]): Child[] {
  return [
    ...oldest(children.filter(({ state }) => state === "succeeded"), settings.successfulLimit),
    ...oldest(children.filter(({ state }) => state === "failed"), settings.failedLimit),
  ];
}

/**
 * Returns the same of runs of the past, which take none of the schedule's places; those that are still to be counted
 * stay.
 */
export function beyondBackfillHistory(
  settings: Settings,
  jobs: readonly Child[],
  progress: BackfillProgress | undefined,
): Child[] {
  const past = jobs.filter((job) => !isOfSchedule(job));
  if (past.length === 0) return [];
  const toCount = jobsToCount(past, progress);
  return beyondHistory(settings, past.filter((job) => !toCount.has(job)));
}

/** Jobs that are going away already still take a place: their deletion is already under way. */
function oldest(finished: readonly Child[], limit: number | undefined): Child[] {
  if (limit === undefined) return [];
  return finished.slice(0, Math.max(0, finished.length - limit)).filter((child) => !isGoingAway(child));
}

/** Oldest first, as the history limits count: by start, those not started last, then by name. */
export function oldestFirst(jobs: readonly Child[]): readonly Child[] {
  return jobs.length < 2 ? jobs : jobs.toSorted(byStart);
}

function byStart(a: Child, b: Child): number {
  const start = (a.startTime ?? Infinity) - (b.startTime ?? Infinity);
  return start || (a.metadata.name < b.metadata.name ? -1 : 1);
}
