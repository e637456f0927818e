import type { JobTemplateSpec } from "kubernetes-types/batch/v1";
import type { ObjectReference } from "kubernetes-types/core/v1";
import type { KubeObject } from "../../kube/object.ts";
import type { Instants, ValueOf } from "./schema.ts";
import type { ExtraSpec } from "./spec_fields.ts";
import type { STATUS_FIELDS } from "./status_fields.ts";

/** A CronJob of any flavour. Fields that only the CRD has are optional everywhere. */
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

/** The fields that only our CRD has are optional, as Kubernetes' own fields are. */
export interface CronJobStatus extends Omit<StatusFields, "active" | "lastScheduleTime" | "lastSuccessfulTime"> {
  active?: ObjectReference[];
  lastScheduleTime?: string | null;
  lastSuccessfulTime?: string | null;
}

type StatusFields = { [Name in keyof typeof STATUS_FIELDS]?: ValueOf<typeof STATUS_FIELDS[Name]> };
type Item<Name extends keyof StatusFields> = NonNullable<StatusFields[Name]> extends readonly (infer Of)[] ? Of : never;

/** How many runs the status records. */
export const RECENT_RUNS = 10;

export type RunRecord = Item<"recentRuns">;
export type RunOutcome = RunRecord["outcome"];
export type RunTrigger = RunRecord["trigger"];
/** A failed run, with all that its Job and its Pods said of it: the Job may go. */
export type FailedRun = Item<"failedRuns">;
/** How the last container of a failed run ended, as its Pod said it. Empty where the Job had no Pod left. */
export type PodEnd = FailedRun["terminated"];
export type RunCounts = NonNullable<StatusFields["counts"]>;
/** How long the recorded runs took that ended. */
export type RunDurations = NonNullable<StatusFields["durations"]>;
export type ObservedSchedule = NonNullable<StatusFields["schedule"]>;
export type ObservedEntry = NonNullable<ObservedSchedule["entries"]>[number];
export type PassedOver = Item<"passedOver">;
/** The scheduled times between two instants, both excluded. */
export type Stretch = Instants<PassedOver>;
/** Runs that failed in a row: each Job counts once, whatever dies meanwhile. */
export type FailureRecord = Instants<NonNullable<StatusFields["failuresInARow"]>>;
/** The API server was found to have forgotten records of a CronJob with `neverTwice`: nothing starts until a user resumes it. */
export type RecordLost = Instants<NonNullable<StatusFields["recordLost"]>>;
/** How far a back-fill has come. */
export type BackfillStatus = NonNullable<StatusFields["backfill"]>;
export type Condition = Item<"conditions">;
