import type { EpochMs } from "../base/epoch_ms.ts";
import type { CronJobEdit } from "./api/cron_job_edit.ts";
import type { Child } from "./api/job.ts";
import type { CronJobStatus } from "./api/types.ts";
import type { HandOver } from "./decision/hand_overs.ts";
import type { PlannedEvent } from "./status/events.ts";
import type { CronJobReport } from "./status/report.ts";
import type { RunRequest, ScheduledRun } from "./decision/run_request.ts";

/** The work on one CronJob: start a run, or, where none is to be started, everything else. */
export type Plan = StartPlan | SettlePlan;

/** Whatever comes of it, decide again on the input with its result. */
export interface StartPlan {
  readonly kind: "start";
  readonly request: RunRequest;
  /** Active Jobs whose deletion must have been accepted before. */
  readonly replaces: readonly Child[];
  /**
   * Written before anything else: without it runs of `replaces` would start again, and others that were missed would be
   * forgotten. And what it says then.
   */
  readonly recordFirst?: RecordPlan | undefined;
  /** Said once the Job exists. */
  readonly events: readonly PlannedEvent[];
  /** Whether it was missed, so that others may go first. */
  readonly isCatchUp: boolean;
  /** When the next run starts. */
  readonly nextInstant?: EpochMs | undefined;
}

/** A record of a decision, with the Events and the counts that follow its write. */
export type RecordPlan = Pick<SettlePlan, "records" | "events" | "decidedUntil" | "report">;

/** Carried out from top to bottom; that makes an interruption at any point harmless. */
export interface SettlePlan {
  readonly kind: "settle";
  /** Jobs whose owner reference has to say something else of `controller`, before anything else is written. */
  readonly handOvers: readonly HandOver[];
  readonly records: Records;
  /** Hands the CronJob back, if present: once all else is written. */
  readonly release?: CronJobEdit | undefined;
  readonly events: readonly PlannedEvent[];
  /** Names of Jobs that are wanted, and could not be created just now. */
  readonly refusedJobs: readonly string[];
  /** The newest scheduled time that this plan refuses, or finds started. */
  readonly decidedUntil?: EpochMs | undefined;
  /** Whether a time that is still to come was started: a clock was ahead. */
  readonly clockWentBack: boolean;
  /** The report to metrics, notifications and the log. */
  readonly report: CronJobReport;
  /** Failed Jobs of which it is to be read how their Pods ended, before anything is written: decide again then. */
  readonly unread: readonly Child[];
  /** Finished Jobs that history has no room for, and failed ones that a success has answered. */
  readonly deletions: readonly Child[];
  /** Jobs that fail, as their Pods did not start in time. */
  readonly timeouts: readonly Timeout[];
  /** When to decide again if nothing changes before. */
  readonly requeueAt?: EpochMs | undefined;
  /** Whether to decide again at once: what is recorded now lets more be done. */
  readonly again: boolean;
  /** The run that comes next, if nothing changes before. */
  readonly nextRun?: NextRun | undefined;
}

/** The records of a decision. */
export interface Records {
  /** Written if present. */
  readonly status?: CronJobStatus | undefined;
  /** Written if present; changes nothing but these. */
  readonly annotations?: Readonly<Record<string, string | null>> | undefined;
}

export interface Timeout {
  readonly child: Child;
  readonly timeoutMs: number;
}

/** A run that is known ahead of its time. It starts in `[startsAt, startsBefore)`; outside, everything is decided anew. */
export interface NextRun {
  readonly request: ScheduledRun;
  readonly startsAt: EpochMs;
  /** When the run after it starts, or its own deadline has passed. */
  readonly startsBefore: EpochMs;
  readonly followingAt: EpochMs | undefined;
  /** It starts if fewer Jobs are active by then; Infinity where none can hold it back. */
  readonly maxActive: number;
}
