import type { JobTemplateSpec } from "kubernetes-types/batch/v1";
import type { ObjectReference } from "kubernetes-types/core/v1";
import type { KubeObject } from "../../kube/object.ts";
import type { ExtraSpec } from "./spec_fields.ts";

/** A CronJob of any flavour. What only the CRD knows is optional everywhere. */
export interface CronJobObject extends KubeObject {
  spec: CronJobSpec;
  status?: CronJobStatus;
}

export type ConcurrencyPolicy = "Allow" | "Forbid" | "Replace" | "Queue";

/** Times are RFC 3339 text, as on the wire. */
export interface CronJobSpec extends ExtraSpec {
  schedule: string;
  timeZone?: string | null;
  startingDeadlineSeconds?: number | null;
  concurrencyPolicy?: ConcurrencyPolicy;
  suspend?: boolean | null;
  jobTemplate: JobTemplateSpec;
  successfulJobsHistoryLimit?: number | null;
  failedJobsHistoryLimit?: number | null;
}

export interface CronJobStatus extends ExtraStatus {
  active?: ObjectReference[];
  lastScheduleTime?: string | null;
  lastSuccessfulTime?: string | null;
}

/** How many runs the status records. */
export const RECENT_RUNS = 10;

/** The fields that our CRD adds to the tutorial's status. */
export interface ExtraStatus {
  nextScheduleTime?: string;
  /** The same for people: `Sat 2026-11-21 02:00 Europe/Berlin`. */
  nextRun?: string;
  lastFailureTime?: string;
  /** The schedule as last seen, and since when it holds: no run from before `since` is started. */
  schedule?: ObservedSchedule;
  counts?: RunCounts;
  /** Newest first. */
  recentRuns?: RunRecord[];
  /** Scheduled times up to the last that were not started; oldest first. */
  passedOver?: PassedOver[];
  /** With `catchUp: All`: what waits to start one after the other. */
  waiting?: PassedOver[];
  /** The newest value of the trigger annotation that has been answered. */
  lastTrigger?: string;
  /** The run that waits for an active one to end, under the policy Queue. */
  queuedScheduleTime?: string;
  observedGeneration?: number;
  conditions?: Condition[];
  /** Kept where `pauseAfterFailures` asks for it. */
  failuresInARow?: FailuresInARow;
  /** Kept where `failedJobs: KeepUntilSuccess` asks for it; the last to end first. */
  failedRuns?: FailedRun[];
  /** How long the recorded runs took. */
  durations?: RunDurations;
  /** Of the last request to run what lies in the past. */
  backfill?: BackfillStatus;
}

/** How far a back-fill has come. */
export interface BackfillStatus {
  id: string;
  state: "Running" | "Completed" | "Cancelled" | "Refused";
  from: string;
  to: string;
  reverse?: boolean;
  startTime: string;
  endTime?: string;
  /** How many scheduled times it is about. */
  slots: number;
  succeeded: number;
  failed: number;
  /** Jobs that were gone before they were seen to end. */
  gone: number;
  /** Scheduled times that had run before. */
  skipped: number;
  /** The last scheduled time, in its order, that was started or passed over. */
  cursor?: string;
  active?: { scheduledTime: string; jobName: string; uid: string }[];
  message?: string;
}

/** Runs that failed in a row, and what was counted of them. */
export interface FailuresInARow {
  count: number;
  /** The Jobs that were counted last, newest first. */
  counted?: { endTime: string; jobName: string }[];
  /** Since when the schedule is paused for them. */
  pausedSince?: string;
  /** The mark that it was paused with: it goes on when that changes. */
  pausedWith?: string;
  /** When it was last followed again. */
  resumedAt?: string;
}

/** Of the recorded runs that ended. */
export interface RunDurations {
  runs: number;
  p50Seconds: number;
  p95Seconds: number;
}

export interface ObservedSchedule {
  text: string;
  timeZone?: string;
  /** A digest of the exclusions; absent for none. */
  exclude?: string;
  since: string;
  /** Where there are several: each as last seen, and since when it holds. `text` then has all of them. */
  entries?: ObservedEntry[];
}

export interface ObservedEntry {
  text: string;
  timeZone?: string;
  since: string;
}

/** The scheduled times between two instants, both excluded. */
export interface PassedOver {
  after: string;
  before: string;
}

export interface RunCounts {
  succeeded: number;
  failed: number;
  /** Scheduled times that passed while no controller ran, or outside their deadline. */
  missed: number;
  /** Scheduled times that the concurrency policy refused. */
  skipped: number;
  consecutiveFailures: number;
}

export type RunOutcome = "Running" | "Succeeded" | "Failed" | "Waiting" | "Skipped" | "Missed" | "Deleted";
export type RunTrigger = "Schedule" | "Manual" | "Backfill";

export interface RunRecord {
  scheduledTime?: string;
  trigger: RunTrigger;
  startTime?: string;
  endTime?: string;
  outcome: RunOutcome;
  reason?: string;
  /** The Job's message about its failure. */
  message?: string;
  jobName?: string;
}

/** A failed run, with all that its Job and its Pods said of it: the Job may go. */
export interface FailedRun extends RunRecord {
  jobUid: string;
  terminated: PodEnd;
}

/** How the last container of a failed run ended, as its Pod said it. Empty where the Job had no Pod left. */
export interface PodEnd {
  container?: string;
  exitCode?: number;
  reason?: string;
  /** The termination message, or what was said of the whole Pod. */
  message?: string;
}

export interface Condition {
  type: string;
  status: "True" | "False" | "Unknown";
  reason: string;
  message: string;
  lastTransitionTime: string;
  observedGeneration?: number;
}
