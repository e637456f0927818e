import { earliest, type EpochMs } from "../../base/epoch_ms.ts";
import type { Refusal } from "../decision/input.ts";
import type { RunRequest } from "../decision/run_request.ts";

/** A creation that the API server refused. */
export interface RefusedCreation extends Refusal {
  /** When to try again; undefined for not before the spec changes. */
  readonly retryAt: EpochMs | undefined;
}

/** The answers that still matter for the next decision. */
export interface Answers {
  /** By the name of the Job. */
  readonly refusals: ReadonlyMap<string, RefusedCreation>;
  /** The namespace is going away: nothing can be created there any more. */
  readonly isTerminating: boolean;
}

const NO_ANSWERS: Answers = { refusals: new Map(), isTerminating: false };

/** Creations refused in a row, and when the first of them was. */
function noneRefused(): { count: number; since?: EpochMs } {
  return { count: 0 };
}

function kindOf(trigger: RunRequest["trigger"]): "schedule" | "past" {
  return trigger === "Backfill" ? "past" : "schedule";
}

/** The outcomes of the creations of one CronJob since the last settling. All of it may be lost. */
export class CreationOutcomes {
  #answers = NO_ANSWERS;
  #takenRuns: readonly RunRequest[] = [];
  #generation: number | undefined;
  /** Creations refused in a row; those of the past apart, so that none of the schedule's waits for them. */
  readonly #refused = { schedule: noneRefused(), past: noneRefused() };

  get answers(): Answers {
    return this.#answers;
  }

  /** Called with each version: what was refused of an older spec may be mended. */
  noteGeneration(generation: number | undefined): void {
    if (generation !== this.#generation) this.clear();
    this.#generation = generation;
  }

  noteRefusal(jobName: string, refusal: RefusedCreation): void {
    this.#answers = { ...this.#answers, refusals: new Map([...this.#answers.refusals, [jobName, refusal]]) };
  }

  noteTerminating(): void {
    this.#answers = { ...this.#answers, isTerminating: true };
  }

  /** Returns how many creations before this one were refused in a row. */
  countRefusal({ trigger }: RunRequest): number {
    return this.#refused[kindOf(trigger)].count++;
  }

  /** Returns since when creations were refused in a row: since `now`, where the last was not. */
  refusedSince({ trigger }: RunRequest, now: EpochMs): EpochMs {
    return this.#refused[kindOf(trigger)].since ??= now;
  }

  noteAccepted({ trigger }: RunRequest): void {
    this.#refused[kindOf(trigger)] = noneRefused();
  }

  /** When to try again what was refused first. */
  get retryAt(): EpochMs | undefined {
    return earliest(...this.#answers.refusals.values().map(({ retryAt }) => retryAt));
  }

  /** Returns the refusals that still hold. */
  refusalsAt(now: EpochMs): ReadonlyMap<string, Refusal> {
    const { refusals } = this.#answers;
    if (refusals.size === 0) return refusals;
    return new Map(refusals.entries().filter(([, { retryAt }]) => retryAt === undefined || retryAt > now));
  }

  /** It is known by now which Jobs exist: a creation without a clear answer did not take effect. */
  noteCertain(): void {
    const { refusals } = this.#answers;
    if (refusals.size === 0) return;
    const certain = new Map(refusals.entries().map(([name, refusal]) => [name, { ...refusal, isUncertain: false }]));
    this.#answers = { ...this.#answers, refusals: certain };
  }

  clear(): void {
    this.#answers = NO_ANSWERS;
  }

  /** They were recorded, and still hold: there is more to start. */
  keep(answers: Answers): void {
    this.#answers = answers;
  }

  /** All is recorded. Jobs that are still wanted are not tried before their time, whatever else happens. */
  noteSettled(stillWanted: readonly string[]): void {
    const { refusals } = this.#answers;
    this.clear();
    for (const [jobName, refusal] of refusals) {
      if (refusal.isUncertain || stillWanted.includes(jobName)) this.noteRefusal(jobName, refusal);
    }
  }

  /** Runs whose Job's name a Job of another owner has, and that are not recorded yet. */
  get takenRuns(): readonly RunRequest[] {
    return this.#takenRuns;
  }

  noteTaken(run: RunRequest): void {
    this.#takenRuns = [...this.#takenRuns, run];
  }

  /** The API server took the last record. */
  noteRecorded(): void {
    this.#takenRuns = [];
  }
}
