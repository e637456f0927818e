import { ApiError } from "../kube/api_error.ts";
import type { KubeClient } from "../kube/client.ts";
import { controllerOf, type DeepReadonly, type ObjectKey } from "../kube/object.ts";
import { type Job, JOBS } from "../kube/resource.ts";
import type { Clock } from "../runtime/clock.ts";
import type { ReconcileResult } from "../runtime/controller.ts";
import type { EventSink } from "../runtime/event_recorder.ts";
import type { Store } from "../runtime/store.ts";
import { type EpochMs, parseTime } from "../schedule/epoch_ms.ts";
import type { CronJobApi } from "./api.ts";
import type { Child } from "./children.ts";
import { decide } from "./decide.ts";
import {
  created,
  createFailed,
  deleted,
  deleteFailed,
  getFailed,
  type PlannedEvent,
  type RunNotice,
} from "./events.ts";
import { CronJobMemory } from "./memory.ts";
import { answeredTrigger } from "./trigger.ts";
import type { CronJobObject } from "./types.ts";
import type { Creation, Plan, World } from "./world.ts";

export interface ReconcilerOptions {
  readonly api: CronJobApi;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly recorder: EventSink;
  readonly cronJobs: Store<CronJobObject>;
  /** Indexed by the UID of the controlling owner. */
  readonly jobs: Store<Job, "controller">;
  readonly annotateNextRun?: boolean;
  /** Is told when a run starts, ends or is refused. Must not throw. */
  readonly onRun?: (run: RunNotice, cronJob: DeepReadonly<CronJobObject>) => void;
}

/** How long until a namespace that is going away is looked at again: nothing can be created there, and nobody minds. */
const TERMINATING_MS = 5 * 60_000;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 60_000;

/**
 * Carries out what {@linkcode decide} decides.
 *
 * Flow: gather the world from the caches and from what this process did itself; create the due Job; decide again on the
 * world with it, until nothing is due; write the status; then clean up, and tell.
 *
 * Guarantees, whatever dies when and however far the caches are behind:
 * - No scheduled time gets two Jobs. The Job's name is the lock; and a Job is only ever cleaned up after the status has
 *   `lastScheduleTime` at or after its time, which never goes back.
 * - Under Forbid no Job starts beside another. A Job counts from the answer to its creation on, not from its arrival in the
 *   cache; and where no answer came, the API server is asked before anything else is started.
 * - A status is never written over one that this process has not seen: the version that it was read at is a precondition.
 *
 * Assumptions: one process at a time works on a CronJob (leader election), and its cache of Jobs was listed after the
 * one before it ended.
 *
 * Caveats: if a Job is deleted by somebody else between its creation and the first status write, and the process dies in
 * just that time too, then nothing is left that tells of the Job, and its time starts again.
 */
export class Reconciler {
  readonly #options: ReconcilerOptions;
  /** By UID of the CronJob. */
  readonly #memories = new Map<string, CronJobMemory>();

  constructor(options: ReconcilerOptions) {
    this.#options = options;
  }

  async reconcile(key: ObjectKey, signal: AbortSignal): Promise<ReconcileResult | void> {
    const cached = this.#options.cronJobs.get(key);
    if (!cached) return;
    const memory = this.#memoryOf(key, cached.metadata.uid);
    const work = new Pass(this.#options, { cronJob: memory.newest(cached), memory, signal });
    return await work.run();
  }

  /** The cache has caught up with this Job. */
  sawJob(job: DeepReadonly<Job>, isGone: boolean): void {
    const memory = this.#memories.get(controllerOf(job)?.uid ?? "");
    memory?.met(job, this.#options.api);
    memory?.saw(job, isGone);
  }

  forget(uid: string): void {
    this.#memories.delete(uid);
  }

  #memoryOf(key: ObjectKey, uid: string): CronJobMemory {
    let memory = this.#memories.get(uid);
    if (!memory) this.#memories.set(uid, memory = new CronJobMemory(key));
    return memory;
  }
}

/** One look at one CronJob, from gathering its world to the last of its plan. */
class Pass {
  readonly #options: ReconcilerOptions;
  readonly #memory: CronJobMemory;
  readonly #signal: AbortSignal;
  #cronJob: DeepReadonly<CronJobObject>;
  /** When to try again what was refused. */
  #retryAt: EpochMs | undefined;
  /** Nothing can be created in the namespace any more, so there is nothing to tell either. */
  #isTerminating = false;

  constructor(
    options: ReconcilerOptions,
    { cronJob, memory, signal }: { cronJob: DeepReadonly<CronJobObject>; memory: CronJobMemory; signal: AbortSignal },
  ) {
    this.#options = options;
    this.#cronJob = cronJob;
    this.#memory = memory;
    this.#signal = signal;
  }

  async run(): Promise<ReconcileResult> {
    let world = await this.#gather();
    let plan = decide(world);
    while (plan.creation) {
      world = await this.#start(plan.creation, plan, world);
      if (this.#isTerminating) return { requeueAt: world.now + TERMINATING_MS };
      plan = decide(world);
    }
    if (!await this.#exists(this.#record(plan))) return {};
    this.#say(plan.events);
    this.#memory.decided(plan.decidedUntil);
    await Promise.all(plan.deletions.map((child) => this.#cleanUp(child)));
    const { requeueAt = Infinity } = plan;
    const at = Math.min(requeueAt, this.#retryAt ?? Infinity);
    return at === Infinity ? {} : { requeueAt: at };
  }

  async #gather(): Promise<World> {
    const { api, clock, jobs, annotateNextRun } = this.#options;
    const memory = this.#memory;
    const now = clock.now();
    memory.observe(this.#cronJob, now);
    const cached = jobs.byIndex("controller", this.#cronJob.metadata.uid);
    for (const job of cached) {
      memory.met(job, api);
      memory.saw(job, false);
    }
    await this.#resolveDoubts(cached);
    await this.#lookForActive(cached);
    return {
      api,
      cronJob: this.#cronJob,
      // A Job that a finalizer keeps is still there, whatever was accepted.
      jobs: [
        ...cached.filter((job) => !this.#isGone(job) && !memory.unseen.has(job.metadata.uid)),
        ...memory.unseen.values(),
      ],
      now: clock.now(),
      memory,
      deleted: memory.deleted,
      annotateNextRun,
    };
  }

  #isGone({ metadata: { uid, deletionTimestamp } }: DeepReadonly<Job>): boolean {
    return this.#memory.gone.has(uid) && deletionTimestamp === undefined;
  }

  /** Creations whose answer was lost: whether they took effect decides what may start now. */
  async #resolveDoubts(cached: readonly DeepReadonly<Job>[]): Promise<void> {
    for (const name of this.#memory.doubtful) {
      if (!cached.some(({ metadata }) => metadata.name === name)) {
        const job = await this.#getJob(name);
        if (job && this.#isOurs(job)) this.#remember(job);
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
      const job = await this.#getJob(name);
      unseen.delete(uid);
      if (job?.metadata.uid === uid) this.#remember(job);
      else gone.add(uid);
    }
  }

  async #getJob(name: string): Promise<Job | undefined> {
    try {
      const { namespace } = this.#cronJob.metadata;
      return await this.#options.client.get(JOBS, { namespace, name }, { lane: "run", signal: this.#signal });
    } catch (error) {
      if (error instanceof ApiError && error.isNotFound) return undefined;
      if (error instanceof ApiError) this.#say([getFailed(name, error.message)]);
      throw error;
    }
  }

  #isOurs(job: DeepReadonly<Job>): boolean {
    return controllerOf(job)?.uid === this.#cronJob.metadata.uid;
  }

  #remember(job: DeepReadonly<Job>): void {
    const { uid } = job.metadata;
    const cached = this.#options.jobs.byIndex("controller", this.#cronJob.metadata.uid);
    if (!this.#memory.gone.has(uid) && !cached.some(({ metadata }) => metadata.uid === uid)) {
      this.#memory.remember(job, this.#options.clock.monotonic());
      this.#memory.met(job, this.#options.api);
    }
  }

  /** Creates a due Job; gives back the world as it is then. */
  async #start(creation: Creation, plan: Plan, world: World): Promise<World> {
    const { occasion, replaces } = creation;
    const jobName = creation.job.metadata.name!;
    const scheduledTime = occasion.trigger === "Schedule" ? occasion.scheduledTime : undefined;
    if (replaces.some((child) => isUntold(child, world))) await this.#record(plan);
    for (const child of replaces) await this.#replace(child);
    const replaced = new Set(replaces.map(({ job }) => job.metadata.uid));
    const after = {
      ...world,
      cronJob: this.#cronJob,
      jobs: world.jobs.filter(({ metadata }) => !replaced.has(metadata.uid)),
    };

    let job: Job;
    this.#memory.doubtful.add(jobName);
    try {
      job = await this.#options.client.create(JOBS, creation.job, { lane: "run", signal: this.#signal });
      this.#say([
        created(jobName, scheduledTime),
        ...plan.events.filter(isAbout(scheduledTime)),
      ]);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // A server that failed, or gave up waiting, may have created it all the same.
      if (error.code < 500) this.#memory.doubtful.delete(jobName);
      if (!error.isAlreadyExists) return { ...after, refusal: this.#refused(error, jobName, scheduledTime) };
      const existing = await this.#getJob(jobName);
      // Somebody else's; or it was there, and is gone: either way this time has had its Job.
      if (!existing || !this.#isOurs(existing)) {
        this.#memory.started(scheduledTime);
        return { ...after, taken: new Set([...world.taken ?? [], jobName]) };
      }
      job = existing;
    }
    this.#memory.doubtful.delete(jobName);
    this.#memory.refusals = 0;
    this.#memory.started(scheduledTime);
    this.#remember(job);
    return { ...after, jobs: [...after.jobs.filter(({ metadata }) => metadata.uid !== job.metadata.uid), job] };
  }

  #refused(error: ApiError, jobName: string, scheduledTime: EpochMs | undefined): World["refusal"] {
    const now = this.#options.clock.now();
    this.#isTerminating = error.isNamespaceTerminating || error.isNotFound;
    if (this.#isTerminating) return { jobName, message: error.message };
    this.#say([createFailed(jobName, scheduledTime, error.message)]);
    // A Job that is invalid stays so until the spec changes; anything else, such as a quota, may pass.
    if (!error.isInvalid && error.code !== 400) {
      const delayMs = error.retryAfterMs ?? Math.min(FIRST_RETRY_MS * 2 ** this.#memory.refusals++, LAST_RETRY_MS);
      this.#retryAt = now + delayMs;
    }
    return { jobName, message: error.message, isUncertain: error.code >= 500 };
  }

  /** Resolves once the Job is going away. */
  async #replace(child: Child): Promise<void> {
    try {
      await this.#delete(child, "run");
      this.#say([deleted(child)]);
    } catch (error) {
      if (error instanceof ApiError) this.#say([deleteFailed(child, error.message)]);
      throw error;
    }
  }

  /** Best effort: what can't be deleted now is tried again at the next look. */
  async #cleanUp(child: Child): Promise<void> {
    try {
      await this.#delete(child, "housekeeping");
      this.#say([deleted(child)]);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#say([deleteFailed(child, error.message)]);
    }
  }

  async #delete({ job }: Child, lane: "run" | "housekeeping"): Promise<void> {
    const { name, namespace, uid } = job.metadata;
    try {
      await this.#options.client.delete(JOBS, { name, namespace }, {
        propagationPolicy: "Background",
        preconditions: { uid },
        lane,
        signal: this.#signal,
      });
    } catch (error) {
      // Gone already, or another Job has its name.
      if (!(error instanceof ApiError) || !(error.isNotFound || error.isConflict)) throw error;
    }
    this.#memory.removed(uid);
  }

  /** Whether the CronJob was still there to be written; if not, there is nothing left to do for it. */
  async #exists(write: Promise<void>): Promise<boolean> {
    try {
      await write;
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.isNotFound) return false;
      throw error;
    }
  }

  async #record({ status, annotations }: Plan): Promise<void> {
    if (status) await this.#writeStatus(status);
    if (annotations) await this.#writeAnnotations(annotations);
  }

  async #writeStatus(status: NonNullable<Plan["status"]>): Promise<void> {
    const before = this.#cronJob;
    const { client, api } = this.#options;
    const written = await client.replace(api.resource, { ...before, status } as CronJobObject, {
      subresource: "status",
      lane: "status",
      signal: this.#signal,
    });
    this.#memory.wrote(written, before);
    this.#cronJob = written;
  }

  async #writeAnnotations(annotations: NonNullable<Plan["annotations"]>): Promise<void> {
    const before = this.#cronJob;
    const { client, api } = this.#options;
    const { name, namespace, resourceVersion } = before.metadata;
    const body = { metadata: { resourceVersion, annotations } };
    const written = await client.patch(api.resource, { name, namespace }, { type: "merge", body }, {
      lane: "status",
      signal: this.#signal,
    });
    this.#memory.wrote(written, before);
    this.#cronJob = written;
  }

  /** Tells what was not told yet. */
  #say(events: readonly PlannedEvent[]): void {
    const { recorder, onRun } = this.#options;
    for (const { type, reason, message, about, scheduledTime, run } of events) {
      if (!this.#memory.say(`${reason} ${about}`)) continue;
      recorder.record({ regarding: this.#cronJob, type, reason, message, scheduledTime });
      if (run) onRun?.(run, this.#cronJob);
    }
  }
}

/** Whether nothing but the Job itself tells that it was started: once it is gone, its time or trigger would start again. */
function isUntold({ scheduledTime, triggeredBy }: Child, { api, cronJob }: World): boolean {
  if (scheduledTime !== undefined) return scheduledTime > (parseTime(cronJob.status?.lastScheduleTime) ?? -Infinity);
  return triggeredBy !== undefined && triggeredBy !== answeredTrigger(api, cronJob);
}

function isAbout(scheduledTime: EpochMs | undefined): (event: PlannedEvent) => boolean {
  return (event) => scheduledTime !== undefined && event.scheduledTime === scheduledTime;
}
