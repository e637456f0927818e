import type { EpochMs } from "../../base/epoch_ms.ts";
import type { RunRequest } from "../decision/run_request.ts";
import type { PlannedEvent } from "../status/events.ts";

/** How many announcements are remembered of one CronJob. */
const ANNOUNCED = 64;

/** A Job that was created and is still to be reported. */
export interface StartedRun {
  readonly request: RunRequest;
  readonly jobName: string;
  readonly at: EpochMs;
  readonly events: readonly PlannedEvent[];
}

/** The starts of one CronJob that are still to be reported, and its announcements. All of it may be lost. */
export class Unreported {
  #announced: Set<string> | undefined;
  #started: StartedRun[] = [];
  /** On the monotonic clock. */
  #unrecordedSince: number | undefined;

  /** Returns whether this is announced for the first time; from then on it counts as announced. */
  once(announcement: string): boolean {
    const announced = this.#announced ??= new Set();
    const isKnown = announced.delete(announcement);
    // Last, whether new or not: an announcement that is made again and again is remembered longest.
    announced.add(announcement);
    if (isKnown) return false;
    if (announced.size > ANNOUNCED) announced.delete(announced.values().next().value!);
    return true;
  }

  noteStarted(run: StartedRun): void {
    this.#started.push(run);
  }

  /** Returns the runs that are still to be reported, once. */
  takeStarted(): readonly StartedRun[] {
    const started = this.#started;
    if (started.length > 0) this.#started = [];
    return started;
  }

  /** Returns whether runs that started lately may stay unrecorded for now. `now` is on the monotonic clock. */
  mayPutOffRecords(now: number, forMs: number): boolean {
    this.#unrecordedSince ??= now;
    return now - this.#unrecordedSince < forMs;
  }

  noteSettled(): void {
    this.#unrecordedSince = undefined;
  }
}
