import { Counter, type Registry } from "prom-client";
import type { Metrics } from "../telemetry/metrics.ts";
import { readGauge } from "../telemetry/read_gauge.ts";
import { TalliedHistogram } from "../telemetry/tallied_histogram.ts";
import type { Controller, ControllerObserver, ReconcileOutcome } from "./controller.ts";

/** 1 µs, times ten, as client-go's. */
const QUEUE_SECONDS = Array.from({ length: 10 }, (_, i) => 10 ** (i - 6));
// deno-fmt-ignore
/** controller-runtime's. */
const RECONCILE_SECONDS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1,
  1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

/** controller-runtime's word for each outcome. */
const RESULTS: Readonly<Record<ReconcileOutcome, string>> = {
  success: "success",
  requeue_at: "requeue_after",
  error: "error",
};

type Observed = Pick<Controller, "name" | "concurrency" | "queue">;

/**
 * The metrics of controllers and their queues, under the names of client-go (`workqueue_…`) and of controller-runtime
 * (`controller_runtime_…`). All of a controller's series are there as soon as it is.
 */
export class QueueMetrics implements Required<ControllerObserver> {
  readonly #registers: Registry[];
  /** By name: one that begins anew takes the place of the one before it. */
  readonly #controllers = new Map<string, Observed>();
  readonly #adds: Counter;
  readonly #retries: Counter;
  readonly #waited = histogram(
    "workqueue_queue_duration_seconds",
    "How long in seconds an item stays in workqueue before being requested",
    "name",
    QUEUE_SECONDS,
  );
  readonly #worked = histogram(
    "workqueue_work_duration_seconds",
    "How long in seconds processing an item from workqueue takes",
    "name",
    QUEUE_SECONDS,
  );
  readonly #reconciles: Counter;
  readonly #errors: Counter;
  readonly #reconcileTime = histogram(
    "controller_runtime_reconcile_time_seconds",
    "Length of time per reconciliation per controller",
    "controller",
    RECONCILE_SECONDS,
  );
  readonly #histograms: readonly TalliedHistogram[] = [this.#waited, this.#worked, this.#reconcileTime];

  constructor(metrics: Pick<Metrics, "registry" | "addSection">) {
    this.#registers = [metrics.registry];
    metrics.addSection(() => this.#histograms.map((histogram) => histogram.write()));
    this.#gauge("workqueue_depth", "Current depth of workqueue", "name", ({ queue }) => queue.depth);
    this.#adds = this.#counter("workqueue_adds_total", "Total number of adds handled by workqueue", ["name"]);
    this.#gauge(
      "workqueue_unfinished_work_seconds",
      "How many seconds of work is in progress and not in work_duration yet; large values mean that work is stuck",
      "name",
      ({ queue }) => queue.unfinishedWorkMs / 1_000,
    );
    this.#gauge(
      "workqueue_longest_running_processor_seconds",
      "How many seconds the longest work in progress has been going on",
      "name",
      ({ queue }) => queue.longestWorkMs / 1_000,
    );
    this.#retries = this.#counter("workqueue_retries_total", "Total number of retries handled by workqueue", ["name"]);
    this.#reconciles = this.#counter(
      "controller_runtime_reconcile_total",
      "Total number of reconciliations per controller",
      ["controller", "result"],
    );
    this.#errors = this.#counter(
      "controller_runtime_reconcile_errors_total",
      "Total number of reconciliation errors per controller",
      ["controller"],
    );
    this.#gauge(
      "controller_runtime_max_concurrent_reconciles",
      "Maximum number of concurrent reconciles per controller",
      "controller",
      ({ concurrency }) => concurrency,
    );
    this.#gauge(
      "controller_runtime_active_workers",
      "Number of currently used workers per controller",
      "controller",
      ({ queue }) => queue.processing,
    );
  }

  readonly onController = (observed: Observed): void => {
    const { name, name: controller } = observed;
    this.#controllers.set(name, observed);
    for (const counter of [this.#adds, this.#retries]) counter.inc({ name }, 0);
    this.#errors.inc({ controller }, 0);
    for (const result of ["success", "error", "requeue", "requeue_after"]) {
      this.#reconciles.inc({ controller, result }, 0);
    }
    for (const histogram of this.#histograms) histogram.zero(name);
  };

  readonly onControllerEnd = (observed: Observed): void => {
    if (this.#controllers.get(observed.name) === observed) this.#controllers.delete(observed.name);
  };

  readonly onAdd = (name: string): void => this.#adds.inc({ name });

  readonly onGet = (name: string, waitedMs: number): void => this.#waited.observe(waitedMs / 1_000, name);

  readonly onDone = (name: string, workedMs: number): void => this.#worked.observe(workedMs / 1_000, name);

  readonly onRetry = (name: string): void => this.#retries.inc({ name });

  readonly onReconcile = (controller: string, outcome: ReconcileOutcome, durationMs: number): void => {
    const result = RESULTS[outcome];
    this.#reconciles.inc({ controller, result });
    this.#reconcileTime.observe(durationMs / 1_000, controller);
    if (result === "error") this.#errors.inc({ controller });
  };

  #counter(name: string, help: string, labelNames: string[]): Counter {
    return new Counter({ name, help, labelNames, registers: this.#registers });
  }

  /** Its values are looked up when they are asked for. */
  #gauge(name: string, help: string, label: string, read: (controller: Observed) => number): void {
    readGauge({ name, help, labelNames: [label], registers: this.#registers }, (gauge) => {
      for (const controller of this.#controllers.values()) gauge.set({ [label]: controller.name }, read(controller));
    });
  }
}

function histogram(name: string, help: string, label: string, buckets: readonly number[]): TalliedHistogram {
  return new TalliedHistogram({ name, help, labelNames: [label], buckets });
}
