import type { Child } from "../api/job.ts";
import type { FailureRecord } from "../api/types.ts";
import type { DecisionInput } from "./input.ts";

type CountedJob = NonNullable<FailureRecord["counted"]>[number];

/** How many counted Jobs are recorded; what ended before all of these counts as counted. */
const COUNTED_JOBS = 20;

/**
 * Counts the runs that failed in a row, by their ends, and pauses the schedule at as many as are allowed. A success, by
 * hand too, or a change of what the schedule was paused with begins anew. Returns undefined where nothing asks for it.
 */
export function countFailures({ cronJob, now }: DecisionInput, children: readonly Child[]): FailureRecord | undefined {
  const { pauseAfterFailures: limit } = cronJob.settings;
  if (limit === undefined) return undefined;
  const { recordedFailures: before, resumeMark: mark, recorded } = cronJob;
  const isResumed = before?.pausedSince !== undefined && before.pausedWith !== mark;
  let count = isResumed ? 0 : before?.count ?? 0;
  let pausedSince = isResumed ? undefined : before?.pausedSince;
  let resumedAt = isResumed ? now : before?.resumedAt;
  const known = before?.counted ?? [];
  const ended = children.filter(({ state }) => state !== "active").map(endOf).sort(byEnd)
    .filter((end) => !isCounted(end, known, now));
  for (const { state, endTime } of ended) {
    // Failures before it was resumed count as mended; failures before a success that was seen count no longer.
    if (isResumed || (!before && endTime <= (recorded.lastSuccessfulTime ?? -Infinity))) continue;
    count = state === "failed" ? count + 1 : 0;
    if (count >= limit) pausedSince ??= now;
    else if (count === 0 && pausedSince !== undefined) [pausedSince, resumedAt] = [undefined, now];
  }
  const counted = [...ended.reverse().map(({ endTime, jobName }) => ({ endTime, jobName })), ...known];
  return {
    count,
    counted: ended.length === 0 ? known : counted.slice(0, COUNTED_JOBS),
    pausedSince,
    pausedWith: pausedSince === undefined ? undefined : mark,
    resumedAt,
  };
}

function endOf({ state, endTime, createdAt, metadata: { name: jobName } }: Child): CountedJob & Pick<Child, "state"> {
  // Times are recorded in whole seconds.
  return { state, jobName, endTime: Math.floor((endTime ?? createdAt ?? 0) / 1_000) * 1_000 };
}

/** Returns whether it is among the Jobs that were counted, or older than all of so many. */
function isCounted(end: CountedJob, counted: readonly CountedJob[], now: number): boolean {
  if (counted.some(({ jobName, endTime }) => jobName === end.jobName && endTime === end.endTime)) return true;
  if (counted.length < COUNTED_JOBS) return false;
  // Times by a clock that was ahead are no measure.
  const oldest = counted.filter(({ endTime }) => endTime <= now).sort(byEnd)[0];
  return oldest !== undefined && byEnd(end, oldest) <= 0;
}

function byEnd(a: CountedJob, b: CountedJob): number {
  return a.endTime - b.endTime || (a.jobName < b.jobName ? -1 : a.jobName > b.jobName ? 1 : 0);
}
