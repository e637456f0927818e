import { makeKey } from "../../kube/object.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import type { Clock } from "../../base/clock.ts";
import { ClockWatch } from "../../runtime/clock_watch.ts";
import type { Store } from "../../runtime/store.ts";
import type { CronJob } from "../api/cron_job.ts";
import { type Child, isChildOf } from "../api/job.ts";
import type { PodEnd } from "../api/types.ts";
import type { DecisionInput, NeverTwice } from "../decision/input.ts";
import { isNeverTwice } from "../decision/name_hold.ts";
import { pendingTimeoutMs } from "../decision/pending_timeout.ts";
import { CreationOutcomes } from "./creation_outcomes.ts";
import { JobOverlay } from "./job_overlay.ts";
import { NewestVersion } from "./newest_version.ts";
import { PodMemory } from "./pod_memory.ts";
import { PodReads, type ReadEnds } from "./read_ends.ts";
import { type Charge, Rivals } from "./rivals.ts";
import { type StartedRun, Unreported } from "./unreported.ts";
import { type HowStarted, Witness } from "./witness.ts";

export interface KnowledgeOptions {
  readonly clock: Clock;
  readonly cronJobs: Store<CronJob>;
  /** Keeps the next run in an annotation where the status has no room for it. @default {false} */
  readonly annotateNextRun?: boolean | undefined;
  /** How long a Job may wait for its Pods to start where its CronJob says nothing of it. @default for ever */
  readonly defaultPendingTimeoutMs?: number | undefined;
  /** Reads how the Pods of a finished Job ended. @default Jobs that failed stay, and no message is judged */
  readonly endOf?: EndOf | undefined;
  /** @default no Job keeps its name taken */
  readonly neverTwice?: NeverTwice | undefined;
  /** Since when this process runs the CronJobs, on the monotonic clock; undefined while it does not, or may not be sure to. */
  readonly inChargeSince?: () => number | undefined;
  /** Called when the wall clock was found to have been set back: what waits for an instant waits too long. Must not throw. */
  readonly onClockSetBack?: () => void;
}

/** Returns how the Pods of a finished Job ended; undefined while one of them has not. */
export type EndOf = (
  job: Pick<Child, "metadata" | "state">,
  options: { readonly signal: AbortSignal; readonly onLeave: () => void },
) => Promise<PodEnd | undefined>;

/** The knowledge of this process about one CronJob that no cache shows. */
export class Knowledge {
  readonly witness = new Witness();
  readonly creations = new CreationOutcomes();
  readonly unreported = new Unreported();
  readonly overlay = new JobOverlay();
  readonly rivals = new Rivals();
  readonly newest = new NewestVersion();
  /** Undefined until a Job could be ended for its Pods. */
  pods: PodMemory | undefined;

  /** Undefined as long as no Job asks for it. */
  ends: ReadEnds | undefined;

  /** @param podReads shared by all CronJobs */
  constructor(readonly podReads: PodReads) {}

  noteVersion(cronJob: CronJob, now: EpochMs): void {
    this.creations.noteGeneration(cronJob.metadata.generation);
    this.witness.noteVersion(cronJob, now);
  }

  /** The wall clock was found to have been ahead: no retry waits for longer. */
  noteClockWentBack(now: EpochMs): void {
    this.creations.clear();
    this.witness.noteClockWentBack(now);
  }

  /** The Job of this run was created. */
  noteStart(run: StartedRun, how: HowStarted): void {
    this.creations.noteAccepted(run.request);
    this.witness.noteRun(run.request, how);
    this.unreported.noteStarted(run);
  }

  /** This version has the last record, which the API server took. */
  noteRecorded(cronJob: CronJob): void {
    this.creations.noteRecorded();
    this.witness.noteRecorded(cronJob);
  }

  /** The outcomes of creations are recorded; Jobs of these names are still wanted. */
  noteSettled(stillWanted: readonly string[]): void {
    this.creations.noteSettled(stillWanted);
    this.witness.noteSettled();
    this.unreported.noteSettled();
  }
}

/** The knowledge of this process about each CronJob, and about its clock. The input of decisions comes together here. */
export class KnowledgeBase {
  readonly #options: KnowledgeOptions;
  /** By UID of the CronJob. */
  readonly #known = new Map<string, Knowledge>();
  readonly #clockWatch: ClockWatch;
  readonly #podReads = new PodReads();

  constructor(options: KnowledgeOptions) {
    this.#options = options;
    this.#clockWatch = new ClockWatch(options.clock);
  }

  /** Returns what is known about a CronJob; from now on more is noted. */
  of({ metadata: { uid } }: CronJob): Knowledge {
    return this.#known.getOrInsertComputed(uid, () => new Knowledge(this.#podReads));
  }

  /** Returns the same; undefined for a CronJob that has not been asked about, or that was forgotten. */
  find(uid: string): Knowledge | undefined {
    return this.#known.get(uid);
  }

  forget(uid: string): void {
    this.#known.delete(uid);
  }

  /** Since when, and until now, this process runs the CronJobs. */
  get charge(): Charge {
    const since = this.#options.inChargeSince?.();
    return since === undefined ? undefined : { now: this.#options.clock.monotonic(), since };
  }

  /** Called with each version of a CronJob. */
  noteVersion(cronJob: CronJob): void {
    const knowledge = this.find(cronJob.metadata.uid);
    if (!knowledge) return;
    const { clock } = this.#options;
    knowledge.noteVersion(cronJob, clock.now());
    knowledge.rivals.noteVersion(cronJob, clock.monotonic(), this.charge);
    if (isNeverTwice(cronJob.settings, this.#options.neverTwice)) {
      knowledge.newest.noteSeen(cronJob, this.charge !== undefined);
    }
  }

  /** Called with each version of a Job that the cache shows, or its end. Returns whether it is no news. */
  noteJob(child: Child, isGone: boolean): boolean {
    const { owner, metadata: { namespace } } = child;
    const cronJob = owner && this.#options.cronJobs.get(makeKey(namespace, owner.name));
    const knowledge = cronJob && isChildOf(child, cronJob) && this.find(owner.uid);
    if (!knowledge) return false;
    if (!isGone) knowledge.rivals.noteJob(child, cronJob, this.charge);
    const { clock } = this.#options;
    this.#podsOf(cronJob, knowledge, [child])?.noteJob(child);
    knowledge.witness.noteJob(child, clock.now());
    return knowledge.overlay.noteCached(child, { isGone, now: clock.monotonic() });
  }

  /** Returns what is known of its Jobs' Pods; undefined where no Job is ended for them, or none has run. */
  #podsOf(cronJob: CronJob, knowledge: Knowledge, jobs: readonly Child[]): PodMemory | undefined {
    const { defaultPendingTimeoutMs } = this.#options;
    if (pendingTimeoutMs({ cronJob, defaultPendingTimeoutMs }) === undefined) return undefined;
    if (jobs.some(({ state }) => state === "active")) knowledge.pods ??= new PodMemory();
    return knowledge.pods;
  }

  /** Notices when the wall clock was set back. */
  lookAtClock(): void {
    if (!this.#clockWatch.look()) return;
    const { clock, onClockSetBack } = this.#options;
    for (const knowledge of this.#known.values()) knowledge.noteClockWentBack(clock.now());
    onClockSetBack?.();
  }

  /** Returns what a decision about the CronJob rests on, if these are its Jobs. */
  inputFor(cronJob: CronJob, knowledge: Knowledge, jobs: readonly Child[]): DecisionInput {
    const { witness, creations, overlay, rivals, ends } = knowledge;
    const { clock, annotateNextRun, defaultPendingTimeoutMs, neverTwice, endOf } = this.#options;
    const now = clock.now();
    rivals.noteKnown(jobs);
    const pods = this.#podsOf(cronJob, knowledge, jobs);
    pods?.note(jobs, clock.monotonic());
    // It may change the facts.
    this.lookAtClock();
    const { facts } = witness;
    const clockWentBack = facts.clockWentBack || this.#clockWatch.wentBack;
    return {
      cronJob,
      jobs,
      now,
      facts: {
        ...facts,
        clockWentBack,
        handedOver: overlay.handedOver,
        rival: rivals.signAt(clock.monotonic()),
      },
      deleted: overlay.deleted,
      taken: creations.takenRuns,
      refusals: creations.refusalsAt(now),
      annotateNextRun,
      defaultPendingTimeoutMs,
      neverTwice,
      pods: pods?.knownAt(now, clock.monotonic()),
      ends: endOf &&
        this.#podReads.knownAt(now, clock.monotonic(), { namespace: cronJob.metadata.namespace, ends, jobs }),
    };
  }
}
