import { type DoneRuns, type RefusalReason, type Run, type Span, visitRuns } from "./runs.ts";

/** The fates of scheduled times in a span. */
export interface Outcomes {
  /** How many runs start. */
  readonly runs: number;
  /** How many start later than they should, as others held them back; and by how much at most. */
  readonly late: number;
  readonly latestSeconds: number;
  /** How many are ended for a later one. */
  readonly replaced: number;
  /** How many scheduled times get no Job, by reason. */
  readonly skipped: Readonly<Partial<Record<RefusalReason, number>>>;
}

/** @param offsetMs how long after its scheduled time each run starts */
export function outcomesOf(done: DoneRuns, { from, to }: Span, offsetMs: number): Outcomes {
  const starting: Run[] = [];
  visitRuns(done, (run) => {
    if (run.startsAt >= from && run.startsAt < to) starting.push(run);
  });
  const delays = starting.map(({ scheduledTime = Infinity, startsAt }) => startsAt - scheduledTime - offsetMs)
    .filter((delayMs) => delayMs > 0);
  const skipped: Partial<Record<RefusalReason, number>> = {};
  for (const { scheduledTime, reason } of done.refused) {
    if (scheduledTime >= from && scheduledTime < to) skipped[reason] = (skipped[reason] ?? 0) + 1;
  }
  return {
    runs: starting.length,
    late: delays.length,
    latestSeconds: delays.reduce((latest, delayMs) => Math.max(latest, delayMs), 0) / 1_000,
    replaced: starting.filter(({ isReplaced }) => isReplaced).length,
    skipped,
  };
}

/** Returns the outcomes of CronJobs together. */
export function totalOf(all: readonly Outcomes[]): Omit<Outcomes, "latestSeconds"> {
  const sum = (of: "runs" | "late" | "replaced") => all.reduce((sum, one) => sum + one[of], 0);
  const skipped: Partial<Record<RefusalReason, number>> = {};
  for (const [reason, count] of all.flatMap((one) => Object.entries(one.skipped) as [RefusalReason, number][])) {
    skipped[reason] = (skipped[reason] ?? 0) + count;
  }
  return { runs: sum("runs"), late: sum("late"), replaced: sum("replaced"), skipped };
}
