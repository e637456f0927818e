import { type EpochMs, formatTime } from "../base/epoch_ms.ts";
import type { CronJobView, NextRunView, RunView } from "./cron_job_view.ts";
import { durationMs } from "./runs.ts";

/** A view as programs read it: times are RFC 3339, durations seconds, and what is not known is absent. */
export function jsonOf(view: CronJobView) {
  const { since, lastRuns, lastSuccess, nextRun, ...rest } = view;
  return {
    ...rest,
    since: time(since),
    lastRuns: lastRuns.map(runJson),
    lastSuccess: time(lastSuccess),
    nextRun: nextRun && nextRunJson(nextRun),
  };
}

/** Returns a run as programs read it. */
export function runJson(run: RunView) {
  const { scheduledTime, startedAt, endedAt, ...rest } = run;
  const ms = durationMs(run);
  return {
    scheduledTime: time(scheduledTime),
    ...rest,
    startedAt: time(startedAt),
    endedAt: time(endedAt),
    durationSeconds: ms === undefined ? undefined : ms / 1_000,
  };
}

/** Returns the next run as programs read it. */
export function nextRunJson(next: NextRunView) {
  if (next.kind === "unknown") return next;
  return { ...next, scheduledTime: time(next.scheduledTime), startsAt: time(next.startsAt) };
}

function time(instant: EpochMs | undefined): string | undefined {
  return instant === undefined ? undefined : formatTime(instant);
}
