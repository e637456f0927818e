import { type DoneRuns, type RefusalReason, type Run, type Span, visitRuns } from "./runs.ts";

/** The fates of a CronJob's scheduled times in a span. */
export interface Outcomes {
  /** How many runs start. */
  readonly runs: number;
  /** How many start later than they should, as others held them back; and by how much at most. */
  readonly late: number;
  readonly latestMs: number;
  /** How many are ended for a later one. */
  readonly replaced: number;
  /** How many scheduled times get no Job. */
  readonly refused: Readonly<Partial<Record<RefusalReason, number>>>;
}

export const NO_OUTCOMES: Outcomes = { runs: 0, late: 0, latestMs: 0, replaced: 0, refused: {} };

/** @param offsetMs how long after its scheduled time each run starts */
export function outcomesOf(done: DoneRuns, { from, to }: Span, offsetMs: number): Outcomes {
  const starting: Run[] = [];
  visitRuns(done, (run) => {
    if (run.startsAt >= from && run.startsAt < to) starting.push(run);
  });
  const delays = starting.map(({ scheduledTime = Infinity, startsAt }) => startsAt - scheduledTime - offsetMs)
    .filter((delayMs) => delayMs > 0);
  const refused: Partial<Record<RefusalReason, number>> = {};
  for (const { scheduledTime, reason } of done.refused) {
    if (scheduledTime >= from && scheduledTime < to) refused[reason] = (refused[reason] ?? 0) + 1;
  }
  return {
    runs: starting.length,
    late: delays.length,
    latestMs: delays.reduce((latest, delayMs) => Math.max(latest, delayMs), 0),
    replaced: starting.filter(({ isReplaced }) => isReplaced).length,
    refused,
  };
}

/** Returns the outcomes of two CronJobs together. */
export function sum(a: Outcomes, b: Outcomes): Outcomes {
  const refused = { ...a.refused };
  for (const [reason, count] of Object.entries(b.refused) as [RefusalReason, number][]) {
    refused[reason] = (refused[reason] ?? 0) + count;
  }
  return {
    runs: a.runs + b.runs,
    late: a.late + b.late,
    latestMs: Math.max(a.latestMs, b.latestMs),
    replaced: a.replaced + b.replaced,
    refused,
  };
}
