import type { Flavour } from "../../../src/cronjob/api/flavour.ts";
import type { CronJobObject } from "../../../src/cronjob/api/types.ts";
import type { Job } from "../../../src/kube/resource.ts";
import { type EpochMs, formatTime } from "../../../src/base/epoch_ms.ts";

/** A promise that was broken. */
export interface Violation {
  readonly what: string;
  /** The hole that `docs/why.md` states; undefined for a fault of the program. */
  readonly hole?: Hole | undefined;
}

/** The ways in which a scheduled time can start twice: its Job has been deleted by another client, and … */
export type Hole =
  /** … the process that created it died before the status had its time. */
  | "crash"
  /** … the answer to its creation was lost. */
  | "lost answer"
  /** … a creation that was held up arrives. */
  | "late request";

interface CreatedJob {
  readonly uid: string;
  readonly slot: EpochMs;
  readonly at: EpochMs;
}

/** Sees every Job and every status as the server stores them, and says which promise they break. */
export class Judge {
  readonly violations: Violation[] = [];
  /** A process was killed, or has ended. */
  hasKilled = false;
  /** The answer to a write was lost. */
  hasLost = false;
  readonly #flavour: Flavour;
  readonly #forbids: boolean;
  readonly #created: CreatedJob[] = [];
  /** By UID. */
  readonly #finished = new Set<string>();
  /** Jobs that another client deleted, by UID, and whether the status had their time by then. */
  readonly #deleted = new Map<string, { readonly wasRecorded: boolean }>();
  #status: CronJobObject["status"];

  constructor(flavour: Flavour, { forbids }: { readonly forbids: boolean }) {
    this.#flavour = flavour;
    this.#forbids = forbids;
  }

  /** Distinguishes what it knows from all else that would be judged otherwise. */
  get state(): string {
    const created = this.#created.map(({ slot, at }) => `${slot} ${at}`);
    return [...created, this.#finished.size, this.#deleted.size].join();
  }

  /** Returns whether it is a Job that was not there before. `lateMs`: how long its creation was held up, if it was. */
  seeJob(job: Job, { jobs, at, lateMs }: { jobs: readonly Job[]; at: EpochMs; lateMs: number | undefined }): boolean {
    const { uid, name } = job.metadata;
    if (isFinished(job)) this.#finished.add(uid);
    if (this.#created.some((one) => one.uid === uid)) return false;
    const slot = this.#slotOf(job);
    const before = this.#created.find((one) => one.slot === slot);
    this.#created.push({ uid, slot, at });
    if (before) this.#violated(`a second Job for ${formatTime(slot)}`, this.#holeOf(before, lateMs));
    const beside = jobs.filter((other) => other.metadata.uid !== uid && isActive(other));
    if (!before && this.#forbids && beside.length > 0) {
      this.#violated(`Job ${name} starts beside ${beside.map(({ metadata }) => metadata.name)}`);
    }
    return true;
  }

  seeStatus({ status }: CronJobObject): void {
    this.#status = status;
    if (this.#counted > this.#finished.size) {
      this.#violated(`the status counts ${this.#counted} runs that ended, of ${this.#finished.size}`);
    }
  }

  /** Another client deletes a Job. */
  seeDeletion(job: Job): void {
    const recordedUntil = Date.parse(this.#status?.lastScheduleTime ?? "") || 0;
    this.#deleted.set(job.metadata.uid, { wasRecorded: recordedUntil >= this.#slotOf(job) });
  }

  /** Called at the end, when all that was held up has had its time. */
  seeEnd(slots: readonly EpochMs[]): void {
    const started = new Set(this.#created.map(({ slot }) => slot));
    for (const slot of slots) if (!started.has(slot)) this.#violated(`no Job for ${formatTime(slot)}`);
    if (this.#deleted.size === 0 && this.#counted !== this.#finished.size) {
      this.#violated(`at the end the status counts ${this.#counted} runs that ended, of ${this.#finished.size}`);
    }
  }

  get #counted(): number {
    const { succeeded = 0, failed = 0 } = this.#status?.counts ?? {};
    return succeeded + failed;
  }

  #slotOf({ metadata: { annotations } }: Job): EpochMs {
    return Date.parse(annotations?.[this.#flavour.scheduledTimeAnnotation] ?? "");
  }

  /** Returns the hole through which the time of this Job could start again. */
  #holeOf({ uid }: CreatedJob, lateMs: number | undefined): Hole | undefined {
    const deleted = this.#deleted.get(uid);
    if (!deleted) return undefined;
    if (lateMs !== undefined) return "late request";
    if (deleted.wasRecorded) return undefined;
    return this.hasKilled ? "crash" : this.hasLost ? "lost answer" : undefined;
  }

  #violated(what: string, hole?: Hole): void {
    this.violations.push({ what, hole });
  }
}

function isFinished({ status }: Job): boolean {
  return (status?.conditions ?? []).some(({ type }) => type === "Complete" || type === "Failed");
}

function isActive(job: Job): boolean {
  return !isFinished(job) && job.metadata.deletionTimestamp === undefined;
}
