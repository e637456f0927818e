import type { EpochMs } from "../../base/epoch_ms.ts";
import type { CronJob } from "../api/cron_job.ts";

/** A time of the schedule asks for a run. */
export interface ScheduledRun {
  readonly trigger: "Schedule";
  readonly scheduledTime: EpochMs;
  /** The one of several schedules that asks for it, where its Job is to know. */
  readonly scheduleName?: string | undefined;
}

/** A person asks for a run, by a new value of the trigger annotation. */
export interface ManualRun {
  readonly trigger: "Manual";
  readonly id: string;
  readonly at: EpochMs;
}

/** A person asks for a run of a scheduled time of the past. */
export interface BackfillRun {
  readonly trigger: "Backfill";
  /** The request's. */
  readonly id: string;
  readonly scheduledTime: EpochMs;
  readonly jobName: string;
  /** When the back-fill began. */
  readonly since: EpochMs;
}

/** Returns the run that the trigger annotation asks for, until the request has been answered. */
export function pendingTrigger(
  { cronJob, now }: { readonly cronJob: CronJob; readonly now: EpochMs },
): ManualRun | undefined {
  const id = cronJob.requestedTrigger;
  return !id || id === cronJob.answeredTrigger ? undefined : { trigger: "Manual", id, at: now };
}

/** Returns what distinguishes a run of the past from others. */
export function backfilledKey({ id, since, scheduledTime }: Omit<BackfillRun, "trigger" | "jobName">): string {
  return `${id} ${since} ${scheduledTime}`;
}

export type RunRequest = ScheduledRun | ManualRun | BackfillRun;

/** Returns the time of the schedule that a run is started for when it comes; undefined for what a person asks for. */
export function scheduledTimeOf(request: RunRequest): EpochMs | undefined {
  return request.trigger === "Schedule" ? request.scheduledTime : undefined;
}
