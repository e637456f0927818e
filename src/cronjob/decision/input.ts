import type { EpochMs } from "../../base/epoch_ms.ts";
import type { CronJob } from "../api/cron_job.ts";
import type { Child } from "../api/job.ts";
import type { Stretch } from "../api/types.ts";
import type { PodEnd, RecordLost } from "../api/types.ts";
import type { RunRequest } from "./run_request.ts";

/** All that a decision about one CronJob rests on. Nothing in it changes once it is made. */
export interface DecisionInput {
  readonly cronJob: CronJob;
  /** Every Job of it: those in the cache, and those that the cache does not show yet. */
  readonly jobs: readonly Child[];
  readonly now: EpochMs;
  /** Absent: this process knows nothing but what the objects say. */
  readonly facts?: DecisionFacts;
  /** UIDs of Jobs that this controller deleted. */
  readonly deleted?: ReadonlySet<string>;
  /** Runs whose Job's name is taken by a Job of another owner: they count as run, and get no Job. */
  readonly taken?: readonly RunRequest[];
  /** Creations that were refused lately, by the name of the Job. */
  readonly refusals?: ReadonlyMap<string, Refusal>;
  /** How long a Job may wait for its Pods to start where its CronJob says nothing of it; absent: for ever. */
  readonly defaultPendingTimeoutMs?: number | undefined;
  /** Absent where no Job may keep its name taken. */
  readonly neverTwice?: NeverTwice | undefined;
  /** Absent where they are not looked at. */
  readonly pods?: PodKnowledge | undefined;
  /** Absent where it can't be read how Pods ended. */
  readonly ends?: PodEnds | undefined;
  /** Whether the next run is kept in an annotation where the status has no room for it. */
  readonly annotateNextRun?: boolean | undefined;
}

/** The knowledge of this process that no object says. All of it may be forgotten without harm. */
export interface DecisionFacts {
  /** The newest scheduled time that is known to have its Job, or to have had it. */
  readonly startedUntil?: EpochMs | undefined;
  /**
   * The scheduled times that were started, or found to have their Job, since the last status was written; `TooMany` to
   * remember each.
   */
  readonly started?: ReadonlySet<EpochMs> | "TooMany" | undefined;
  /** The newest scheduled time that was started from the line of missed runs: all before it in line had their turn. */
  readonly caughtUpUntil?: EpochMs;
  /** The line that this process recorded last, and with which last start: a restored API server has forgotten it. */
  readonly recorded?:
    | { readonly lastScheduleTime: EpochMs | undefined; readonly waiting: readonly Stretch[] }
    | undefined;
  /** Whether the wall clock was seen to have been ahead of what it says now. */
  readonly clockWentBack?: boolean;
  /** Triggers that are known to have, or to have had, their Job. */
  readonly triggers?: ReadonlySet<string>;
  /** Runs of the past that are known to have, or to have had, their Job: their `backfilledKey`. */
  readonly backfilled?: ReadonlySet<string>;
  /** Names that a run of the past can't have: another Job has them, which may be going away. */
  readonly takenNames?: ReadonlySet<string>;
  /** The newest scheduled time that was started or visibly refused. */
  readonly decidedUntil?: EpochMs | undefined;
  /** Whether the API server refused the last record: a run that is due starts without it. */
  readonly isUnrecordable?: boolean | undefined;
  /** When the schedule or its zone was seen to change. */
  readonly editedAt?: EpochMs | undefined;
  /** When a pause was seen to end. */
  readonly resumedAt?: EpochMs | undefined;
  /** The value of `controller` that owner references were given, by UID of the Job, as far as the cache is behind that. */
  readonly handedOver?: ReadonlyMap<string, boolean | "unknown"> | undefined;
  /** The sign that another controller runs the CronJob as well. */
  readonly rival?: string | undefined;
  /** The API server was found to have forgotten records. */
  readonly lost?: RecordLost | undefined;
}

/** Absent where no Job carries the finalizer: this controller may not take it away. */
export interface NeverTwice {
  /** Whether CronJobs that say nothing about it ask for it. */
  readonly byDefault: boolean;
}

/** The Pods of active Jobs as this process has seen them, by the Job's UID. */
export interface PodKnowledge {
  /** The answer of the API server when a Job was last to be ended, if it did not allow that. */
  readonly forbidden?: string | undefined;
  /** Jobs of which a Pod was ready, or ended. */
  readonly started: ReadonlySet<string>;
  /** Jobs that are being ended as their Pods never started. */
  readonly timedOut: ReadonlySet<string>;
  readonly watchedSince: ReadonlyMap<string, EpochMs>;
}

/** How the Pods of failed Jobs ended, as far as this process has read it. */
export interface PodEnds {
  /** By the Job's UID. */
  readonly known: ReadonlyMap<string, PodEnd>;
  /** When to read again what could not be read. */
  readonly retryAt?: EpochMs;
}

export interface Refusal {
  readonly message: string;
  /** When the first was refused of those in a row. */
  readonly since: EpochMs;
  /** The Job may exist all the same; until that is known, nothing else is started. */
  readonly isUncertain?: boolean;
}
