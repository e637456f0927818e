import type { DeepReadonly } from "../kube/object.ts";
import type { Job } from "../kube/resource.ts";
import type { EventSink } from "../runtime/event_recorder.ts";
import { loggerFor } from "../telemetry/logging.ts";
import { messageOf } from "../telemetry/message_of.ts";
import { findCondition } from "./api/conditions.ts";
import { IndexSet } from "./api/index_set.ts";
import type { PodView } from "./api/pod_view.ts";
import { completionModeOf, completionsOf, hasLimitPerIndex, indexesOf, isIndexed } from "./api/spec.ts";
import type { CreatePlan, RemovePlan, StatusNews, StopPlan } from "./decision/plan.ts";
import { matchFailurePolicy } from "./decision/pod_failure_policy.ts";
import { isPodFailed } from "./decision/pod_replacement_policy.ts";
import type { JobObserver, SyncAction } from "./observer.ts";
import type { Outcome } from "./pod_writer.ts";

const logger = loggerFor("job");

export interface JobReporterOptions {
  readonly recorder: EventSink;
  readonly observer?: JobObserver | undefined;
}

/** Reports what the Job controller did: Events with kube-controller-manager's reasons, log lines, metrics. */
export class JobReporter {
  readonly #recorder: EventSink;
  readonly #observer: JobObserver;

  constructor({ recorder, observer = {} }: JobReporterOptions) {
    this.#recorder = recorder;
    this.#observer = observer;
  }

  synced(job: DeepReadonly<Job>, sync: { action: SyncAction; result: "success" | "error" }, seconds: number): void {
    this.#observer.synced?.({ completion_mode: completionModeOf(job), ...sync }, seconds);
  }

  unknownCompletionMode(job: DeepReadonly<Job>): void {
    this.#warning(job, "UnknownCompletionMode", "Skipped Job sync because completion mode is unknown");
  }

  created(job: DeepReadonly<Job>, { done, errors }: Outcome, { again }: CreatePlan): void {
    for (const pod of done) this.#normal(job, "SuccessfulCreate", `Created pod: ${pod}`);
    for (const { error } of errors) this.#warning(job, "FailedCreate", `Error creating: ${messageOf(error)}`);
    const onlyFailed = job.spec?.podReplacementPolicy === "Failed";
    const reason = !again ? "new" : onlyFailed ? "recreate_failed" : "recreate_terminating_or_failed";
    this.#count("job_pods_creation_total", { reason, status: "succeeded" }, done.length);
    this.#count("job_pods_creation_total", { reason, status: "failed" }, errors.length);
  }

  deleted(job: DeepReadonly<Job>, { done, errors }: Outcome, plan: RemovePlan | StopPlan): void {
    if (plan.kind === "remove" && plan.afterCompletion) {
      this.#warning(job, "TooManyActivePods", "Too many active pods running after completion count reached");
    }
    for (const pod of done) this.#normal(job, "SuccessfulDelete", `Deleted pod: ${pod}`);
    for (const { error } of errors) this.#warning(job, "FailedDelete", `Error deleting: ${messageOf(error)}`);
  }

  untracked(job: DeepReadonly<Job>, pods: readonly PodView[], { done }: Outcome): void {
    const names = new Set(done);
    for (const view of pods) {
      if (!names.has(view.pod.metadata.name)) continue;
      if (view.phase === "Succeeded" || view.phase === "Failed") {
        this.#count("terminated_pods_tracking_finalizer_total", { event: "delete" });
      }
      const match = isPodFailed(job, view) ? matchFailurePolicy(job, view.pod) : undefined;
      if (match) this.#count("pod_failures_handled_by_failure_policy_total", { action: match.action });
    }
  }

  stored(before: DeepReadonly<Job>, after: DeepReadonly<Job>, news: readonly StatusNews[]): void {
    this.#countPods(before, after);
    const { namespace, name } = after.metadata;
    const completion_mode = completionModeOf(after);
    for (const each of news) {
      switch (each) {
        case "Suspended":
          this.#normal(after, "Suspended", "Job suspended");
          break;
        case "Resumed":
          this.#normal(after, "Resumed", "Job resumed");
          break;
        case "Complete": {
          const { reason = "" } = findCondition(after, "Complete") ?? {};
          if ((after.status?.succeeded ?? 0) > (completionsOf(after) ?? Infinity)) {
            this.#warning(
              after,
              "TooManySucceededPods",
              "Too many succeeded pods running after completion count reached",
            );
          }
          this.#normal(after, "Completed", "Job completed");
          this.#count("jobs_finished_total", { completion_mode, result: "succeeded", reason });
          logger.info("Job {key} completed", { key: `${namespace}/${name}` });
          break;
        }
        case "Failed": {
          const { reason = "", message = "" } = findCondition(after, "Failed") ?? {};
          this.#warning(after, reason, message);
          this.#count("jobs_finished_total", { completion_mode, result: "failed", reason });
          logger.info("Job {key} failed: {detail}", { key: `${namespace}/${name}`, reason, detail: message });
          break;
        }
        default:
          each satisfies never;
      }
    }
  }

  #countPods(before: DeepReadonly<Job>, after: DeepReadonly<Job>): void {
    const completion_mode = completionModeOf(after);
    const succeeded = (after.status?.succeeded ?? 0) - (before.status?.succeeded ?? 0);
    const failed = (after.status?.failed ?? 0) - (before.status?.failed ?? 0);
    this.#count("job_pods_finished_total", { completion_mode, result: "succeeded" }, succeeded);
    this.#count("job_pods_finished_total", { completion_mode, result: "failed" }, failed);
    if (!isIndexed(after)) return;
    const backoffLimit = hasLimitPerIndex(after) ? "perIndex" : "global";
    this.#count("job_finished_indexes_total", { status: "succeeded", backoffLimit }, succeeded);
    this.#count(
      "job_finished_indexes_total",
      { status: "failed", backoffLimit },
      failedIndexesOf(after) - failedIndexesOf(before),
    );
  }

  readonly #count: Required<JobObserver>["count"] = (name, labels, count = 1) => {
    if (count > 0) this.#observer.count?.(name, labels, count);
  };

  #normal(job: DeepReadonly<Job>, reason: string, message: string): void {
    this.#recorder.record({ regarding: job, type: "Normal", reason, message });
  }

  #warning(job: DeepReadonly<Job>, reason: string, message: string): void {
    this.#recorder.record({ regarding: job, type: "Warning", reason, message });
  }
}

/** Returns how many indexes have failed. */
function failedIndexesOf(job: DeepReadonly<Job>): number {
  return IndexSet.parse(job.status?.failedIndexes, indexesOf(job)).size;
}
