import type { JobStatus } from "kubernetes-types/batch/v1";
import type { EpochMs } from "../../base/epoch_ms.ts";
import type { PodView } from "../api/pod_view.ts";

/**
 * The next step for a Job. After each step the decision is made again on what came of it, until there is nothing to do but
 * wait: first Pods are deleted or created, then the status is stored, then finalizers go (which the next status counts).
 */
export type Plan = RemovePlan | StopPlan | CreatePlan | StorePlan | UntrackPlan | WaitPlan;

/** Delete Pods that are not wanted any more; they are not counted. */
export interface RemovePlan {
  readonly kind: "remove";
  readonly pods: readonly PodView[];
  /** Whether they are too many because the Job has all its completions already. */
  readonly afterCompletion: boolean;
}

/** Delete the Pods of a Job that is over which still run; they are counted like the rest. */
export interface StopPlan {
  readonly kind: "stop";
  readonly pods: readonly PodView[];
}

export interface CreatePlan {
  readonly kind: "create";
  readonly pods: readonly NewPod[];
  /** Whether the Job has lost Pods before. */
  readonly again: boolean;
}

/** A Pod to create. */
export interface NewPod {
  /** The completion index, in an Indexed Job. */
  readonly index?: number;
  /** With a back-off limit per index: the failed Pod whose failure count it carries on. */
  readonly follows?: PodView | undefined;
}

export interface StorePlan {
  readonly kind: "store";
  readonly status: JobStatus;
  /** The news of the status, for Events and metrics. */
  readonly news: readonly StatusNews[];
}

export type StatusNews = "Suspended" | "Resumed" | "Complete" | "Failed";

/** Remove the tracking finalizer from Pods whose end is safe in the status. */
export interface UntrackPlan {
  readonly kind: "untrack";
  readonly pods: readonly PodView[];
}

/** Wait until something changes, or `until` has come. */
export interface WaitPlan {
  readonly kind: "wait";
  readonly until?: EpochMs | undefined;
}
