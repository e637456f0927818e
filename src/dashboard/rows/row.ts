import { lastingBackfillId } from "../../actions/backfill.ts";
import type { CronJob } from "../../cronjob/api/cron_job.ts";
import { type PauseNote, readPauseNote } from "../../cronjob/api/pause.ts";
import type { CronJobView, RunView } from "../../view/cron_job_view.ts";
import { durationMs, timeOf } from "../../view/runs.ts";
import type { BackfillOfRow, Row, RowRun } from "../wire.ts";

/** As many as a picture in a row shows. */
const SHOWN_RUNS = 10;

/** Returns what a line of the list shows; its ID is the UID, so that a namesake that is made again is another row. */
export function rowOf(cronJob: CronJob, { lastRuns, ...view }: CronJobView): Row {
  return {
    id: cronJob.metadata.uid,
    ...view,
    labels: cronJob.metadata.labels,
    pause: view.state === "Paused" || view.state === "Suspended" ? pauseOf(cronJob) : undefined,
    backfill: backfillOf(cronJob),
    lastRuns: lastRuns.slice(0, SHOWN_RUNS).map(rowRunOf),
  };
}

function pauseOf({ object }: CronJob): PauseNote | undefined {
  const reading = readPauseNote(object);
  return reading.kind === "note" ? reading.note : undefined;
}

/** Returns how far the back-fill has come that goes on; undefined where none does. */
function backfillOf(cronJob: CronJob): BackfillOfRow | undefined {
  const id = lastingBackfillId(cronJob);
  if (id === undefined) return undefined;
  const { recordedBackfill: recorded } = cronJob;
  if (recorded?.id !== id) return { id, done: 0 };
  const { succeeded, failed, gone, skipped, slots, active } = recorded;
  return { id, done: succeeded + failed + gone + skipped, of: slots, failed, active: active.length };
}

/** Returns a run as a row has it; a run on schedule leaves its trigger out. */
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
