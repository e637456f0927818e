import { ignoreNotFound } from "../../kube/api_error.ts";
import type { KubeClient, Unread } from "../../kube/client.ts";
import { type Job, JOBS } from "../../kube/resource.ts";
import type { Clock } from "../../base/clock.ts";
import type { Store } from "../../runtime/store.ts";
import type { CronJob } from "../api/cron_job.ts";
import type { Flavour } from "../api/flavour.ts";
import { type Child, isChildOf, isOfSchedule, readJob, takesPlace } from "../api/job.ts";
import type { Knowledge } from "./knowledge.ts";

export interface KnownJobsOptions {
  readonly flavour: Flavour;
  readonly client: KubeClient;
  readonly clock: Clock;
  /** Indexed by the UID of the CronJob. */
  readonly jobs: Store<Child, "owner">;
}

/**
 * The Jobs of one CronJob as they are now, as far as can be known: those in the cache, corrected by what this process did
 * or found out since. The API server is only asked about Jobs that ought to be in the cache and are not.
 */
export class KnownJobs {
  readonly #options: KnownJobsOptions;
  readonly #cronJob: CronJob;
  readonly #knowledge: Knowledge;

  constructor(options: KnownJobsOptions, cronJob: CronJob, knowledge: Knowledge) {
    this.#options = options;
    this.#cronJob = cronJob;
    this.#knowledge = knowledge;
  }

  /** Returns the Jobs without asking the API server. */
  known(): Child[] {
    const { overlay } = this.#knowledge;
    const cached = this.#cached();
    for (let entry = overlay.takeAnswer(); entry; entry = overlay.takeAnswer()) {
      const [jobName, answer] = entry;
      // A Job that this process deleted may have had the same name.
      const isShown = cached.some(({ metadata: { name, uid } }) => name === jobName && !overlay.isGone(uid));
      if (!isShown) this.#noteAnswer(jobName, answer);
    }
    if (overlay.handedOver) { for (const child of cached) overlay.noteOwner(child); }
    // A Job that a finalizer keeps is still there, whatever was accepted.
    const shown = cached.filter(({ metadata: { uid, deletionTimestamp } }) =>
      !overlay.isUnseen(uid) && !(overlay.isGone(uid) && deletionTimestamp === undefined)
    );
    return [...shown, ...overlay.unseen];
  }

  /** How many have not finished of those that count for the concurrency policy. */
  countActive(): number {
    return this.known().filter((child) => takesPlace(child) && isOfSchedule(child)).length;
  }

  /**
   * Returns the Jobs, after asking about those in doubt.
   *
   * @throws {ApiError} where the API server refuses to answer
   */
  async all(signal: AbortSignal): Promise<Child[]> {
    this.known();
    await this.resolveDoubts(signal);
    await this.#lookForActive(signal);
    return this.known();
  }

  /** Whether {@linkcode all} has to ask. */
  get mustAsk(): boolean {
    this.known();
    return this.#knowledge.overlay.doubtful.size > 0 || this.#toLookFor().length > 0;
  }

  /** Asks the API server; undefined where there is none of that name. */
  async get(name: string, signal: AbortSignal): Promise<Job | undefined> {
    const { namespace } = this.#cronJob.metadata;
    return await this.#options.client.get(JOBS, { namespace, name }, { lane: "run", signal }).catch(ignoreNotFound);
  }

  isOurs(job: Job): boolean {
    return readJob([this.#options.flavour], job).owner?.uid === this.#cronJob.metadata.uid;
  }

  /** Counts on a Job from now on, whether the cache shows it or not. */
  noteExisting(job: Job): void {
    const { witness, overlay } = this.#knowledge;
    const child = readJob([this.#options.flavour], job);
    if (overlay.isGone(child.metadata.uid) || this.#isCached(child.metadata.uid)) return;
    overlay.noteExisting(child, this.#options.clock.monotonic());
    witness.noteJob(child, this.#options.clock.now());
  }

  /** Forgets what no decision needs any more. */
  forgetGone(): void {
    const listed = new Set(this.#listed().map(({ uid }) => uid));
    const isShown = (uid: string) => listed.has(uid) || this.#isCached(uid);
    this.#knowledge.overlay.forgetGone(isShown, this.#options.clock.monotonic());
  }

  #noteAnswer(jobName: string, answer: Unread<Job>): void {
    let job: Job;
    try {
      job = answer.read();
    } catch {
      // The server took the Job, and its answer only looks like it.
      return this.#knowledge.overlay.noteCreation(jobName);
    }
    this.noteExisting(job);
  }

  #cached(): Child[] {
    const { uid } = this.#cronJob.metadata;
    return this.#options.jobs.byIndex("owner", uid).filter((child) => isChildOf(child, this.#cronJob));
  }

  #isCached(uid: string): boolean {
    return this.#cached().some(({ metadata }) => metadata.uid === uid);
  }

  /** Asks about creations whose answer was lost: whether they took effect decides what may start now. */
  async resolveDoubts(signal: AbortSignal): Promise<void> {
    const { overlay } = this.#knowledge;
    for (const name of overlay.doubtful) {
      if (!this.#cached().some(({ metadata }) => metadata.name === name)) {
        const job = await this.get(name, signal);
        if (job && this.isOurs(job)) this.noteExisting(job);
      }
      overlay.noteCertain(name);
    }
  }

  /** An active Job that the cache lacks, it may only lack as yet. */
  async #lookForActive(signal: AbortSignal): Promise<void> {
    const now = this.#options.clock.monotonic();
    for (const { name, uid } of this.#toLookFor()) {
      const job = await this.get(name, signal);
      // The cache may have shown a newer version before the answer came.
      if (job?.metadata.uid === uid) this.noteExisting(job);
      else this.#knowledge.overlay.noteGone(uid, now);
    }
  }

  /** The Jobs that the status lists as active, those of a back-fill too. */
  #listed(): { readonly name?: string; readonly uid?: string }[] {
    const { status, recordedBackfill } = this.#cronJob;
    return [
      ...status.active ?? [],
      ...(recordedBackfill?.active ?? []).map(({ jobName: name, uid }) => ({ name, uid })),
    ];
  }

  /** Jobs that the status lists, or that the cache should show by now, and of which nothing is known. */
  #toLookFor(): { name: string; uid: string }[] {
    const { overlay } = this.#knowledge;
    const active = this.#listed();
    if (active.length === 0 && overlay.unseen.length === 0) return [];
    const now = this.#options.clock.monotonic();
    const cached = new Set(this.#cached().map(({ metadata }) => metadata.uid));
    const isUnknown = (uid: string) =>
      !cached.has(uid) && !overlay.isGone(uid) && (!overlay.isUnseen(uid) || overlay.isLongUnseen(uid, now));
    const longUnseen = overlay.unseen.map(({ metadata }) => metadata).filter(({ uid }) => isUnknown(uid));
    return [...active, ...longUnseen].flatMap(({ name, uid }) => name && uid && isUnknown(uid) ? [{ name, uid }] : []);
  }
}
