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

/** The Job controller's metrics, under the names of kube-controller-manager. */
export class JobMetrics implements Required<JobObserver> {
  readonly #registers: Registry[];
  readonly #syncTime: Histogram;
  readonly #syncs: Counter;
  readonly #finished: Counter;
  readonly #podsFinished: Counter;
  readonly #indexesFinished: Counter;
  readonly #failuresHandled: Counter;
  readonly #podsCreated: Counter;
  readonly #tracking: Counter;
  readonly #external: Counter;

  constructor(registry: Registry) {
    this.#registers = [registry];
    const sync = ["completion_mode", "result", "action"];
    this.#syncTime = new Histogram({
      name: "job_controller_job_sync_duration_seconds",
      help: "The time it took to sync a job",
      labelNames: sync,
      buckets: SYNC_SECONDS,
      registers: this.#registers,
    });
    this.#syncs = this.#counter("job_syncs_total", "The number of job syncs", sync);
    this.#finished = this.#counter("jobs_finished_total", "The number of finished jobs", [
      "completion_mode",
      "result",
      "reason",
    ]);
    this.#podsFinished = this.#counter(
      "job_pods_finished_total",
      "The number of finished Pods that are fully tracked",
      [
        "completion_mode",
        "result",
      ],
    );
    this.#indexesFinished = this.#counter("job_finished_indexes_total", "The number of finished indexes", [
      "status",
      "backoffLimit",
    ]);
    this.#failuresHandled = this.#counter(
      "pod_failures_handled_by_failure_policy_total",
      "The number of failed Pods handled by failure policy, by the action of the rule that matched",
      ["action"],
    );
    this.#podsCreated = this.#counter("job_pods_creation_total", "The number of Pods created by the Job controller", [
      "reason",
      "status",
    ]);
    this.#tracking = this.#counter(
      "terminated_pods_tracking_finalizer_total",
      "The number of terminated pods that have the finalizer batch.kubernetes.io/job-tracking",
      ["event"],
    );
    this.#external = this.#counter(
      "jobs_by_external_controller_total",
      "The number of Jobs managed by an external controller",
      ["controller_name"],
    );
    this.#registerAtZero();
  }

  /** So that the first of a kind is seen as a rise: all label values but the names of other controllers are known. */
  #registerAtZero(): void {
    for (const labels of combinations({ completion_mode: MODES, result: ["success", "error"], action: ACTIONS })) {
      this.#syncs.inc(labels, 0);
      this.#syncTime.zero(labels);
    }
    const zero: [Counter, Record<string, readonly string[]>][] = [
      [this.#finished, { completion_mode: MODES, result: ["failed"], reason: FAILURES }],
      [this.#finished, { completion_mode: ["Indexed"], result: ["failed"], reason: INDEX_FAILURES }],
      [this.#finished, { completion_mode: MODES, result: ["succeeded"], reason: ["CompletionsReached"] }],
      [this.#finished, { completion_mode: ["Indexed"], result: ["succeeded"], reason: ["SuccessPolicy"] }],
      [this.#podsFinished, { completion_mode: MODES, result: RESULTS }],
      [this.#indexesFinished, { status: RESULTS, backoffLimit: ["perIndex", "global"] }],
      [this.#failuresHandled, { action: ["FailJob", "Ignore", "Count", "FailIndex"] }],
      [this.#podsCreated, { reason: CREATIONS, status: RESULTS }],
      [this.#tracking, { event: ["add", "delete"] }],
    ];
    for (const [counter, values] of zero) for (const labels of combinations(values)) counter.inc(labels, 0);
  }

  synced({ mode, result, action, seconds }: { mode: string; result: string; action: string; seconds: number }): void {
    const labels = { completion_mode: mode, result, action };
    this.#syncs.inc(labels);
    this.#syncTime.observe(labels, seconds);
  }

  jobFinished({ mode, result, reason }: { mode: string; result: string; reason: string }): void {
    this.#finished.inc({ completion_mode: mode, result, reason });
  }

  podsFinished({ mode, result, count }: { mode: string; result: string; count: number }): void {
    this.#podsFinished.inc({ completion_mode: mode, result }, count);
  }

  indexesFinished({ status, backoffLimit, count }: { status: string; backoffLimit: string; count: number }): void {
    this.#indexesFinished.inc({ status, backoffLimit }, count);
  }

  failureHandledByPolicy({ action }: { action: string }): void {
    this.#failuresHandled.inc({ action });
  }

  podsCreated({ reason, status, count }: { reason: string; status: string; count: number }): void {
    this.#podsCreated.inc({ reason, status }, count);
  }

  terminatedPodTracking({ event }: { event: string }): void {
    this.#tracking.inc({ event });
  }

  jobByExternalController({ controllerName }: { controllerName: string }): void {
    this.#external.inc({ controller_name: controllerName });
  }

  #counter(name: string, help: string, labelNames: string[]): Counter {
    return new Counter({ name: `job_controller_${name}`, help, labelNames, registers: this.#registers });
  }
}

/** `{ a: ["1", "2"], b: ["3"] }` -> `{ a: "1", b: "3" }` and `{ a: "2", b: "3" }`. */
function combinations(values: Record<string, readonly string[]>): Record<string, string>[] {
  let made: Record<string, string>[] = [{}];
  for (const [label, choices] of Object.entries(values)) {
    made = made.flatMap((labels) => choices.map((value) => ({ ...labels, [label]: value })));
  }
  return made;
}
