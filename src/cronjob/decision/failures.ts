import { COUNTED_JOBS, type CountedJob, type FailureRecord } from "../api/failure_record.ts";
import type { Child } from "../api/job.ts";
import type { DecisionInput } from "./input.ts";

const NOTHING_COUNTED: FailureRecord = { count: 0, counted: [], paused: undefined };

/**
 * Counts the runs that failed in a row, by their ends, and pauses the schedule at as many as are allowed. A success, by
 * hand too, or a change of what the schedule was paused with begins anew. Returns undefined where nothing asks for it.
 */
export function countFailures(
  { cronJob, now }: DecisionInput,
  children: readonly Child[],
): FailureRecord | undefined {
  const { settings: { pauseAfterFailures: limit }, resumeMark: mark, recordedFailures } = cronJob;
  if (limit === undefined) return undefined;
  const before = recordedFailures ?? NOTHING_COUNTED;
  const isResumed = before.paused !== undefined && before.paused.mark !== mark;
  let { count, paused } = isResumed ? NOTHING_COUNTED : before;
  const ended = children.filter(({ state }) => state !== "active").map(endOf)
    .filter((end) => !isCounted(end, before.counted)).sort(byEnd);
  for (const { state } of ended) {
    // What had failed when somebody resumed it was mended.
    if (isResumed) break;
    count = state === "failed" ? count + 1 : 0;
    if (count === 0) paused = undefined;
    else if (count >= limit) paused ??= { since: now, mark };
  }
  if (ended.length === 0) return { count, counted: before.counted, paused };
  const counted = [...ended.map(({ endTime, name }) => ({ endTime, name })), ...before.counted];
  return { count, counted: counted.sort(byEnd).reverse().slice(0, COUNTED_JOBS), paused };
}

function endOf({ state, endTime, createdAt, metadata: { name } }: Child): CountedJob & Pick<Child, "state"> {
  // Times are recorded in whole seconds.
  return { state, name, endTime: Math.floor((endTime ?? createdAt ?? 0) / 1_000) * 1_000 };
}

/** Whether it is among the Jobs that were counted, or older than all of so many. */
function isCounted(end: CountedJob, counted: readonly CountedJob[]): boolean {
  const oldest = counted[COUNTED_JOBS - 1];
  return counted.some(({ name }) => name === end.name) || (oldest !== undefined && byEnd(end, oldest) <= 0);
}

function byEnd(a: CountedJob, b: CountedJob): number {
  return a.endTime - b.endTime || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
}
