import type { EpochMs } from "../../schedule/epoch_ms.ts";
import type { CronJob } from "../api/cron_job.ts";
import type { Child } from "../api/job.ts";
import type { DecisionFacts, Refusal } from "../decision/input.ts";
import type { RunRequest } from "../decision/run_request.ts";
import type { PlannedEvent } from "../status/events.ts";

/** How many triggers are remembered of one CronJob, and how many announcements. */
const TRIGGERS = 200;
const ANNOUNCEMENTS = 64;

/** A Job that was created and is still to be reported. */
export interface StartedRun {
  readonly request: RunRequest;
  readonly jobName: string;
  readonly at: EpochMs;
  readonly events: readonly PlannedEvent[];
}

/** What came of creations since the last settling, for the next decision. */
export interface CreationOutcomes {
  /** Names of Jobs that turned out to be somebody else's, or gone already. */
  readonly taken: ReadonlySet<string>;
  readonly refusal: Refusal | undefined;
  /** When to try again what was refused. */
  readonly retryAt: EpochMs | undefined;
  /** The namespace is going away: nothing can be created there any more. */
  readonly isTerminating: boolean;
}

const NO_OUTCOMES: CreationOutcomes = {
  taken: new Set(),
  refusal: undefined,
  retryAt: undefined,
  isTerminating: false,
};

/** What this process knows for decisions about one CronJob, and what it has announced. All of it may be lost. */
export class DecisionMemory {
  #facts: DecisionFacts = {};
  #outcomes = NO_OUTCOMES;
  #started: StartedRun[] = [];
  #announced: Set<string> | undefined;
  #generation: number | undefined;
  #schedule: string | undefined;
  #suspended: boolean | undefined;
  /** On the monotonic clock. */
  #unrecordedSince: number | undefined;
  /** Creations refused in a row. */
  refusals = 0;

  /** Replaced as a whole when one of them changes. */
  get facts(): DecisionFacts {
    return this.#facts;
  }

  get outcomes(): CreationOutcomes {
    return this.#outcomes;
  }

  /** Notices a change of schedule or zone, or the end of a pause, that happens while this process looks on. */
  noteVersion({ settings, object, scheduleWrittenAt }: CronJob, now: EpochMs): void {
    const { generation } = object.metadata;
    // What was refused may be mended.
    if (generation !== this.#generation) this.clearOutcomes();
    this.#generation = generation;
    if (this.#suspended && !settings.suspended) this.#facts = { ...this.#facts, resumedAt: now };
    this.#suspended = settings.suspended;
    const schedule = `${object.spec.timeZone ?? ""} ${object.spec.schedule}`;
    if (this.#schedule !== undefined && this.#schedule !== schedule) {
      this.#facts = { ...this.#facts, editedAt: Math.min(now, scheduleWrittenAt ?? now) };
    }
    this.#schedule = schedule;
  }

  /** Notes what a Job says about itself: the cache may lose it before the status that records it arrives. */
  noteJob({ scheduledTime, triggeredBy }: Child): void {
    this.noteStartedUntil(scheduledTime);
    if (triggeredBy !== undefined) this.noteTrigger(triggeredBy);
  }

  noteStartedUntil(scheduledTime: EpochMs | undefined): void {
    if (scheduledTime === undefined || scheduledTime <= (this.#facts.startedUntil ?? -Infinity)) return;
    this.#facts = { ...this.#facts, startedUntil: scheduledTime };
  }

  noteTrigger(id: string): void {
    if (this.#facts.triggers?.has(id)) return;
    this.#facts = { ...this.#facts, triggers: new Set([...this.#facts.triggers ?? [], id].slice(-TRIGGERS)) };
  }

  noteDecidedUntil(scheduledTime: EpochMs | undefined): void {
    if (scheduledTime === undefined || scheduledTime <= (this.#facts.decidedUntil ?? -Infinity)) return;
    this.#facts = { ...this.#facts, decidedUntil: scheduledTime };
  }

  /** The Job of this run was created. */
  noteStart(run: StartedRun): void {
    this.refusals = 0;
    this.noteRun(run.request);
    this.#started.push(run);
  }

  /** This run has, or had, its Job. */
  noteRun(request: RunRequest): void {
    if (request.trigger === "Schedule") this.noteStartedUntil(request.scheduledTime);
    else this.noteTrigger(request.id);
  }

  noteOutcomes(outcomes: Partial<CreationOutcomes>): void {
    this.#outcomes = { ...this.#outcomes, ...outcomes };
  }

  /** It is known by now which Jobs exist: a creation without a clear answer did not take effect. */
  noteCertain(): void {
    const { refusal } = this.#outcomes;
    if (refusal?.isUncertain) this.#outcomes = { ...this.#outcomes, refusal: { ...refusal, isUncertain: false } };
  }

  clearOutcomes(): void {
    this.#outcomes = NO_OUTCOMES;
  }

  /** What came of creations is recorded. */
  noteSettled(): void {
    this.clearOutcomes();
    this.#unrecordedSince = undefined;
  }

  /** Returns whether runs that started lately may stay unrecorded for now. `now` is on the monotonic clock. */
  mayPutOffRecords(now: number, forMs: number): boolean {
    this.#unrecordedSince ??= now;
    return now - this.#unrecordedSince < forMs;
  }

  /** Returns the runs that are still to be reported, once. */
  takeStarted(): readonly StartedRun[] {
    const started = this.#started;
    if (started.length > 0) this.#started = [];
    return started;
  }

  /** Returns whether this is announced for the first time; from then on it counts as announced. */
  announceOnce(what: string): boolean {
    const announced = this.#announced ??= new Set();
    if (announced.has(what)) return false;
    announced.add(what);
    if (announced.size > ANNOUNCEMENTS) announced.delete(announced.values().next().value!);
    return true;
  }
}
