const MODES = ["Indexed", "NonIndexed"] as const;
const RESULTS = ["succeeded", "failed"] as const;
const ACTIONS = ["reconciling", "tracking", "pods_created", "pods_deleted"] as const;
export type SyncAction = (typeof ACTIONS)[number];
const FAILURES = ["BackoffLimitExceeded", "DeadlineExceeded", "PodFailurePolicy"] as const;
const INDEX_FAILURES = ["FailedIndexes", "MaxFailedIndexesExceeded"] as const;
const CREATIONS = ["new", "recreate_terminating_or_failed", "recreate_failed"] as const;

/** The labels of a sync, with all their values. */
export const SYNC = { completion_mode: MODES, result: ["success", "error"], action: ACTIONS };

export interface Family {
  readonly help: string;
  /** Its labels, with the values that are known: it begins at 0 for these, so that the first of a kind is seen as a rise. */
  readonly known: readonly [Labels, ...Labels[]];
}

export type Labels = Readonly<Record<string, readonly string[]>>;

/** The counters of the Job controller, under the names of kube-controller-manager. */
export const COUNTERS = {
  job_syncs_total: { help: "The number of job syncs", known: [SYNC] },
  jobs_finished_total: {
    help: "The number of finished jobs",
    known: [
      { completion_mode: MODES, result: ["failed"], reason: FAILURES },
      { completion_mode: ["Indexed"], result: ["failed"], reason: INDEX_FAILURES },
      { completion_mode: MODES, result: ["succeeded"], reason: ["CompletionsReached"] },
      { completion_mode: ["Indexed"], result: ["succeeded"], reason: ["SuccessPolicy"] },
    ],
  },
  job_pods_finished_total: {
    help: "The number of finished Pods that are fully tracked",
    known: [{ completion_mode: MODES, result: RESULTS }],
  },
  job_finished_indexes_total: {
    help: "The number of finished indexes",
    known: [{ status: RESULTS, backoffLimit: ["perIndex", "global"] }],
  },
  pod_failures_handled_by_failure_policy_total: {
    help: "The number of failed Pods handled by failure policy, by the action of the rule that matched",
    known: [{ action: ["FailJob", "Ignore", "Count", "FailIndex"] }],
  },
  job_pods_creation_total: {
    help: "The number of Pods created by the Job controller",
    known: [{ reason: CREATIONS, status: RESULTS }],
  },
  terminated_pods_tracking_finalizer_total: {
    help: "The number of terminated pods that have the finalizer batch.kubernetes.io/job-tracking",
    known: [{ event: ["add", "delete"] }],
  },
  jobs_by_external_controller_total: {
    help: "The number of Jobs managed by an external controller",
    known: [{ controller_name: [] }],
  },
} satisfies Record<string, Family>;

/** The labels of a family, each with its value. */
type LabelsOf<Of extends Labels> = Readonly<Record<keyof Of & string, string>>;

/** The reports of the Job controller for metrics. */
export interface JobObserver {
  /** Counts so many more, or one. */
  count?<Name extends keyof typeof COUNTERS>(
    name: Name,
    labels: LabelsOf<(typeof COUNTERS)[Name]["known"][0]>,
    count?: number,
  ): void;
  synced?(labels: LabelsOf<typeof SYNC>, seconds: number): void;
}
