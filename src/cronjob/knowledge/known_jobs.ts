import { ApiError } from "../../kube/api_error.ts";
import type { DeepReadonly } from "../../kube/object.ts";
import { type Job, JOBS } from "../../kube/resource.ts";
import type { CronJobMemory } from "./decision_memory.ts";
import { ownerOf } from "../decision/ownership.ts";
import type { ReconcilerOptions } from "../reconciler.ts";
import type { CronJobObject } from "../api/types.ts";

/**
 * The Jobs of one CronJob as they are now, as far as anybody can know: those in the cache, corrected by what this process did
 * or found out since. The API server is only asked about Jobs that ought to be in the cache and are not.
 */
export class KnownJobs {
  readonly #options: ReconcilerOptions;
  readonly #cronJob: DeepReadonly<CronJobObject>;
  readonly #memory: CronJobMemory;
  readonly #signal: AbortSignal;

  constructor(
    options: ReconcilerOptions,
    { cronJob, memory, signal }: { cronJob: DeepReadonly<CronJobObject>; memory: CronJobMemory; signal: AbortSignal },
  ) {
    this.#options = options;
    this.#cronJob = cronJob;
    this.#memory = memory;
    this.#signal = signal;
  }

  async all(): Promise<DeepReadonly<Job>[]> {
    const memory = this.#memory;
    const cached = this.#cached();
    for (const job of cached) {
      memory.met(job, this.#options.api);
      memory.saw(job, false);
    }
    await this.#resolveDoubts(cached);
    await this.#lookForActive(cached);
    return this.known();
  }

  /** Without asking anybody. */
  known(): DeepReadonly<Job>[] {
    const { unseen } = this.#memory;
    // A Job that a finalizer keeps is still there, whatever was accepted.
    const shown = this.#cached().filter((job) => !this.#isGone(job) && !unseen.has(job.metadata.uid));
    return [...shown, ...unseen.values()];
  }

  /** Asks the API server. Undefined: there is none of that name. */
  async get(name: string): Promise<Job | undefined> {
    try {
      const { namespace } = this.#cronJob.metadata;
      return await this.#options.client.get(JOBS, { namespace, name }, { lane: "run", signal: this.#signal });
    } catch (error) {
      if (error instanceof ApiError && error.isNotFound) return undefined;
      throw error;
    }
  }

  isOurs(job: DeepReadonly<Job>): boolean {
    return ownerOf(this.#options.api, job)?.uid === this.#cronJob.metadata.uid;
  }

  /** Counts on a Job from now on, whether the cache shows it or not. */
  remember(job: DeepReadonly<Job>): void {
    const { uid } = job.metadata;
    if (!this.#memory.gone.has(uid) && !this.#cached().some(({ metadata }) => metadata.uid === uid)) {
      this.#memory.remember(job, this.#options.clock.monotonic());
      this.#memory.met(job, this.#options.api);
    }
  }

  #cached(): DeepReadonly<Job>[] {
    return this.#options.jobs.byIndex("owner", this.#cronJob.metadata.uid);
  }

  #isGone({ metadata: { uid, deletionTimestamp } }: DeepReadonly<Job>): boolean {
    return this.#memory.gone.has(uid) && deletionTimestamp === undefined;
  }

  /** Creations whose answer was lost: whether they took effect decides what may start now. */
  async #resolveDoubts(cached: readonly DeepReadonly<Job>[]): Promise<void> {
    for (const name of this.#memory.doubtful) {
      if (!cached.some(({ metadata }) => metadata.name === name)) {
        const job = await this.get(name);
        if (job && this.isOurs(job)) this.remember(job);
      }
      this.#memory.doubtful.delete(name);
    }
  }

  /** An active Job that the cache lacks, it may only lack as yet. */
  async #lookForActive(cached: readonly DeepReadonly<Job>[]): Promise<void> {
    const { gone, unseen } = this.#memory;
    const active = this.#cronJob.status?.active ?? [];
    const now = this.#options.clock.monotonic();
    for (const { name, uid } of [...active, ...this.#memory.longUnseen(now)]) {
      if (!name || !uid || gone.has(uid) || (unseen.has(uid) && !this.#memory.isLongUnseen(uid, now))) continue;
      if (cached.some(({ metadata }) => metadata.uid === uid)) continue;
      const job = await this.get(name);
      unseen.delete(uid);
      if (job?.metadata.uid === uid) this.remember(job);
      else gone.add(uid);
    }
  }
}
