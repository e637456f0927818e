import type { EpochMs } from "./epoch_ms.ts";
import type { Schedule } from "./schedule.ts";

/** A schedule that counts from an instant on: nothing at or before it is a time of it, and `@every` counts from there. */
export class SinceSchedule implements Schedule {
  readonly #schedule: Schedule;
  readonly #since: EpochMs;

  constructor(schedule: Schedule, since: EpochMs) {
    this.#schedule = schedule.anchoredAt(since);
    this.#since = since;
  }

  get text() {
    return this.#schedule.text;
  }

  get timeZone() {
    return this.#schedule.timeZone;
  }

  get everyMs() {
    return this.#schedule.everyMs;
  }

  get anchor() {
    return this.#schedule.anchor;
  }

  get clockChangePolicy() {
    return this.#schedule.clockChangePolicy;
  }

  get neverRuns() {
    return this.#schedule.neverRuns;
  }

  next(after: EpochMs): EpochMs | undefined {
    return this.#schedule.next(Math.max(after, this.#since));
  }

  previous(before: EpochMs): EpochMs | undefined {
    const time = this.#schedule.previous(before);
    return time !== undefined && time > this.#since ? time : undefined;
  }

  between(from: EpochMs, to: EpochMs): Iterable<EpochMs> {
    return this.#schedule.between(Math.max(from, this.#since), to);
  }

  count(from: EpochMs, to: EpochMs): number {
    return this.#schedule.count(Math.max(from, this.#since), to);
  }

  /** It is bound already. */
  anchoredAt(): Schedule {
    return this;
  }
}
