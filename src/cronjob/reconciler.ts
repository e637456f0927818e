import type { KubeClient } from "../kube/client.ts";
import type { DeepReadonly, ObjectKey } from "../kube/object.ts";
import type { Job } from "../kube/resource.ts";
import type { Clock } from "../runtime/clock.ts";
import type { ReconcileResult } from "../runtime/controller.ts";
import type { EventSink } from "../runtime/event_recorder.ts";
import type { Store } from "../runtime/store.ts";
import type { EpochMs } from "../schedule/epoch_ms.ts";
import type { CronJobApi } from "./api/flavour.ts";
import { decide } from "./decision/decide.ts";
import type { RunNotice } from "./status/events.ts";
import { CronJobMemory } from "./knowledge/decision_memory.ts";
import { ownerOf } from "./decision/ownership.ts";
import { Pass } from "./job_creation.ts";
import type { CronJobReport } from "./status/report.ts";
import type { CronJobObject } from "./api/types.ts";

export interface ReconcilerOptions {
  readonly api: CronJobApi;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly recorder: EventSink;
  readonly cronJobs: Store<CronJobObject>;
  /** Indexed by the UID of the CronJob that {@linkcode ownerOf} finds. */
  readonly jobs: Store<Job, "owner">;
  /** Whether a CronJob is ours to look at. @default all are */
  readonly isOurs?: (cronJob: DeepReadonly<CronJobObject>) => boolean;
  readonly annotateNextRun?: boolean;
  /** Is told when a run starts, ends or is refused. Must not throw. */
  readonly onRun?: (run: RunNotice, cronJob: DeepReadonly<CronJobObject>) => void;
  /** Is told what was found, at the end of each look. Must not throw. */
  readonly onReport?: (report: CronJobReport, cronJob: DeepReadonly<CronJobObject>) => void;
}

/**
 * Carries out what `decide` decides, one {@linkcode Pass} at a time for each CronJob.
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
 * Assumptions: one process at a time works on a CronJob (leader election), and its caches were listed after the one
 * before it ended, which `takeOver` sees to. What it met and saw while that one worked only adds to what it knows.
 *
 * Caveats: if a Job is deleted by somebody else between its creation and the first status write, and the process dies in
 * just that time too, then nothing is left that tells of the Job, and its time starts again. No note made beforehand would
 * help: it could not tell a Job that ran and went from one that never came to be. A finalizer would, for one more request a
 * run, and for Jobs that nobody could delete while no controller runs.
 */
export class Reconciler {
  readonly #options: ReconcilerOptions;
  /** By UID of the CronJob. */
  readonly #memories = new Map<string, CronJobMemory>();

  constructor(options: ReconcilerOptions) {
    this.#options = options;
  }

  /** After `ending` is aborted, no further Job is begun with: there may be many to catch up with. */
  async reconcile(
    key: ObjectKey,
    signal: AbortSignal,
    { ending }: { ending?: AbortSignal } = {},
  ): Promise<ReconcileResult | void> {
    const cached = this.#options.cronJobs.get(key);
    if (!cached) return;
    const { uid } = cached.metadata;
    const cronJob = this.#memories.get(uid)?.newest(cached) ?? cached;
    if (this.#options.isOurs?.(cronJob) === false) return;
    return await new Pass(this.#options, { cronJob, memory: this.#memoryOf(uid), signal, ending }).run();
  }

  /**
   * Starts what is due of a CronJob that no other Job can hold back, and does nothing else. For the time of taking over
   * when the cache of CronJobs is as new as what a former leader did, and that of Jobs is still being listed.
   *
   * Why that is safe: under Allow, which Jobs there are decides nothing but which times have had theirs. A time after
   * the status' `lastScheduleTime` whose Job exists keeps its name, since Jobs are cleaned up only after the status tells
   * of them; so its creation meets `AlreadyExists`. What else depends on Jobs (other policies, limits, triggers, a change
   * of schedule that no status tells of, and all bookkeeping) waits for the list.
   */
  async startDue(
    key: ObjectKey,
    signal: AbortSignal,
    { ending }: { ending?: AbortSignal } = {},
  ): Promise<ReconcileResult | void> {
    const cronJob = this.#options.cronJobs.get(key);
    if (!cronJob || this.#options.isOurs?.(cronJob) === false) return;
    const memory = this.#memoryOf(cronJob.metadata.uid);
    return await new Pass(this.#options, { cronJob, memory, signal, ending }).startDue();
  }

  /**
   * When the CronJob will have to be looked at, if nothing changes before: now, where something is due; undefined for
   * never. To be told of each version while another process does the work, and remembers what only those see who watch.
   */
  foresee(cronJob: DeepReadonly<CronJobObject>): EpochMs | undefined {
    const { api, clock, jobs: store, annotateNextRun } = this.#options;
    const memory = this.#memoryOf(cronJob.metadata.uid);
    const now = clock.now();
    memory.observe(cronJob, { api, now });
    const jobs = store.byIndex("owner", cronJob.metadata.uid);
    for (const job of jobs) memory.met(job, api);
    const { creation, requeueAt } = decide({ api, cronJob, jobs, now, memory, annotateNextRun });
    return creation ? now : requeueAt;
  }

  /** The cache has caught up with this Job. */
  sawJob(job: DeepReadonly<Job>, isGone: boolean): void {
    const memory = this.#memories.get(ownerOf(this.#options.api, job)?.uid ?? "");
    memory?.met(job, this.#options.api);
    memory?.saw(job, isGone);
  }

  forget(uid: string): void {
    this.#memories.delete(uid);
  }

  #memoryOf(uid: string): CronJobMemory {
    let memory = this.#memories.get(uid);
    if (!memory) this.#memories.set(uid, memory = new CronJobMemory());
    return memory;
  }
}
