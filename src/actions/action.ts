import type { CronJobEdit } from "../cronjob/api/cron_job_edit.ts";
import type { CronJob } from "../cronjob/api/cron_job.ts";
import type { Unstored } from "../kube/object.ts";
import type { Job } from "../kube/resource.ts";

/** A change that a user makes to CronJobs. It is planned again on a newer version, so that it never undoes others' changes. */
export interface CronJobAction {
  /** The field manager of its edits: each purpose has its own, so that `managedFields` shows when it was last served. */
  readonly fieldManager: string;
  readonly plan: (cronJob: CronJob) => ActionPlan;
}

/** The plan of an action for one CronJob. The message goes on after the name, and says what has been done. */
export type ActionPlan =
  | { readonly kind: "edit"; readonly edit: CronJobEdit; readonly message: string; readonly job?: string }
  | { readonly kind: "create"; readonly job: Unstored<Job>; readonly message: string }
  /** The CronJob is as it was asked for. */
  | { readonly kind: "unchanged"; readonly message: string }
  /** The CronJob belongs to another, no run of it can start, or an earlier request is unanswered: the others are done. */
  | { readonly kind: "left"; readonly message: string }
  /** The action cannot be done to this CronJob: nothing is done to the others either. */
  | { readonly kind: "refused"; readonly message: string };

/** The outcome of an action on one CronJob. */
export interface Outcome {
  readonly cronJob: CronJob;
  readonly result: "done" | "unchanged" | "left" | "failed";
  readonly message: string;
  /** The Job that it starts; `undefined` where it starts none, or none that has a name yet. */
  readonly job?: string | undefined;
}
