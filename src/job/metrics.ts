import { Counter, Histogram, type Registry } from "prom-client";
import type { JobObserver } from "./observer.ts";

/** 4 ms, doubling, as upstream. */
const SYNC_SECONDS = Array.from({ length: 15 }, (_, i) => 0.004 * 2 ** i);

const MODES = ["Indexed", "NonIndexed"] as const;
const RESULTS = ["succeeded", "failed"] as const;
const ACTIONS = ["reconciling", "tracking", "pods_created", "pods_deleted"] as const;
const FAILURES = ["BackoffLimitExceeded", "DeadlineExceeded", "PodFailurePolicy"] as const;
const INDEX_FAILURES = ["FailedIndexes", "MaxFailedIndexesExceeded"] as const;
const CREATIONS = ["new", "recreate_terminating_or_failed", "recreate_failed"] as const;

/** The labels of a sync, with all their values. */
const SYNC = { completion_mode: MODES, result: ["success", "error"], action: ACTIONS };

interface Family {
  readonly help: string;
  /** Its labels, with the values that are known: it begins at 0 for these, so that the first of a kind is seen as a rise. */
  readonly known: readonly [Labels, ...Labels[]];
}

type Labels = Readonly<Record<string, readonly string[]>>;

const COUNTERS = {
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

/** The Job controller's metrics, under the names of kube-controller-manager. */
export class JobMetrics implements Required<JobObserver> {
  readonly #syncTime: Histogram;
  readonly #counters: ReadonlyMap<string, Counter>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#syncTime = new Histogram({
      name: "job_controller_job_sync_duration_seconds",
      help: "The time it took to sync a job",
      labelNames: Object.keys(SYNC),
      buckets: SYNC_SECONDS,
      registers,
    });
    for (const labels of combinations(SYNC)) this.#syncTime.zero(labels);
    this.#counters = new Map(
      Object.entries<Family>(COUNTERS).map(([name, { help, known }]) => {
        const labelNames = Object.keys(known[0]);
        const counter = new Counter({ name: `job_controller_${name}`, help, labelNames, registers });
        for (const labels of known.flatMap(combinations)) counter.inc(labels, 0);
        return [name, counter];
      }),
    );
  }

  #count(name: keyof typeof COUNTERS, labels: Record<string, string>, count = 1): void {
    this.#counters.get(name)!.inc(labels, count);
  }

  synced({ mode, result, action, seconds }: { mode: string; result: string; action: string; seconds: number }): void {
    const labels = { completion_mode: mode, result, action };
    this.#count("job_syncs_total", labels);
    this.#syncTime.observe(labels, seconds);
  }

  jobFinished({ mode, result, reason }: { mode: string; result: string; reason: string }): void {
    this.#count("jobs_finished_total", { completion_mode: mode, result, reason });
  }

  podsFinished({ mode, result, count }: { mode: string; result: string; count: number }): void {
    this.#count("job_pods_finished_total", { completion_mode: mode, result }, count);
  }

  indexesFinished({ status, backoffLimit, count }: { status: string; backoffLimit: string; count: number }): void {
    this.#count("job_finished_indexes_total", { status, backoffLimit }, count);
  }

  failureHandledByPolicy({ action }: { action: string }): void {
    this.#count("pod_failures_handled_by_failure_policy_total", { action });
  }

  podsCreated({ reason, status, count }: { reason: string; status: string; count: number }): void {
    this.#count("job_pods_creation_total", { reason, status }, count);
  }

  terminatedPodTracking({ event }: { event: string }): void {
    this.#count("terminated_pods_tracking_finalizer_total", { event });
  }

  jobByExternalController({ controllerName }: { controllerName: string }): void {
    this.#count("jobs_by_external_controller_total", { controller_name: controllerName });
  }
}

/** `{ a: ["1", "2"], b: ["3"] }` -> `{ a: "1", b: "3" }` and `{ a: "2", b: "3" }`. */
function combinations(values: Labels): Record<string, string>[] {
  let made: Record<string, string>[] = [{}];
  for (const [label, choices] of Object.entries(values)) {
    made = made.flatMap((labels) => choices.map((value) => ({ ...labels, [label]: value })));
  }
  return made;
}
