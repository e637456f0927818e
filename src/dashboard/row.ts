import type { CronJobView, RunView } from "../view/cron_job_view.ts";
import { durationMs, timeOf } from "../view/runs.ts";
import type { Row, RowRun } from "./wire.ts";

/** As many as a picture in a row shows. */
const SHOWN_RUNS = 10;

export function rowOf(id: string, { lastRuns, ...view }: CronJobView): Row {
  return { id, ...view, lastRuns: lastRuns.slice(0, SHOWN_RUNS).map(rowRunOf) };
}

export function rowRunOf(run: RunView): RowRun {
  const { outcome, trigger, reason, job, startedAt } = run;
  return {
    at: startedAt ?? timeOf(run),
    outcome,
    ms: durationMs(run),
    ...trigger === "Schedule" ? {} : { trigger },
    reason,
    job,
  };
}
