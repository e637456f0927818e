import { ApiError, ignoreNotFound } from "../kube/api_error.ts";
import type { DeepReadonly, ObjectKey } from "../kube/object.ts";
import { type Job, JOBS, type Pod, PODS } from "../kube/resource.ts";
import type { ReconcileResult } from "../runtime/controller.ts";
import type { OwnWrites } from "../runtime/own_writes.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import { loggerFor } from "../telemetry/logging.ts";
import { isFinished } from "./api/conditions.ts";
import { isOurs, type JobMode } from "./api/managed_by.ts";
import { hasKnownCompletionMode, isBeingDeleted } from "./api/spec.ts";
import { DEFAULT_BACKOFF, NO_FAILURES } from "./decision/backoff.ts";
import { adoptionPatch, claimPods, releasePatch } from "./decision/claim.ts";
import { decide, failuresOf } from "./decision/decide.ts";
import type { BackoffTimes, DecisionInput, FailureRecord } from "./decision/input.ts";
import type { Plan, StorePlan, WaitPlan } from "./decision/plan.ts";
import type { SyncAction } from "./observer.ts";
import { type Outcome, PodWriter, type PodWriterOptions } from "./pod_writer.ts";
import { JobReporter, type JobReporterOptions } from "./reporter.ts";

const logger = loggerFor("job");

/** The reads of the reconciler from the cache. */
export interface JobReads {
  job(key: ObjectKey): DeepReadonly<Job> | undefined;
  /** The Pods that the Job controls. */
  podsOf(job: DeepReadonly<Job>): readonly DeepReadonly<Pod>[];
  /** Pods of the Job's namespace that have no controller and that its selector might match. */
  orphansFor(job: DeepReadonly<Job>): readonly DeepReadonly<Pod>[];
}

export interface JobReconcilerOptions extends PodWriterOptions, JobReporterOptions {
  readonly cache: JobReads;
  readonly newest: OwnWrites<DeepReadonly<Job>>;
  readonly mode: JobMode;
  /** How long a failed Pod's successor is held back. @default 10 s, doubling up to 10 min */
  readonly backoff?: BackoffTimes;
  /** How long a status that changes nothing but numbers waits for company after a write. @default 500 */
  readonly statusBatchMs?: number;
}

/** A sync that takes more steps than this lets other Jobs have a turn. */
const MAX_STEPS = 20;
/** How long a change of numbers alone waits for company, unless the options say otherwise. */
export const STATUS_BATCH_MS = 500;

/** Gathers what is known of a Job, lets {@linkcode decide} choose the next step, takes it, and repeats until only waiting is left. */
export class JobReconciler {
  readonly #options: JobReconcilerOptions;
  readonly #pods: PodWriter;
  readonly #reporter: JobReporter;
  readonly #failures = new Map<string, FailureRecord>();
  readonly #lastStoredAt = new Map<string, EpochMs>();

  constructor(options: JobReconcilerOptions) {
    this.#options = options;
    this.#pods = new PodWriter(options);
    this.#reporter = new JobReporter(options);
  }

  async reconcile(key: ObjectKey, signal: AbortSignal): Promise<ReconcileResult | void> {
    const { cache, clock, mode, newest } = this.#options;
    const cached = cache.job(key);
    if (!cached || !isOurs(cached, mode)) return;
    const job = newest.latest(cached);
    if (!hasKnownCompletionMode(job)) return this.#reporter.unknownCompletionMode(job);

    const startedAt = clock.monotonic();
    const sync: Sync = { job, hold: undefined, action: "tracking", errors: [] };
    try {
      const result = await this.#sync(sync, signal);
      if (sync.errors.length > 0) throw sync.errors[0];
      this.#observe(sync, "success", startedAt);
      return result;
    } catch (error) {
      this.#observe(sync, "error", startedAt);
      throw error;
    } finally {
      if (isFinished(sync.job)) this.#forgetProgress(sync.job.metadata.uid);
    }
  }

  /** Called when a Job is gone. */
  forget(job: DeepReadonly<Job>): void {
    const { uid } = job.metadata;
    this.#forgetProgress(uid);
    this.#options.newest.forget(uid);
    this.#options.expectations.forget(uid);
  }

  #forgetProgress(uid: string): void {
    this.#failures.delete(uid);
    this.#lastStoredAt.delete(uid);
  }

  async #sync(sync: Sync, signal: AbortSignal): Promise<ReconcileResult | void> {
    this.#options.expectations.expire(sync.job.metadata.uid, this.#options.clock.now());
    await this.#pods.clearUpDoubts(sync.job, signal);
    if (await this.#claim(sync, signal)) return;
    for (let step = 0; step < MAX_STEPS; step++) {
      const input = this.#gather(sync);
      const plan = decide(input);
      if (plan.kind === "wait" && sync.hold === "round") {
        sync.hold = undefined;
        continue;
      }
      if (plan.kind === "wait") {
        if (!isFinished(sync.job)) this.#failures.set(sync.job.metadata.uid, failuresOf(input));
        return { requeueAt: plan.until };
      }
      if (!await this.#carryOut(plan, sync, input, signal)) return;
    }
    return { requeueAt: this.#options.clock.now() };
  }

  #gather({ job, hold }: Sync): DecisionInput {
    const { cache, clock, expectations, backoff = DEFAULT_BACKOFF, statusBatchMs = STATUS_BATCH_MS } = this.#options;
    const now = clock.now();
    const { uid } = job.metadata;
    const storedAt = this.#lastStoredAt.get(uid);
    return {
      job,
      pods: expectations.podsOf(uid, cache.podsOf(job)),
      failures: this.#failures.get(uid) ?? NO_FAILURES,
      backoff,
      now,
      podsHeld: hold !== undefined,
      // A clock that was set back must not hold the status back for long.
      statusHeldUntil: storedAt !== undefined && storedAt <= now ? storedAt + statusBatchMs : undefined,
    };
  }

  /** Returns whether there may be more to do. */
  async #carryOut(
    plan: Exclude<Plan, WaitPlan>,
    sync: Sync,
    input: DecisionInput,
    signal: AbortSignal,
  ): Promise<boolean> {
    switch (plan.kind) {
      case "create": {
        sync.action = "pods_created";
        const outcome = await this.#pods.create(sync.job, plan.pods, signal);
        this.#reporter.created(sync.job, outcome, plan);
        this.#hold(sync, outcome);
        // A terminating namespace: nothing failed, and nothing more can be done.
        if (outcome.done.length === 0) sync.hold = "sync";
        return true;
      }
      case "remove": {
        sync.action = "pods_deleted";
        const outcome = await this.#pods.remove(plan.pods, signal);
        this.#reporter.deleted(sync.job, outcome, plan);
        this.#hold(sync, outcome);
        return true;
      }
      case "stop": {
        sync.action = "pods_deleted";
        const outcome = await this.#pods.stop(sync.job, plan.pods, signal);
        this.#reporter.deleted(sync.job, outcome, plan);
        this.#hold(sync, outcome);
        const isAllDone = outcome.done.length === plan.pods.length;
        // Pods that have ended by themselves meanwhile bring the next sync when the cache shows it.
        if (!isAllDone) sync.hold = "sync";
        // Of a finished Job nothing else is left to do.
        return isAllDone || !isFinished(sync.job);
      }
      case "store":
        return await this.#store(plan, sync, input, signal);
      case "untrack": {
        const outcome = await this.#pods.untrack(plan.pods, signal);
        this.#reporter.untracked(sync.job, plan.pods, outcome);
        sync.errors.push(...outcome.errors.map(({ error }) => error));
        return outcome.errors.length === 0;
      }
      default:
        return plan satisfies never;
    }
  }

  /** The status gets its turn before more Pods do; after a failure, more Pods wait for the next sync. */
  #hold(sync: Sync, { errors }: Outcome): void {
    sync.hold = errors.length > 0 ? "sync" : "round";
    sync.errors.push(...errors.map(({ error }) => error));
  }

  async #store(
    plan: StorePlan,
    sync: Sync,
    input: DecisionInput,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { client, clock, newest } = this.#options;
    const base = sync.job;
    const changed = { ...base, status: plan.status } as Job;
    const options = { subresource: "status", lane: "status", signal } as const;
    // After a conflict the retry finds the version that was in the way.
    const stored = await client.replace(JOBS, changed, options).catch(ignoreNotFound);
    // The Job is gone, which the cache will show.
    if (!stored) return false;
    this.#failures.set(base.metadata.uid, failuresOf(input));
    this.#lastStoredAt.set(base.metadata.uid, clock.now());
    newest.record(base, stored);
    sync.job = stored;
    this.#reporter.stored(base, stored, plan.news);
    return true;
  }

  /** Returns whether the server still has the Job and keeps it: the cache may not show yet that its Pods were set free. */
  async #isStaying({ metadata: { name, namespace, uid } }: DeepReadonly<Job>, signal: AbortSignal): Promise<boolean> {
    const fresh = await this.#options.client.get(JOBS, { name, namespace }, { signal }).catch(ignoreNotFound);
    return fresh !== undefined && fresh.metadata.uid === uid && !isBeingDeleted(fresh);
  }

  /** Adopts and releases Pods. Returns whether it did; the cache then brings the next sync. */
  async #claim(sync: Sync, signal: AbortSignal): Promise<boolean> {
    const { cache, client } = this.#options;
    const { job } = sync;
    const claims = claimPods(job, { controlled: cache.podsOf(job), orphans: cache.orphansFor(job) });
    if (claims.adopt.length + claims.release.length === 0) return false;
    if (claims.adopt.length > 0 && !await this.#isStaying(job, signal)) return true;
    const patches = [
      ...claims.adopt.map((pod) => ({ pod, patch: adoptionPatch(job, pod), done: "Adopted {pod}" })),
      ...claims.release.map((pod) => ({ pod, patch: releasePatch(job, pod), done: "Released {pod}" })),
    ];
    await Promise.all(patches.map(async ({ pod, patch, done }) => {
      const { name, namespace } = pod.metadata;
      try {
        await client.patch(PODS, { name, namespace }, patch, { lane: "run", signal });
        logger.info(done, { pod: name, key: `${namespace}/${job.metadata.name}` });
      } catch (error) {
        // It changed or is gone, which the cache will show.
        if (!(error instanceof ApiError && (error.isNotFound || error.isConflict))) sync.errors.push(error);
      }
    }));
    return true;
  }

  #observe({ job, action }: Sync, result: "success" | "error", startedAt: number): void {
    this.#reporter.synced(job, { action, result }, (this.#options.clock.monotonic() - startedAt) / 1000);
  }
}

/** One sync of a Job, from the first step to the last. */
interface Sync {
  job: DeepReadonly<Job>;
  /** Until when no more Pods are created or deleted: the status has been seen to, or the sync is over. */
  hold: "round" | "sync" | undefined;
  action: SyncAction;
  readonly errors: unknown[];
}
