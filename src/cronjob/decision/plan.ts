import type { DeepReadonly, Unstored } from "../../kube/object.ts";
import type { Job } from "../../kube/resource.ts";
import type { EpochMs } from "../../schedule/epoch_ms.ts";
import type { CronJobApi } from "../api/flavour.ts";
import type { CronJobEdit } from "../adoption/adoption_edits.ts";
import type { Child } from "../api/job.ts";
import type { PlannedEvent } from "../status/events.ts";
import type { Occasion } from "./job_template.ts";
import type { CronJobReport } from "../status/report.ts";
import type { CronJobObject, CronJobStatus } from "../api/types.ts";

/** All that a decision about one CronJob rests on. */
export interface World {
  readonly api: CronJobApi;
  readonly cronJob: DeepReadonly<CronJobObject>;
  /** Every Job of it: those in the cache, and those that the cache has yet to show. */
  readonly jobs: readonly DeepReadonly<Job>[];
  readonly now: EpochMs;
  readonly memory?: Memory;
  /** UIDs of Jobs that this controller deleted. */
  readonly deleted?: ReadonlySet<string>;
  /** Names of due Jobs that somebody else's Jobs were found to have. */
  readonly taken?: ReadonlySet<string>;
  /** The creation that this very pass tried in vain. */
  readonly refusal?: Refusal;
  readonly annotateNextRun?: boolean;
}

/** What this process knows and no object tells. All of it may be forgotten without harm. */
export interface Memory {
  /** The newest scheduled time that is known to have its Job, or to have had it. */
  readonly startedUntil?: EpochMs;
  /** Triggers that are known to have, or to have had, their Job. */
  readonly triggers?: ReadonlySet<string>;
  /** The newest scheduled time that was started or visibly refused. */
  readonly decidedUntil?: EpochMs;
  /** When the schedule or its zone was seen to change. */
  readonly editedAt?: EpochMs;
  /** When a pause was seen to end. */
  readonly resumedAt?: EpochMs;
  /** What owner references have been made to say of `controller`, by UID of the Job, as far as the cache is behind that. */
  readonly handedOver?: ReadonlyMap<string, boolean | "unknown">;
}

export interface Refusal {
  readonly jobName: string;
  readonly message: string;
  /** The Job may exist all the same; until that is known, nothing else is started. */
  readonly isUncertain?: boolean;
}

/** What is to be done, in the order in which it is harmless to be interrupted: top to bottom. */
export interface Plan {
  /** The Job to create now. Whatever comes of it, decide again on the world with its result before going on. */
  readonly creation?: Creation;
  /** Jobs whose owner reference has to say something else of `controller`, before anything else is written. */
  readonly handOvers: readonly HandOver[];
  /** Written if present. */
  readonly status?: CronJobStatus;
  /** Written if present; changes nothing but these. */
  readonly annotations?: Readonly<Record<string, string | null>>;
  /** Gives the CronJob back, if present: once all else is written. */
  readonly release?: CronJobEdit;
  /** Finished Jobs that history has no room for. */
  readonly deletions: readonly Child[];
  readonly events: readonly PlannedEvent[];
  /** When to look again if nothing changes before. */
  readonly requeueAt?: EpochMs;
  /** The newest scheduled time that this plan starts or refuses, for the memory. */
  readonly decidedUntil?: EpochMs;
  /** For metrics. */
  readonly report: CronJobReport;
}

export interface HandOver {
  readonly child: Child;
  readonly controller: boolean;
}

export interface Creation {
  readonly job: Unstored<Job>;
  readonly occasion: Occasion;
  /** Active Jobs whose deletion must have been accepted before. */
  readonly replaces: readonly Child[];
}
