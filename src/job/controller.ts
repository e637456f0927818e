import { controllerOf, type DeepReadonly, keyOf, makeKey, type ObjectKey } from "../kube/object.ts";
import { type Job, type Pod, PODS } from "../kube/resource.ts";
import { Controller } from "../runtime/controller.ts";
import { informerChecks, queueChecks } from "../runtime/health.ts";
import type { HealthCheck } from "../runtime/health_check.ts";
import { Informer, withoutManagedFields } from "../runtime/informer.ts";
import { OwnWrites } from "../runtime/own_writes.ts";
import type { Runnable } from "../runtime/runnable.ts";
import type { Cached, Change } from "../runtime/store.ts";
import { type StandByOptions, takeOver } from "../runtime/take_over.ts";
import { isFinished } from "./api/conditions.ts";
import { selects } from "./api/label_selector.ts";
import { isOurs } from "./api/managed_by.ts";
import { CONTROLLER_UID_LABEL, TRACKING_FINALIZER } from "./api/names.ts";
import { isBeingDeleted } from "./api/spec.ts";
import { waitIn } from "./decision/pod_trouble.ts";
import { PodExpectations } from "./knowledge/expectations.ts";
import { releaseOrphan } from "./orphan_release.ts";
import { newsOf } from "./pod_news.ts";
import { byAdoption, type JobCache, type WholeJob } from "./job_cache.ts";
import { type JobReads, JobReconciler, type JobReconcilerOptions, STATUS_BATCH_MS } from "./reconciler.ts";

export interface JobControllerOptions
  extends Omit<JobReconcilerOptions, "cache" | "expectations" | "newest">, StandByOptions {
  /** The cache that the controllers of this process share; each of them runs it. */
  readonly jobs: JobCache;
  /** @default all */
  readonly namespaces?: readonly string[] | undefined;
  /** How many Jobs are worked on at a time. @default {10} */
  readonly concurrentSyncs?: number | undefined;
}

/** Runs Jobs: follows Jobs and Pods, and syncs each Job that is ours whenever either changes in a way that matters. */
export class JobController implements Runnable {
  readonly name = "job controller";
  readonly #options: JobControllerOptions;
  readonly #jobs: JobCache;
  readonly #pods: Informer<Pod, "controller" | "orphan">;
  readonly #expectations = new PodExpectations();
  readonly #newest = new OwnWrites<DeepReadonly<Job>>();
  readonly #reconciler: JobReconciler;
  readonly #syncs: Controller;
  /** Releases Pods with our finalizer that no Job will count any more. */
  readonly #orphans: Controller;
  /** Whether this process has taken over; before, it only watches. */
  #works = false;

  constructor(options: JobControllerOptions) {
    const { client, clock, namespaces, concurrentSyncs, drainMs, controllerObserver: observer } = options;
    this.#options = options;
    this.#jobs = options.jobs;
    this.#pods = new Informer({
      client,
      clock,
      namespaces,
      resource: PODS,
      indexes: { controller: byController, orphan: byOrphan },
      transform: withoutManagedFields,
    });
    this.#reconciler = new JobReconciler({
      ...options,
      cache: this.#reads(),
      expectations: this.#expectations,
      newest: this.#newest,
    });
    this.#syncs = new Controller({
      name: "job",
      clock,
      observer,
      drainMs,
      concurrency: concurrentSyncs,
      reconcile: (key, signal) => this.#reconciler.reconcile(key, signal),
    });
    this.#orphans = new Controller({
      name: "job_orphan_pod",
      clock,
      observer,
      drainMs,
      concurrency: 2,
      reconcile: (key, signal) => this.#releaseOrphan(key, signal),
    });
  }

  get health(): readonly HealthCheck[] {
    return [
      ...[this.#jobs, this.#pods].flatMap(informerChecks),
      ...[this.#syncs, this.#orphans].flatMap(queueChecks),
    ];
  }

  /** Returns why a Pod of a Job does not start; undefined where no Pod says. */
  waitOf({ uid, namespace }: Pick<Cached["metadata"], "uid" | "namespace">): string | undefined {
    return waitIn(this.#podsOf({ uid, namespace }));
  }

  async ready(): Promise<void> {
    await Promise.all([this.#jobs.ready(), this.#pods.ready()]);
  }

  async run(signal: AbortSignal): Promise<void> {
    // The informers outlive the workers, so that work under way sees what it caused.
    const informersEnd = new AbortController();
    using _jobs = this.#jobs.onChange((change) => this.#jobChanged(change));
    using _pods = this.#pods.onChange((change) => this.#podChanged(change));
    const informers = Promise.all([this.#jobs.run(informersEnd.signal), this.#pods.run(informersEnd.signal)]);
    try {
      if (!await takeOver([this.#jobs, this.#pods], { leading: this.#options.leading, signal })) return;
      this.#begin();
      await Promise.all([this.#syncs.run(signal), this.#orphans.run(signal)]);
    } finally {
      informersEnd.abort();
      await informers;
    }
  }

  /** Enqueues everything: changes seen while standing by were not. */
  #begin(): void {
    this.#works = true;
    for (const { job } of this.#jobs.store.values()) {
      if (isOurs(job, this.#options.mode)) this.#syncs.enqueue(keyOf(job));
    }
    for (const pod of this.#pods.store.values()) this.#checkOrphan(pod);
  }

  #reads(): JobReads {
    return {
      job: (key) => this.#jobs.store.get(key)?.job,
      podsOf: ({ metadata }) => this.#podsOf(metadata),
      orphansFor: (job) => this.#orphansFor(job),
    };
  }

  /** Returns the Pods that name the Job as their controller. A Pod of another namespace could name it falsely. */
  #podsOf({ uid, namespace }: Pick<Cached["metadata"], "uid" | "namespace">): DeepReadonly<Pod>[] {
    return this.#pods.store.byIndex("controller", uid).filter((pod) => pod.metadata.namespace === namespace);
  }

  #orphansFor(job: DeepReadonly<Job>): DeepReadonly<Pod>[] {
    return byAdoption(job).flatMap((key) => this.#pods.store.byIndex("orphan", key));
  }

  #jobChanged({ type, object: { job } }: Change<WholeJob>): void {
    const { observer, mode } = this.#options;
    if (type === "deleted") {
      this.#reconciler.forget(job);
      if (!this.#works) return;
      for (const pod of this.#pods.store.byIndex("controller", job.metadata.uid)) this.#checkOrphan(pod);
      for (const pod of this.#orphansFor(job)) this.#checkOrphan(pod);
      return;
    }
    if (!isOurs(job, mode)) {
      const controller_name = job.spec?.managedBy;
      if (type !== "added" || controller_name === undefined) return;
      observer?.count?.("jobs_by_external_controller_total", { controller_name });
      return;
    }
    if (this.#newest.isOwn(job)) return;
    if (this.#works) this.#syncs.enqueue(keyOf(job));
  }

  #podChanged(change: Change<Pod>): void {
    const { object: pod, previous, type } = change;
    const isOurNews = type === "added" && this.#expectations.expects(pod);
    if (type === "deleted") this.#expectations.observeGone(pod);
    else this.#expectations.observe(pod);
    if (!this.#works) return;
    this.#noteTracking(change);

    const hasOtherOwner = previous && controllerOf(previous)?.uid !== controllerOf(pod)?.uid;
    if (hasOtherOwner) this.#enqueueOwner(previous);
    const news = newsOf(change);
    if (type !== "deleted" && controllerOf(pod) === undefined) this.#enqueueAdopters(pod);
    if (type !== "deleted") this.#checkOrphan(pod);
    // Where a Pod that we have just made shows up as we made it, there is nothing to do.
    if (isOurNews && pod.status?.phase === "Pending") return;
    if (news === "urgent") this.#enqueueOwner(pod);
    else if (news === "numbers") this.#enqueueOwner(pod, this.#options.statusBatchMs ?? STATUS_BATCH_MS);
  }

  #enqueueOwner(pod: DeepReadonly<Pod>, delayMs = 0): void {
    const job = this.#ownerOf(pod);
    if (!job || !isOurs(job, this.#options.mode)) return;
    if (delayMs > 0) this.#syncs.enqueueAfter(keyOf(job), delayMs);
    else this.#syncs.enqueue(keyOf(job));
  }

  #ownerOf(pod: DeepReadonly<Pod>): DeepReadonly<Job> | undefined {
    const owner = controllerOf(pod);
    if (owner?.kind !== "Job" || owner.apiVersion !== "batch/v1") return undefined;
    const job = this.#jobs.store.get(makeKey(pod.metadata.namespace, owner.name))?.job;
    return job?.metadata.uid === owner.uid ? job : undefined;
  }

  #enqueueAdopters(pod: DeepReadonly<Pod>): void {
    for (const job of this.#adoptersOf(pod)) this.#syncs.enqueue(keyOf(job));
  }

  /** Returns the Jobs that go on and whose selector matches a Pod without a controller. */
  #adoptersOf(pod: DeepReadonly<Pod>): DeepReadonly<Job>[] {
    const candidates = byOrphan(pod).flatMap((key) => this.#jobs.store.byIndex("adopter", key));
    return candidates.map(({ job }) => job).filter((job) =>
      isOurs(job, this.#options.mode) && !isFinished(job) && !isBeingDeleted(job) &&
      selects(job.spec?.selector, pod.metadata.labels)
    );
  }

  #checkOrphan(pod: DeepReadonly<Pod>): void {
    // On a cluster, that is the business of its own controller.
    if (this.#options.mode !== "all" || !pod.metadata.finalizers?.includes(TRACKING_FINALIZER)) return;
    if (this.#isOrphan(pod)) this.#orphans.enqueue(keyOf(pod));
  }

  /** Returns whether no Job will count a Pod: it has none, or its Job is gone. */
  #isOrphan(pod: DeepReadonly<Pod>): boolean {
    const owner = controllerOf(pod);
    if (!owner) return this.#adoptersOf(pod).length === 0;
    return owner.kind === "Job" && owner.apiVersion === "batch/v1" && this.#ownerOf(pod) === undefined;
  }

  async #releaseOrphan(key: ObjectKey, signal: AbortSignal): Promise<void> {
    const pod = this.#pods.store.get(key);
    if (pod && this.#isOrphan(pod)) await releaseOrphan(pod, { client: this.#options.client, signal });
  }

  #noteTracking({ type, object, previous }: Change<Pod>): void {
    const { phase } = object.status ?? {};
    if (phase !== "Succeeded" && phase !== "Failed") return;
    const tracked = object.metadata.finalizers?.includes(TRACKING_FINALIZER);
    const endedBefore = previous?.status?.phase === phase;
    if (type === "modified" && tracked && !endedBefore) {
      this.#options.observer?.count?.("terminated_pods_tracking_finalizer_total", { event: "add" });
    }
  }
}

function byController(pod: DeepReadonly<Pod>): string[] {
  const owner = controllerOf(pod);
  return owner?.kind === "Job" ? [owner.uid] : [];
}

/**
 * Returns the keys of {@linkcode byAdoption} at which a Pod without a controller may meet a Job; none if it has a
 * controller.
 */
function byOrphan(pod: DeepReadonly<Pod>): string[] {
  if (controllerOf(pod)) return [];
  const { namespace = "", labels } = pod.metadata;
  const uid = labels?.[CONTROLLER_UID_LABEL];
  return uid === undefined ? [namespace] : [namespace, `${namespace}/${uid}`];
}
