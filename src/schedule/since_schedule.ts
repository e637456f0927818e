import { DerivedSchedule } from "./derived_schedule.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import type { Schedule } from "./schedule.ts";

/** A schedule that counts from an instant on: nothing at or before it is a time of it, and `@every` counts from there. */
export class SinceSchedule extends DerivedSchedule implements Schedule {
  constructor(schedule: Schedule, readonly since: EpochMs) {
    super(schedule.anchoredAt(since));
  }

  next(after: EpochMs): EpochMs | undefined {
    return this.base.next(Math.max(after, this.since));
  }

  previous(before: EpochMs): EpochMs | undefined {
    const time = this.base.previous(before);
    return time !== undefined && time > this.since ? time : undefined;
  }

  between(from: EpochMs, to: EpochMs): Iterable<EpochMs> {
    return this.base.between(Math.max(from, this.since), to);
  }

  count(from: EpochMs, to: EpochMs, most?: number): number {
    return this.base.count(Math.max(from, this.since), to, most);
  }

  /** It is bound already. */
  anchoredAt(): Schedule {
    return this;
  }
}
