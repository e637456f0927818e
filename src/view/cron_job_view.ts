import type { PodEnd, RunDurations, RunTrigger } from "../cronjob/api/types.ts";
import type { CronJobName } from "../cronjob/observer.ts";
import type { Runner } from "./runner.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import type { DeepReadonly } from "../kube/object.ts";

/** How a CronJob is, worst first. */
export const STATES = [
  "Contested",
  "Invalid",
  "Stopped",
  "Blocked",
  "Failing",
  "Overdue",
  "Pending",
  "Late",
  "Slow",
  "Stale",
  "Suspicious",
  "Missed",
  "Paused",
  "Suspended",
  "Running",
  "Waiting",
  "Ended",
] as const;

export type State = (typeof STATES)[number];

/** States that a user should look at, once a run is held back or missed for long. */
export const NEEDS_ATTENTION: readonly State[] = STATES.slice(0, STATES.indexOf("Missed") + 1);

/** The possible runners of a CronJob, as a {@linkcode Runner} names them. */
export const RUNNERS = ["cronjob-controller", "kube-controller-manager", "none", "contested"] as const;

/** One CronJob as people see it. */
export interface CronJobView extends CronJobName {
  readonly schedule: string;
  /** The zone whose wall clock counts. */
  readonly zone: string;
  readonly state: State;
  /** Whether a user should look at it. */
  readonly needsAttention: boolean;
  /** Since when it is in that state; undefined where it is not known. */
  readonly since: EpochMs | undefined;
  /** Why it is in that state; undefined where there is nothing to say. */
  readonly cause: Cause | undefined;
  /** Names of Jobs that have not ended, oldest first. */
  readonly active: readonly string[];
  /** Newest first. */
  readonly lastRuns: readonly RunView[];
  /** When a run last succeeded. */
  readonly lastSuccess: EpochMs | undefined;
  readonly failuresInARow: FailuresView;
  readonly nextRun: NextRunView | undefined;
  /** Of the runs that are known. */
  readonly durations: RunDurations | undefined;
  /** Remedies for a user, the first one first. */
  readonly actions: readonly Action[];
  /** The controller that runs it; undefined where that was not read. */
  readonly runner: Runner | undefined;
  /** Notes on its annotations: those that are ignored, or have no effect. */
  readonly notes: readonly string[];
}

export interface Cause {
  /** One word in CamelCase that programs can go by. */
  readonly reason: string;
  readonly message: string;
  /** The Job that it is about. */
  readonly job?: string;
}

/** Of a run `Unknown` means that its Job is gone and no record says how it ended. */
export type RunViewOutcome =
  | "Running"
  | "Pending"
  | "Succeeded"
  | "Failed"
  | "Waiting"
  | "Skipped"
  | "Missed"
  | "Unknown";

/** The requester of a run that no schedule started. */
export const TRIGGERS: Readonly<Record<Exclude<RunTrigger, "Schedule">, string>> = {
  Manual: "by hand",
  Backfill: "by a back-fill",
};

export interface RunView {
  /** Undefined for a run by hand. */
  readonly scheduledTime: EpochMs | undefined;
  readonly trigger: RunTrigger;
  readonly outcome: RunViewOutcome;
  readonly reason: string | undefined;
  /** The detail of a failure, as its Job says it. */
  readonly message?: string | undefined;
  readonly job: string | undefined;
  /** How the last container of a failed run ended whose Job `failedJobs: KeepUntilSuccess` has removed. */
  readonly terminated?: DeepReadonly<PodEnd>;
  readonly startedAt: EpochMs | undefined;
  readonly endedAt: EpochMs | undefined;
}

export interface FailuresView {
  readonly count: number;
  /** Whether there may have been more, whose Jobs are gone. */
  readonly atLeast: boolean;
}

/** The next run; or why only a controller that has been running for long knows it. */
export type NextRunView = KnownNextRun | { readonly kind: "unknown"; readonly message: string };

/** A scheduled time to come, and when its run starts: after a pause, or spread, that is later. */
export interface PlannedRun {
  readonly scheduledTime: EpochMs;
  readonly startsAt: EpochMs;
}

export interface KnownNextRun extends PlannedRun {
  readonly kind: "known";
  /** Its fate if the active runs are still active then. */
  readonly expected: "Start" | "Wait" | "Replace";
  /** How many older runs come first, where any does. */
  readonly behind?: number;
}

/** An action for a user. */
export type Action =
  | { readonly do: "DeleteJob"; readonly job: string }
  | { readonly do: "UnsuspendJob"; readonly job: string }
  | { readonly do: "ReadLogs"; readonly job: string }
  | { readonly do: "Wait"; readonly job: string }
  | { readonly do: "RunNow" }
  | { readonly do: "Resume"; readonly by?: string | undefined }
  | { readonly do: "EndPauseInSpec" }
  | { readonly do: "CorrectPause" }
  | { readonly do: "CorrectManaged" }
  | { readonly do: "ResumeHalted" }
  | { readonly do: "Unsuspend"; readonly in: "spec" | "annotation" }
  | { readonly do: "SuspendInSpec" }
  | { readonly do: "Release" }
  | { readonly do: "CorrectSpec" }
  | { readonly do: "CorrectImage" }
  | { readonly do: "LetJobBeCreated" }
  | { readonly do: "CreateMissing" }
  | { readonly do: "SetPendingTimeout" }
  | { readonly do: "SetStartingDeadline" }
  | { readonly do: "LookAtController" };
