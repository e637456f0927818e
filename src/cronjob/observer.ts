import type { EpochMs } from "../base/epoch_ms.ts";
import type { Settings } from "./api/settings.ts";
import type { Breach } from "./decision/findings.ts";
import type { RunDurations, RunTrigger } from "./api/types.ts";

/** How much metrics show of single CronJobs: `essential` is what needs attention, the next run, and the last success. */
export const PER_CRON_JOB = ["none", "essential", "all"] as const;
export type PerCronJob = (typeof PER_CRON_JOB)[number];

export interface CronJobName {
  readonly apiVersion: string;
  readonly namespace: string;
  readonly name: string;
}

/** Returns the same text for the same CronJob alone: one of another API may have its name. */
export function keyOfName({ apiVersion, namespace, name }: CronJobName): string {
  return `${apiVersion} ${namespace}/${name}`;
}

/** Why a scheduled time got no Job: outside its deadline, passed over for a later one, or its Job's name was not free. */
export type MissedReason = "MissSchedule" | "PassedOver" | "JobNameTaken";

/** The outcome of a run, or of a scheduled time that the concurrency policy refused. */
export type RunOutcome = "Succeeded" | "Failed" | "Skipped";

/** The trigger of a run that is counted. Back-fills have metrics of their own. */
export type CountedTrigger = Exclude<RunTrigger, "Backfill">;

/** Why no run starts although nothing in the spec asks for that. */
export interface NotFollowed {
  /** Of the condition `Ready`, or `FailedCreate`. */
  readonly reason: string;
  readonly message: string;
}

/** How a CronJob stands after a decision about it. */
export interface CronJobState {
  readonly settings?: Pick<Settings, "schedule" | "timeZone" | "policy" | "suspended">;
  /** When the next run starts. */
  readonly nextRun?: EpochMs | undefined;
  readonly lastSchedule?: EpochMs | undefined;
  readonly lastSuccess?: EpochMs | undefined;
  readonly lastFailure?: EpochMs | undefined;
  /** Runs under way. */
  readonly active: number;
  /** A run that is due was not started. */
  readonly isOverdue: boolean;
  /** Where no status keeps count, those that are still there to be counted. */
  readonly consecutiveFailures: number;
  readonly notFollowed?: NotFollowed | undefined;
  /** The expectations of the spec that its newest runs do not meet. */
  readonly unmet?: readonly Breach["kind"][];
  /** How long its last runs took. */
  readonly durations?: RunDurations | undefined;
  /** Of a back-fill that is under way: scheduled times that are left, those that run among them, and runs that failed. */
  readonly backfill?: { readonly left: number; readonly failed: number } | undefined;
  /** Of an adopted one: whether kube-controller-manager runs it all the same, so that it is left alone. */
  readonly isContested?: boolean | undefined;
  /** The sign that another controller runs it as well. */
  readonly rival?: string | undefined;
}

/** The reports of the CronJob controllers for metrics. Called synchronously; must not throw. */
export interface CronJobObserver {
  /** The Job of a scheduled run was created, so long after the instant that its schedule and its spread give it. */
  jobCreated?(job: { skewSeconds: number }): void;
  /** A run ended, or the concurrency policy refused it. */
  run?(cronJob: CronJobName, run: { outcome: RunOutcome; trigger: CountedTrigger }): void;
  /** Scheduled times got no Job. */
  missed?(cronJob: CronJobName, missed: { reason: MissedReason; count: number }): void;
  looked?(cronJob: CronJobName, state: CronJobState): void;
  /** It was deleted: nothing is reported about it after this. */
  gone?(cronJob: CronJobName): void;
}
