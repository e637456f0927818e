import type { Child } from "../api/job.ts";

/** Oldest first, as the history limits count: by start, those not started last, then by name. */
export function oldestFirst(jobs: readonly Child[]): readonly Child[] {
  return jobs.length < 2 ? jobs : jobs.toSorted(byStart);
}

function byStart(a: Child, b: Child): number {
  const start = (a.startTime ?? Infinity) - (b.startTime ?? Infinity);
  return start || (a.metadata.name < b.metadata.name ? -1 : 1);
}
