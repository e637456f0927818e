import { ApiError } from "../kube/api_error.ts";
import type { DeepReadonly } from "../kube/object.ts";
import { type Job, JOBS } from "../kube/resource.ts";
import type { ReconcileResult } from "../runtime/controller.ts";
import { type EpochMs, parseTime } from "../schedule/epoch_ms.ts";
import type { CronJobEdit } from "./adoption/adoption_edits.ts";
import type { Child } from "./api/job.ts";
import { decide } from "./decision/decide.ts";
import {
  created,
  createFailed,
  deleted,
  deleteFailed,
  getFailed,
  handOverFailed,
  type PlannedEvent,
} from "./status/events.ts";
import { KnownJobs } from "./knowledge/known_jobs.ts";
import type { CronJobMemory } from "./knowledge/decision_memory.ts";
import { handOverPatch } from "./decision/ownership.ts";
import type { ReconcilerOptions } from "./reconciler.ts";
import { readSettings } from "./api/settings.ts";
import { answeredTrigger } from "./decision/trigger.ts";
import type { CronJobObject } from "./api/types.ts";
import type { Creation, Plan, World } from "./decision/plan.ts";

/** How long until a namespace that is going away is looked at again: nothing can be created there, and nobody minds. */
const TERMINATING_MS = 5 * 60_000;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 60_000;
/** How long until a Job whose owner reference could not be changed is tried again. */
const HAND_OVER_RETRY_MS = 10_000;

/** One look at one CronJob, from gathering its world to the last of its plan. */
export class Pass {
  readonly #options: ReconcilerOptions;
  readonly #memory: CronJobMemory;
  readonly #signal: AbortSignal;
  readonly #ending: AbortSignal | undefined;
  readonly #jobs: KnownJobs;
  #cronJob: DeepReadonly<CronJobObject>;
  /** When to try again what was refused. */
  #retryAt: EpochMs | undefined;
  /** Nothing can be created in the namespace any more, so there is nothing to tell either. */
  #isTerminating = false;

  constructor(
    options: ReconcilerOptions,
    { cronJob, memory, signal, ending }: {
      cronJob: DeepReadonly<CronJobObject>;
      memory: CronJobMemory;
      signal: AbortSignal;
      ending?: AbortSignal;
    },
  ) {
    this.#options = options;
    this.#ending = ending;
    this.#cronJob = cronJob;
    this.#memory = memory;
    this.#signal = signal;
    this.#jobs = new KnownJobs(options, { cronJob, memory, signal });
  }

  async run(): Promise<ReconcileResult> {
    let world = await this.#gather();
    let plan = decide(world);
    while (plan.creation) {
      // What has been started keeps its name, and so its time, whoever goes on.
      if (this.#ending?.aborted) return {};
      world = await this.#start(plan.creation, plan, world);
      if (this.#isTerminating) return { requeueAt: world.now + TERMINATING_MS };
      plan = decide(world);
    }
    const areHandedOver = await this.#handOver(plan.handOvers);
    if (!await this.#exists(this.#record(plan, areHandedOver))) return {};
    this.#say(plan.events);
    this.#memory.decided(plan.decidedUntil);
    this.#options.onReport?.(plan.report, this.#cronJob);
    await Promise.all(plan.deletions.map((child) => this.#cleanUp(child)));
    const { requeueAt = Infinity } = plan;
    const at = Math.min(requeueAt, this.#retryAt ?? Infinity);
    return at === Infinity ? {} : { requeueAt: at };
  }

  /** The part of it that needs no list of Jobs: see {@linkcode Reconciler.startDue}. */
  async startDue(): Promise<ReconcileResult> {
    this.#memory.observe(this.#cronJob, { api: this.#options.api, now: this.#options.clock.now() });
    let world = this.#worldWith(this.#jobs.known());
    let plan = decide(world);
    while (plan.creation && !this.#ending?.aborted && !this.#isTerminating && needsNoOthers(plan.creation, world)) {
      world = await this.#start(plan.creation, plan, world);
      plan = decide(world);
    }
    return { requeueAt: plan.requeueAt };
  }

  async #gather(): Promise<World> {
    const { api, clock } = this.#options;
    this.#memory.observe(this.#cronJob, { api, now: clock.now() });
    return this.#worldWith(await this.#asking(this.#jobs.all()));
  }

  #worldWith(jobs: World["jobs"]): World {
    const { api, clock, annotateNextRun } = this.#options;
    const { deleted } = this.#memory;
    return { api, cronJob: this.#cronJob, jobs, now: clock.now(), memory: this.#memory, deleted, annotateNextRun };
  }

  /** Tells when the API server refuses to say which Jobs there are. */
  async #asking<T>(question: Promise<T>): Promise<T> {
    try {
      return await question;
    } catch (error) {
      if (error instanceof ApiError) this.#say([getFailed(error.message)]);
      throw error;
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
      const existing = await this.#asking(this.#jobs.get(jobName));
      // Somebody else's; or it was there, and is gone: either way this time has had its Job.
      if (!existing || !this.#jobs.isOurs(existing)) {
        this.#memory.started(scheduledTime);
        return { ...after, taken: new Set([...world.taken ?? [], jobName]) };
      }
      job = existing;
    }
    this.#memory.doubtful.delete(jobName);
    this.#memory.refusals = 0;
    this.#memory.started(scheduledTime);
    this.#jobs.remember(job);
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

  /** Whether all of them name now whom they should. What is refused is tried again, and holds up nothing else. */
  async #handOver(handOvers: Plan["handOvers"]): Promise<boolean> {
    // Settled, as none of them may be under way when the next look begins.
    const results = await Promise.allSettled(handOvers.map(async ({ child, controller }) => {
      const { name, namespace, uid } = child.job.metadata;
      const patch = handOverPatch(child.job, this.#cronJob.metadata.uid, { controller });
      const before = this.#memory.handedOver.get(uid);
      this.#memory.handOver(uid, "unknown");
      try {
        await this.#options.client.patch(JOBS, { name, namespace }, patch, { lane: "status", signal: this.#signal });
        this.#memory.handOver(uid, controller);
        return true;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (error.isNotFound) return true;
        if (error.code < 500) this.#memory.handOver(uid, before);
        this.#say([handOverFailed(child, error.message)]);
        this.#retryAt = Math.min(this.#retryAt ?? Infinity, this.#options.clock.now() + HAND_OVER_RETRY_MS);
        return false;
      }
    }));
    const failed = results.find((result) => result.status === "rejected");
    if (failed) throw failed.reason;
    return results.every((result) => result.status === "fulfilled" && result.value);
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

  async #record({ status, annotations, release }: Plan, mayRelease = false): Promise<void> {
    if (status) await this.#writeStatus(status);
    if (annotations) await this.#edit({ annotations });
    if (release && mayRelease) await this.#edit(release);
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

  async #edit({ annotations, spec }: CronJobEdit): Promise<void> {
    const before = this.#cronJob;
    const { client, api } = this.#options;
    const { name, namespace, resourceVersion } = before.metadata;
    const body = { metadata: { resourceVersion, annotations }, spec };
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

/** Whether it makes no difference to a run which other Jobs there are. */
function needsNoOthers({ occasion }: Creation, { api, cronJob, memory }: World): boolean {
  return occasion.trigger === "Schedule" && readSettings(api, cronJob).maxActive === Infinity &&
    memory?.editedAt === undefined;
}

function isAbout(scheduledTime: EpochMs | undefined): (event: PlannedEvent) => boolean {
  return (event) => scheduledTime !== undefined && event.scheduledTime === scheduledTime;
}
