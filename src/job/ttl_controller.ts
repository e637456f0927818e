import { ignoreNotFound } from "../kube/api_error.ts";
import type { KubeClient } from "../kube/client.ts";
import { type DeepReadonly, keyOf, type ObjectKey } from "../kube/object.ts";
import { type Job, JOBS } from "../kube/resource.ts";
import type { Clock } from "../base/clock.ts";
import { Controller, type ReconcileResult } from "../runtime/controller.ts";
import { Informer, withoutManagedFields } from "../runtime/informer.ts";
import type { Runnable } from "../runtime/runnable.ts";
import { type EpochMs, parseTime } from "../base/epoch_ms.ts";
import { loggerFor } from "../telemetry/logging.ts";
import { findCondition } from "./api/conditions.ts";

export interface TtlControllerOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
}

/**
 * Returns when a Job's `ttlSecondsAfterFinished` is over; undefined as long as it has not finished, or without that field.
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
export class TtlController implements Runnable {
  readonly name = "ttl controller";
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #jobs: Informer<Job>;
  readonly #deletions: Controller;
  readonly #logger = loggerFor("job", "ttl");

  constructor({ client, clock }: TtlControllerOptions) {
    this.#client = client;
    this.#clock = clock;
    this.#jobs = new Informer({ client, clock, resource: JOBS, transform: withoutManagedFields });
    this.#deletions = new Controller({
      name: "ttl_jobs_to_delete",
      clock,
      waitFor: [this.#jobs],
      reconcile: (key, signal) => this.#reconcile(key, signal),
    });
  }

  ready(): Promise<void> {
    return this.#jobs.ready();
  }

  async run(signal: AbortSignal): Promise<void> {
    const informerEnd = new AbortController();
    using _changes = this.#jobs.onChange(({ type, object }) => {
      if (type !== "deleted" && dueAt(object) !== undefined) this.#deletions.enqueue(keyOf(object));
    });
    const informer = this.#jobs.run(informerEnd.signal);
    try {
      await this.#deletions.run(signal);
    } finally {
      informerEnd.abort();
      await informer;
    }
  }

  async #reconcile(key: ObjectKey, signal: AbortSignal): Promise<ReconcileResult> {
    const cached = this.#jobs.store.get(key);
    const due = cached && dueAt(cached);
    if (due === undefined || due > this.#clock.now()) return { requeueAt: due };
    return await this.#deleteIfStillDue(cached!, signal).catch(ignoreNotFound) ?? {};
  }

  /** Asks the server first: the cache may be behind a longer life that the Job was just given. */
  async #deleteIfStillDue(cached: DeepReadonly<Job>, signal: AbortSignal): Promise<ReconcileResult> {
    const { name, namespace, uid } = cached.metadata;
    const job = await this.#client.get(JOBS, { name, namespace }, { signal });
    const due = dueAt(job);
    if (job.metadata.uid !== uid || due === undefined || due > this.#clock.now()) return { requeueAt: due };
    await this.#client.delete(JOBS, { name, namespace }, {
      propagationPolicy: "Foreground",
      preconditions: { uid, resourceVersion: job.metadata.resourceVersion },
      signal,
    });
    this.#logger.info("Job {key} deleted, its time to live is over", { key: keyOf(job) });
    return {};
  }
}

function dueAt(job: DeepReadonly<Job>): EpochMs | undefined {
  return job.metadata.deletionTimestamp === undefined ? expiryOf(job) : undefined;
}
