import { makeKey } from "../../kube/object.ts";
import type { Clock } from "../../base/clock.ts";
import { ClockWatch } from "../../runtime/clock_watch.ts";
import type { Store } from "../../runtime/store.ts";
import type { CronJob } from "../api/cron_job.ts";
import { type Child, isChildOf } from "../api/job.ts";
import type { DecisionInput, PendingTimeouts } from "../decision/input.ts";
import { DecisionMemory } from "./decision_memory.ts";
import { JobOverlay } from "./job_overlay.ts";
import { PodMemory } from "./pod_memory.ts";
import { type Charge, Rivals } from "./rivals.ts";

export interface KnowledgeOptions {
  readonly clock: Clock;
  readonly cronJobs: Store<CronJob>;
  /** Keeps the next run in an annotation where the status has no room for it. @default {false} */
  readonly annotateNextRun?: boolean;
  /** Whether Jobs are ended whose Pods never start. @default off */
  readonly pendingTimeouts?: PendingTimeouts;
  /** Since when this process runs the CronJobs, on the monotonic clock; undefined while it does not, or may not be sure to. */
  readonly inChargeSince?: () => number | undefined;
  /** Called when the wall clock was found to have been set back: what waits for an instant waits too long. Must not throw. */
  readonly onClockSetBack?: () => void;
}

/** What this process knows about one CronJob that no cache shows. */
export interface Knowledge {
  readonly memory: DecisionMemory;
  readonly overlay: JobOverlay;
  readonly rivals: Rivals;
  /** Undefined where no Job is ever ended for its Pods. */
  readonly pods: PodMemory | undefined;
}

/** What this process knows about each CronJob, and about its clock. All that decisions rest on comes together here. */
export class KnowledgeBase {
  readonly #options: KnowledgeOptions;
  /** By UID of the CronJob. */
  readonly #known = new Map<string, Knowledge>();
  readonly #clockWatch: ClockWatch;

  constructor(options: KnowledgeOptions) {
    this.#options = options;
    this.#clockWatch = new ClockWatch(options.clock);
  }

  /** Returns what is known about a CronJob; from now on more is noted. */
  of({ metadata: { uid } }: CronJob): Knowledge {
    return this.#known.getOrInsertComputed(uid, () => newKnowledge(this.#options));
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
    knowledge.memory.noteVersion(cronJob, clock.now());
    knowledge.rivals.noteVersion(cronJob, clock.monotonic(), this.charge);
  }

  /** Called with each version of a Job that the cache shows, or its end. Returns whether it is no news. */
  noteJob(child: Child, isGone: boolean): boolean {
    const { owner, metadata: { namespace } } = child;
    const cronJob = owner && this.#options.cronJobs.get(makeKey(namespace, owner.name));
    const knowledge = cronJob && isChildOf(child, cronJob) && this.find(owner.uid);
    if (!knowledge) return false;
    if (!isGone) knowledge.rivals.noteJob(child, cronJob, this.charge);
    const { clock } = this.#options;
    knowledge.pods?.noteJob(child);
    knowledge.memory.noteJob(child, clock.now());
    return knowledge.overlay.noteCached(child, { isGone, now: clock.monotonic() });
  }

  /** Notices when the wall clock was set back. */
  lookAtClock(): void {
    if (!this.#clockWatch.look()) return;
    const { clock, onClockSetBack } = this.#options;
    for (const { memory } of this.#known.values()) memory.noteClockWentBack(clock.now());
    onClockSetBack?.();
  }

  /** Returns what a decision about the CronJob rests on, if these are its Jobs. */
  inputFor(cronJob: CronJob, { memory, overlay, rivals, pods }: Knowledge, jobs: readonly Child[]): DecisionInput {
    const { clock, annotateNextRun, pendingTimeouts } = this.#options;
    const now = clock.now();
    rivals.noteKnown(jobs);
    pods?.note(jobs, clock.monotonic());
    this.lookAtClock();
    const clockWentBack = memory.facts.clockWentBack || this.#clockWatch.wentBack;
    return {
      cronJob,
      jobs,
      now,
      facts: {
        ...memory.facts,
        clockWentBack,
        handedOver: overlay.handedOver,
        rival: rivals.signAt(clock.monotonic()),
      },
      deleted: overlay.deleted,
      taken: memory.takenRuns,
      refusals: memory.refusalsAt(now),
      annotateNextRun,
      pendingTimeouts,
      pods: pods?.knownAt(now, clock.monotonic()),
    };
  }
}

function newKnowledge({ pendingTimeouts }: KnowledgeOptions): Knowledge {
  const pods = pendingTimeouts && new PodMemory();
  return { memory: new DecisionMemory(), overlay: new JobOverlay(), rivals: new Rivals(), pods };
}
