import { ApiError } from "../kube/api_error.ts";
import type { KubeClient } from "../kube/client.ts";
import { type DeepReadonly, keyOf } from "../kube/object.ts";
import { type Job, JOBS } from "../kube/resource.ts";
import type { Clock } from "../runtime/clock.ts";
import { Controller, type ControllerObserver } from "../runtime/controller.ts";
import { Informer, withoutManagedFields } from "../runtime/informer.ts";
import type { Runnable } from "../runtime/runnable.ts";
import { type EpochMs, parseTime } from "../schedule/epoch_ms.ts";
import { loggerFor } from "../telemetry/logging.ts";
import { findCondition } from "./api/conditions.ts";

export interface TtlControllerOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** @default all */
  readonly namespaces?: readonly string[];
  readonly controllerObserver?: ControllerObserver;
}

/**
 * When a Job's `ttlSecondsAfterFinished` is over; undefined as long as it has not finished, or without that field.
 *
 * https://kubernetes.io/docs/concepts/workloads/controllers/ttlafterfinished/
 */
export function expiryOf(job: DeepReadonly<Job>): EpochMs | undefined {
  const seconds = job.spec?.ttlSecondsAfterFinished;
  const finished = (["Complete", "Failed"] as const)
    .map((type) => findCondition(job, type))
    .find((condition) => condition?.status === "True");
  const finishedAt = parseTime(finished?.lastTransitionTime);
  return seconds === undefined || finishedAt === undefined ? undefined : finishedAt + seconds * 1000;
}

/** Deletes finished Jobs, with their Pods, when their time to live is over. */
export function createTtlController(options: TtlControllerOptions): Runnable {
  const { client, clock, namespaces, controllerObserver: observer } = options;
  const logger = loggerFor("job", "ttl");
  const jobs = new Informer({ client, clock, namespaces, resource: JOBS, transform: withoutManagedFields });
  const controller = new Controller({
    name: "ttl_jobs_to_delete",
    clock,
    observer,
    waitFor: [jobs],
    async reconcile(key, signal) {
      const cached = jobs.store.get(key);
      const due = cached && dueAt(cached);
      if (due === undefined || due > clock.now()) return { requeueAt: due };
      // The cache may be behind: somebody may have given it a longer life just now.
      const { name, namespace, uid } = cached!.metadata;
      try {
        const job = await client.get(JOBS, { name, namespace }, { signal });
        const dueNow = dueAt(job);
        if (job.metadata.uid !== uid || dueNow === undefined || dueNow > clock.now()) return { requeueAt: dueNow };
        await client.delete(JOBS, { name, namespace }, {
          propagationPolicy: "Foreground",
          preconditions: { uid, resourceVersion: job.metadata.resourceVersion },
          signal,
        });
        logger.info("Job {key} deleted, its time to live is over", { key });
      } catch (error) {
        if (!(error instanceof ApiError && error.isNotFound)) throw error;
      }
    },
  });
  return {
    name: "ttl controller",
    ready: () => jobs.ready(),
    async run(signal) {
      const informerEnd = new AbortController();
      using _changes = jobs.onChange(({ type, object }) => {
        if (type !== "deleted" && dueAt(object) !== undefined) controller.enqueue(keyOf(object));
      });
      const informer = jobs.run(informerEnd.signal);
      try {
        await controller.run(signal);
      } finally {
        informerEnd.abort();
        await informer;
      }
    },
  };
}

function dueAt(job: DeepReadonly<Job>): EpochMs | undefined {
  return job.metadata.deletionTimestamp === undefined ? expiryOf(job) : undefined;
}
