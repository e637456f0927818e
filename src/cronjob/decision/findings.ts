import type { EpochMs } from "../../base/epoch_ms.ts";
import type { Schedule } from "../../schedule/schedule.ts";
import type { BackfillProgress } from "../api/backfill.ts";
import type { FailureRecord } from "../api/types.ts";
import type { Child } from "../api/job.ts";
import type { ConditionReason, WarningReason } from "../api/reasons.ts";
import type { ObservedPart } from "../api/observed_schedules.ts";
import type { Stretch } from "../api/types.ts";
import type { ObservedSchedule, RecordLost } from "../api/types.ts";
import type { FailedJobs } from "./failed_jobs.ts";
import type { DecisionInput } from "./input.ts";
import type { RecordedLast } from "./recorded_times.ts";
import type { PendingJobs } from "./pending_timeout.ts";
import type { BackfillRun, ManualRun, RunRequest, ScheduledRun } from "./run_request.ts";

/** The findings that a decision rests on, step by step. */
export interface Findings {
  readonly input: DecisionInput;
  /** All, oldest first. */
  readonly jobs: readonly Child[];
  /** Jobs of the schedule and by hand, oldest first. */
  readonly children: readonly Child[];
  /** Finished Jobs that history has no room for, and failed ones that a success has answered. */
  readonly deletions: readonly Child[];
  readonly start: StartPoint;
  /** Undefined where no pause after them is asked for. */
  readonly failures: FailureRecord | undefined;
  readonly failedJobs: FailedJobs;
  /** Jobs whose Pods never started. */
  readonly pending: PendingJobs;
  readonly block: Block | undefined;
  readonly due: DueTimes;
  readonly obstacle: Obstacle | undefined;
  /** The expectations of runs that are not met. */
  readonly expectations: ExpectationFindings;
  readonly scheduled: Admission<ScheduledRun>;
  readonly manual: Admission<ManualRun>;
  readonly backfill: BackfillFindings;
}

/** An expectation of the spec that a run does not meet. The same run fails to meet it once. */
export interface Breach {
  readonly kind: "Late" | "Slow" | "Stale" | "Suspicious";
  /** The scheduled time of the run; of `Stale` the last success, or the begin of the schedule. */
  readonly time: EpochMs;
  /** Since when it is certain. */
  readonly since: EpochMs;
  readonly message: string;
  /** The Job of the run. */
  readonly job?: string;
}

export interface ExpectationFindings {
  /** For each kind of expectation the newest run that can be judged by now, where it does not meet it. */
  readonly breaches: readonly Breach[];
  /** When the next breach may become certain. */
  readonly nextAt: EpochMs | undefined;
  /** The succeeded Job whose termination message is still to be read. */
  readonly unread: readonly Child[];
}

/**
 * From when on the schedule counts.
 *
 * ```
 *   creation   edit, resume, startTime   last scheduled time          now
 *      |------------------|-----------------------|--------------------|
 *                       floor                   after  ··· due times ···
 * ```
 */
export interface StartPoint {
  /** The newest scheduled time that has, or had, its Job. Runs that a clock too far ahead started may lie after now. */
  readonly lastScheduleTime: EpochMs | undefined;
  /** The record of it in the status. */
  readonly recorded: RecordedLast;
  /** Whether the last scheduled time is still to come, by more than clocks differ. */
  readonly isAhead: boolean;
  /** Whether a clock was ahead of what it says now, so that what was passed over may come again. */
  readonly clockWentBack: boolean;
  /** Scheduled times up to the last that were not started. */
  readonly passedOver: readonly Stretch[];
  /** Where times may be started: the stretch that now is in, or that comes next, and those after it; the last has no end. */
  readonly open: readonly [OpenStretch, ...OpenStretch[]];
  /** With `catchUp: All`: what is recorded as waiting, less what has been started since. */
  readonly waiting: readonly OpenStretch[];
  /** Times that are recorded as waiting, and wait no longer, as `catchUp` is no longer `All`. */
  readonly dropped: readonly OpenStretch[];
  /** Where it counted from when the status was written: what has been started since is on that grid too. */
  readonly recordedAnchor: EpochMs;
  /** The same for times of the past: what started counts before it is recorded, as it will be with what is decided by it. */
  readonly pastAnchor: EpochMs;
  /** No scheduled time at or before it counts, whatever has been started since. */
  readonly floor: EpochMs;
  /** Undefined where it can't be followed. Of several each counts from when it holds. */
  readonly schedule: Schedule | undefined;
  /** For `status.schedule`. */
  readonly observed: ObservedSchedule;
  /** Each schedule, and since when it holds. */
  readonly parts: readonly ObservedPart[];
}

/** A stretch of time whose scheduled times were not started. */
export interface OpenStretch extends Stretch {
  /** Where an `@every` schedule counts from. */
  readonly anchor: EpochMs;
}

/** The scheduled times that `catchUp: All` starts one after the other. */
export interface Line {
  /** The runs that wait while the first starts; the oldest comes first. */
  readonly stretches: readonly OpenStretch[];
  /** The runs that wait while the first is held back. */
  readonly held: readonly OpenStretch[];
  /** Runs that a clock recorded which was ahead: their times are still to come. */
  readonly later: readonly OpenStretch[];
  /** How many that are. */
  readonly count: number;
  /** The one to start first. */
  readonly first: EpochMs | undefined;
  /** Whether the first has just come: it starts at its time, as far as the policy allows, whatever else waits. */
  readonly isPunctual: boolean;
  /** Whether what waits is recorded before the first starts, as a later decision would not find the same again. */
  readonly mustRecord: boolean;
}

/** Why the schedule is not followed just now. */
export type Block = (Fault | { readonly reason: ConditionReason<"Ready">; readonly isFault?: false }) & {
  readonly message: string;
  /** Nothing is started at all, not even by hand. */
  readonly isTotal?: boolean;
  /** When it ends by itself. */
  readonly until?: EpochMs | undefined;
  /** The record of it, while the API server has forgotten others. */
  readonly lost?: RecordLost;
};

/** A block that its author has to end. */
interface Fault {
  readonly reason: ConditionReason<"Ready"> & WarningReason;
  readonly isFault: true;
  /** When it began, where it comes and goes without a change of the spec. */
  readonly since?: EpochMs;
}

/** Why no run can ever start, although the schedule is followed. */
export interface Obstacle {
  readonly reason: "NoScheduledTime" | "Excluded" | "NoTimeToStart" | "SpreadTooLong";
  readonly message: string;
}

/** The missed and the next run, and what they were looked for with. */
export interface DueTimes {
  /** The scheduled time to start now, if the concurrency policy lets it. */
  readonly due: EpochMs | undefined;
  /** With `catchUp: All`: what is to be started, `due` included. */
  readonly line: Line | undefined;
  /** The newest scheduled time that has come. */
  readonly latest: EpochMs | undefined;
  /** The newest scheduled time, where none can be started any more. */
  readonly tooLate: EpochMs | undefined;
  /** More than 100 were missed. */
  readonly tooMany: boolean;
  /** The next one to come. */
  readonly next: EpochMs | undefined;
  /** As {@linkcode Findings.start}, or from a change of the spec on where counting starts anew with that. */
  readonly start: StartPoint;
  /** Bound to its anchor; undefined where the schedule is not followed. */
  readonly schedule: Schedule | undefined;
  /** So many runs were missed that none is started before the spec changes. */
  readonly stopped: boolean;
  /** Everything at or before it had been started or visibly refused before this decision. */
  readonly decidedUntil: EpochMs;
  /** How long after its scheduled time a run starts. */
  readonly offsetMs: number;
}

/** The fate of a request to run. */
export type Admission<Of extends RunRequest = RunRequest> =
  | { readonly kind: "none" }
  /** Its Job exists. */
  | { readonly kind: "done"; readonly request: Of }
  | { readonly kind: "start"; readonly request: Of; readonly replaces: readonly Child[] }
  /** The concurrency policy refuses a run by hand. */
  | { readonly kind: "skip"; readonly request: Of; readonly message: string }
  | Wait & { readonly request: Of }
  /** Its Job could not be created just now. */
  | { readonly kind: "failed"; readonly request: Of; readonly message: string; readonly since: EpochMs };

/** A run starts when an active one has ended, unless a later time takes its place. */
export interface Wait {
  readonly kind: "wait";
  readonly reason: "JobAlreadyActive" | "JobQueued";
  /** Oldest first. */
  readonly by: readonly Child[];
  /** The setting that lets no more runs be active at once. */
  readonly rule: string;
  /** Whether a later time takes its place. */
  readonly mayBeOvertaken: boolean;
}

/** The fate of a request for runs of the past. */
export interface BackfillFindings {
  /** To be recorded; undefined where nothing ever was. */
  readonly progress: BackfillProgress | undefined;
  /** The run that starts now. */
  readonly request: BackfillRun | undefined;
  /** The run whose Job could not be created just now. */
  readonly refused: BackfillRun | undefined;
  /** Whether to go on with it at once. */
  readonly goesOn: boolean;
  readonly news: readonly BackfillNews[];
}

/** A change of a back-fill that its author hears of. */
export type BackfillNews =
  | { readonly kind: "started" | "ended"; readonly progress: BackfillProgress }
  | { readonly kind: "problem"; readonly message: string };
