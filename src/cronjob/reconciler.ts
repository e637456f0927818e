import type { Place } from "../kube/client.ts";
import { makeKey, type ObjectKey } from "../kube/object.ts";
import type { ReconcileOptions, ReconcileResult } from "../runtime/controller.ts";
import type { Started } from "../runtime/due_starts.ts";
import { OwnWrites } from "../runtime/own_writes.ts";
import { earliest, type EpochMs } from "../base/epoch_ms.ts";
import { type CronJob, isAcknowledged } from "./api/cron_job.ts";
import type { Child } from "./api/job.ts";
import { isFreed } from "./api/name_hold.ts";
import { ArmedRuns } from "./armed_runs.ts";
import { noteRecorded, recordFirst, settle, start, type Sync } from "./carry_out.ts";
import { certainVersion, type CertainVersionOptions, isInDoubt } from "./certain_version.ts";
import { decide, decideRecords, startPlan } from "./decide.ts";
import { find, mayStartUnlisted, nextInstant, readyRun } from "./decision/find.ts";
import type { DecisionInput } from "./decision/input.ts";
import { createJob, type JobCreationOptions } from "./job_creation.ts";
import { type Knowledge, KnowledgeBase, type KnowledgeOptions } from "./knowledge/knowledge.ts";
import { KnownJobs, type KnownJobsOptions } from "./knowledge/known_jobs.ts";
import type { NextRun, SettlePlan } from "./plan.ts";
import { getFailed } from "./status/events.ts";
import { Writes, type WritesOptions } from "./writes.ts";

export interface ReconcilerOptions
  extends KnowledgeOptions, KnownJobsOptions, Omit<WritesOptions, "ownWrites">, Omit<JobCreationOptions, "charge"> {
  /** Whether a CronJob is ours to reconcile. @default all are */
  readonly isOurs?: ((cronJob: CronJob) => boolean) | undefined;
}

/** How long a namespace that is going away is left alone: nothing can be created there. */
const TERMINATING_MS = 5 * 60_000;
/** A long catch-up is recorded at least this often. */
const RECORD_EVERY_MS = 5_000;

/**
 * Gathers what `decide` rests on, and has carried out what it decides.
 *
 * Flow: the run that is due is started, by {@linkcode Reconciler.startDue}, before anything is written about any CronJob.
 * Then {@linkcode Reconciler.reconcile} decides again: it starts what else is to be started, one run after the other, and
 * once nothing is, it records what was found in the status, cleans up, reports, and arms the next run.
 *
 * Guarantees, whatever dies when and however far the caches are behind:
 * - No scheduled time gets two Jobs. The Job's name is the lock; and a Job is only ever cleaned up after the status has
 *   `lastScheduleTime` at or after its time, outside of what is recorded as passed over.
 * - A clock that was ahead holds back nothing that was not started, once it is right: what was passed over on the way to
 *   `lastScheduleTime` is recorded, and starts at its time.
 * - Under Forbid no Job starts beside another. A Job counts from the answer to its creation on, not from its arrival in the
 *   cache; and where no answer came, the API server is asked before anything else is started.
 * - A status is never written over one that this process has not seen: the version that it was read at is a precondition.
 *
 * Assumptions: one process at a time works on a CronJob (leader election), and its caches were listed after the one
 * before it ended, which `takeOver` sees to. What it learns while another process works only adds to what it knows.
 *
 * Caveats: the record has bounds (`decision/stretches.ts`); beyond them runs are held back rather than started twice. A
 * clock that was set back by less than ten seconds counts as right. And if another client, such as the TTL controller,
 * deletes a Job between its creation and the first status write, and the process dies in just that time too, nothing is
 * left that knows of the Job, and its time starts again. `neverTwice` closes that (`decision/name_hold.ts`), and starts
 * nothing by what a restored API server says (`certain_version.ts`).
 */
export class Reconciler {
  readonly #options: ReconcilerOptions;
  readonly #knowledge: KnowledgeBase;
  readonly #ownWrites = new OwnWrites<CronJob>();
  readonly #armed: ArmedRuns;
  readonly #writesOptions: WritesOptions & CertainVersionOptions;
  readonly #creationOptions: JobCreationOptions;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
    this.#armed = new ArmedRuns(options.neverTwice);
    this.#knowledge = new KnowledgeBase(options);
    this.#writesOptions = { ...options, ownWrites: this.#ownWrites };
    this.#creationOptions = { ...options, charge: () => this.#knowledge.charge };
  }

  /**
   * Starts the run of this instant, if there is one, and does nothing else. Returns when the next one starts, and whether
   * a run is left to {@linkcode Reconciler.reconcile}: it was missed, or the API server has to be asked about its Jobs first.
   *
   * With `jobsAreListed: false` the cache of CronJobs is as new as what a former leader did, and that of Jobs is still
   * being listed; then only a run that no other Job can hold back starts. Why that is safe: under Allow, which Jobs there
   * are decides nothing but which times have had theirs. A time after the status' `lastScheduleTime` whose Job exists
   * keeps its name, since Jobs are cleaned up only after the status records them; so its creation meets `AlreadyExists`.
   * All else that depends on Jobs (other policies, limits, triggers, a change of schedule that no status records, and all
   * bookkeeping) waits for the list.
   */
  async startDue(
    key: ObjectKey,
    signal: AbortSignal,
    { jobsAreListed = true, place }: { readonly jobsAreListed?: boolean; readonly place?: Place | undefined } = {},
  ): Promise<Started> {
    const cronJob = this.#current(key);
    if (!cronJob) return {};
    const { clock } = this.#options;
    const knowledge = this.#knowledge.of(cronJob);
    const { witness, creations, overlay } = knowledge;
    if (isInDoubt({ cronJob, knowledge }, this.#options.neverTwice)) return {};
    const sync = this.#sync(cronJob, knowledge, signal, place);
    if (overlay.doubtful.size > 0) {
      place?.[Symbol.dispose]();
      await sync.jobs.resolveDoubts(signal);
      creations.noteCertain();
    }
    const ready = this.#armed.take(cronJob, {
      now: clock.now(),
      startedUntil: witness.facts.startedUntil,
      hasRoom: (maxActive) => jobsAreListed && !sync.jobs.mustAsk && sync.jobs.countActive() < maxActive,
    });
    if (ready) {
      const { request, body } = ready;
      await createJob(this.#creationOptions, { cronJob, request, body, events: [] }, sync);
      return { dueAt: earliest(ready.followingAt, creations.retryAt) };
    }
    knowledge.noteVersion(cronJob, clock.now());
    // Where other Jobs can hold it back, those that the status lists and the cache lacks are asked about.
    const mustKnowAll = jobsAreListed && cronJob.settings.maxActive !== Infinity;
    const mustAsk = mustKnowAll && sync.jobs.mustAsk;
    if (mustAsk) place?.[Symbol.dispose]();
    const input = this.#inputWith(sync, mustAsk ? await sync.jobs.all(signal) : sync.jobs.known());
    const findings = find(input);
    const plan = startPlan(findings);
    if (!plan) return { dueAt: nextInstant(findings) };
    const isFree = jobsAreListed || mayStartUnlisted(input);
    const dueAt = plan.nextInstant;
    if (plan.request.trigger !== "Schedule" || !isFree) return { dueAt };
    // A missed run comes after runs that are due elsewhere: it only joins the line before its deadline.
    const mayRecord = jobsAreListed && !sync.jobs.mustAsk;
    if (plan.isCatchUp || (plan.recordFirst && !mayRecord)) {
      const isUrgent = mayRecord && cronJob.settings.startingDeadlineMs < Infinity;
      if (isUrgent) await recordFirst(this.#creationOptions, plan, sync);
      return { dueAt, isLate: true };
    }
    await start(this.#creationOptions, plan, sync);
    return { dueAt: earliest(dueAt, creations.retryAt) };
  }

  /**
   * Brings one CronJob to where it should be: one run that is left to start, or everything else.
   *
   * After `ending` is aborted no further Job is begun with: there may be many to catch up with.
   */
  async reconcile(
    key: ObjectKey,
    signal: AbortSignal,
    { ending }: Partial<ReconcileOptions> = {},
  ): Promise<ReconcileResult> {
    const newest = this.#current(key);
    if (!newest) return {};
    const knowledge = this.#knowledge.of(newest);
    const { creations, unreported } = knowledge;
    const { clock, reporter } = this.#options;
    const { cronJob, lookAt } = await certainVersion(this.#writesOptions, { cronJob: newest, knowledge }, signal);
    if (!cronJob) return { requeueAt: lookAt };
    const sync = this.#sync(cronJob, knowledge, signal);
    reporter.started(cronJob, unreported);
    this.#knowledge.noteVersion(cronJob);
    const jobs = await reporter.whenRefused(cronJob, unreported, getFailed, sync.jobs.all(signal));
    creations.noteCertain();
    let plan = decide(this.#inputWith(sync, jobs));
    if (plan.kind === "start" && !creations.answers.isTerminating) {
      // A run that was started keeps its name, and so its time, whichever process goes on.
      if (ending?.aborted) return {};
      await start(this.#creationOptions, plan, sync);
      reporter.started(sync.writes.cronJob, unreported);
      plan = decide(this.#inputWith(sync, sync.jobs.known()));
    }
    if (creations.answers.isTerminating) {
      creations.clear();
      return { requeueAt: clock.now() + TERMINATING_MS };
    }
    if (plan.kind === "settle") return await this.#settle(plan, sync);
    // There is more to start. Others get their turn between two runs, and long work is recorded meanwhile.
    if (!unreported.mayPutOffRecords(clock.monotonic(), RECORD_EVERY_MS)) {
      const { answers } = creations;
      await this.#settle(decideRecords(this.#inputWith(sync, sync.jobs.known())), sync);
      creations.keep(answers);
    }
    return { again: true, requeueAt: plan.nextInstant };
  }

  /** Whether a change of the spec is not acknowledged yet: tools that wait for it go by `status.observedGeneration`. */
  isAwaited(key: ObjectKey): boolean {
    const cronJob = this.#current(key);
    return cronJob !== undefined && !isAcknowledged(cronJob);
  }

  /** Returns when the CronJob is to be reconciled if nothing changes before; undefined for never. */
  nextInstant(key: ObjectKey): EpochMs | undefined {
    const cronJob = this.#current(key);
    if (!cronJob) return undefined;
    const sync = this.#sync(cronJob, this.#knowledge.of(cronJob), new AbortController().signal);
    return nextInstant(find(this.#inputWith(sync, sync.jobs.known())));
  }

  /**
   * Returns when the CronJob will have to be reconciled: now, where something is due; undefined for never. Called with
   * each version while another process does the work, so that this one knows what only a witness can know.
   */
  foresee(cached: CronJob): EpochMs | undefined {
    const knowledge = this.#knowledge.of(cached);
    const now = this.#options.clock.now();
    this.#knowledge.noteVersion(cached);
    const sync = this.#sync(cached, knowledge, new AbortController().signal);
    const jobs = sync.jobs.known();
    for (const child of jobs) knowledge.witness.noteJob(child, now);
    sync.jobs.forgetGone();
    const findings = find(this.#inputWith(sync, jobs));
    return readyRun(findings) ? now : nextInstant(findings);
  }

  /** Called with each version of a CronJob that the cache shows. Returns whether it is a write of ours, and no news. */
  noteCronJob(cronJob: CronJob): boolean {
    if (this.#ownWrites.isOwn(cronJob)) return true;
    const { uid } = cronJob.metadata;
    this.#knowledge.noteVersion(cronJob);
    this.#armed.disarm(uid);
    return false;
  }

  /** Called with each version of a Job that the cache shows, or its end. Returns whether it is no news. */
  noteJob(child: Child, isGone: boolean, previous?: Child): boolean {
    return this.#knowledge.noteJob(child, isGone) || isFreed(child, previous);
  }

  /** Notices when the wall clock was set back. */
  lookAtClock(): void {
    this.#knowledge.lookAtClock();
  }

  /**
   * Records what was started and is not recorded yet, and reports it: there may be no reconciliation any more. What fails
   * is left to the next process, which sees the Jobs.
   */
  async recordStarted(signal: AbortSignal): Promise<void> {
    await Promise.allSettled(
      [...this.#options.cronJobs.values()].map(async ({ metadata: { uid, namespace, name } }) => {
        const knowledge = this.#knowledge.find(uid);
        const cronJob = knowledge && this.#current(makeKey(namespace, name));
        if (!cronJob) return;
        const { reporter, clock } = this.#options;
        reporter.started(cronJob, knowledge.unreported);
        knowledge.noteVersion(cronJob, clock.now());
        if (!knowledge.witness.hasUnrecorded) return;
        const sync = this.#sync(cronJob, knowledge, signal);
        const plan = decideRecords(this.#inputWith(sync, sync.jobs.known()));
        await sync.writes.record(plan.records);
        noteRecorded(reporter, plan, sync);
      }),
    );
  }

  /** Called when a CronJob is gone, or no longer ours. */
  forget(cronJob: CronJob): void {
    const { uid } = cronJob.metadata;
    const knowledge = this.#knowledge.find(uid);
    if (knowledge) this.#options.reporter.started(cronJob, knowledge.unreported);
    this.#knowledge.forget(uid);
    this.#ownWrites.forget(uid);
    this.#armed.disarm(uid);
  }

  #current(key: ObjectKey): CronJob | undefined {
    const cached = this.#options.cronJobs.get(key);
    const cronJob = cached && this.#ownWrites.latest(cached);
    return cronJob && this.#options.isOurs?.(cronJob) === false ? undefined : cronJob;
  }

  #sync(cronJob: CronJob, knowledge: Knowledge, signal: AbortSignal, place?: Place): Sync {
    return {
      knowledge,
      signal,
      place,
      jobs: new KnownJobs(this.#options, cronJob, knowledge),
      writes: new Writes(this.#writesOptions, cronJob, { knowledge, signal, place }),
    };
  }

  #inputWith({ writes, knowledge }: Sync, jobs: readonly Child[]): DecisionInput {
    return this.#knowledge.inputFor(writes.cronJob, knowledge, jobs);
  }

  async #settle(plan: SettlePlan, sync: Sync): Promise<ReconcileResult> {
    const settled = await settle(this.#options, plan, sync);
    switch (settled.kind) {
      case "gone":
        return {};
      case "unfinished":
        return { again: true, requeueAt: settled.requeueAt };
      case "settled":
        this.#arm(sync.writes.cronJob, plan.nextRun, sync.knowledge);
        return { requeueAt: settled.requeueAt };
    }
  }

  #arm(cronJob: CronJob, nextRun: NextRun | undefined, knowledge: Knowledge): void {
    // It may have been deleted meanwhile.
    if (this.#knowledge.find(cronJob.metadata.uid) !== knowledge) return;
    const { startedUntil } = knowledge.witness.facts;
    this.#armed.arm(cronJob, nextRun, { now: this.#options.clock.now(), startedUntil });
  }
}
