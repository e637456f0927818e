import type { FailureAction } from "./decision/pod_failure_policy.ts";

export type CompletionMode = "Indexed" | "NonIndexed";
export type SyncAction = "reconciling" | "tracking" | "pods_created" | "pods_deleted";

/** The reports of the Job controller for metrics; each method is named after the metric of kube-controller-manager. */
export interface JobObserver {
  /** `job_controller_job_syncs_total`, `job_controller_job_sync_duration_seconds` */
  synced?(sync: { mode: CompletionMode; result: "success" | "error"; action: SyncAction; seconds: number }): void;
  /** `job_controller_jobs_finished_total` */
  jobFinished?(job: { mode: CompletionMode; result: "succeeded" | "failed"; reason: string }): void;
  /** `job_controller_job_pods_finished_total` */
  podsFinished?(pods: { mode: CompletionMode; result: "succeeded" | "failed"; count: number }): void;
  /** `job_controller_job_finished_indexes_total` */
  indexesFinished?(
    indexes: { status: "succeeded" | "failed"; backoffLimit: "perIndex" | "global"; count: number },
  ): void;
  /** `job_controller_pod_failures_handled_by_failure_policy_total` */
  failureHandledByPolicy?(failure: { action: FailureAction }): void;
  /** `job_controller_job_pods_creation_total` */
  podsCreated?(
    pods: {
      reason: "new" | "recreate_terminating_or_failed" | "recreate_failed";
      status: "succeeded" | "failed";
      count: number;
    },
  ): void;
  /** `job_controller_terminated_pods_tracking_finalizer_total` */
  terminatedPodTracking?(change: { event: "add" | "delete" }): void;
  /** `job_controller_jobs_by_external_controller_total` */
  jobByExternalController?(job: { controllerName: string }): void;
}
