import { type ClockChangePolicy, KUBERNETES_CLOCK_CHANGES, type Schedule } from "./schedule.ts";
import { type EpochMs, FIRST_INSTANT, LAST_INSTANT } from "../base/epoch_ms.ts";
import type { CalendarFields } from "./grammar.ts";
import type { OffsetPeriod, TimeZone, WallMs } from "./time_zone.ts";
import { WallTimes } from "./wall_times.ts";

/**
 * A schedule of calendar fields in a zone.
 *
 * Time is cut into the periods in which the zone's offset does not change. Inside a period the wall clock runs evenly, so
 * its runs are the matching wall-clock times, moved by the offset. What a forward change skips lies in no period, and what a
 * backward change repeats lies in two: Kubernetes' rule needs no code, and the other policies narrow a period or add a run to
 * its start.
 */
export class CalendarSchedule implements Schedule {
  readonly everyMs = undefined;
  readonly neverRuns: boolean;
  readonly times: WallTimes;

  constructor(
    readonly text: string,
    readonly fields: CalendarFields,
    readonly zone: TimeZone,
    readonly clockChangePolicy: ClockChangePolicy = KUBERNETES_CLOCK_CHANGES,
  ) {
    this.times = new WallTimes(fields);
    this.neverRuns = this.times.areNone;
  }

  get timeZone(): string {
    return this.zone.name;
  }

  next(after: EpochMs): EpochMs | undefined {
    // Beyond the calendar, to which a deadline of any length may lead, there is no month to search.
    if (this.neverRuns || after >= LAST_INSTANT) return undefined;
    after = Math.max(after, FIRST_INSTANT - 1);
    let period = this.zone.periodAt(after);
    let wall = this.times.next(Math.max(after + period.offsetMs, this.#firstWall(period) - 1));
    while (wall >= this.#endWall(period)) {
      if (period.end > LAST_INSTANT) return undefined;
      period = this.zone.periodAt(period.end);
      if (this.#runsAtStart(period)) return period.start;
      wall = this.times.next(this.#firstWall(period) - 1);
    }
    const instant = wall - period.offsetMs;
    return instant <= LAST_INSTANT ? instant : undefined;
  }

  previous(before: EpochMs): EpochMs | undefined {
    if (this.neverRuns || before <= FIRST_INSTANT) return undefined;
    before = Math.min(before, LAST_INSTANT + 1);
    let period = this.zone.periodAt(before - 1);
    let wall = this.times.previous(Math.min(before + period.offsetMs, this.#endWall(period)));
    while (wall < this.#firstWall(period)) {
      if (period.start < before && this.#runsAtStart(period)) return period.start;
      if (period.start < FIRST_INSTANT) return undefined;
      period = this.zone.periodAt(period.start - 1);
      wall = this.times.previous(this.#endWall(period));
    }
    const instant = wall - period.offsetMs;
    return instant >= FIRST_INSTANT ? instant : undefined;
  }

  *between(from: EpochMs, to: EpochMs): Generator<EpochMs> {
    for (let run = this.next(from); run !== undefined && run <= to; run = this.next(run)) yield run;
  }

  count(from: EpochMs, to: EpochMs): number {
    from = Math.max(from, FIRST_INSTANT - 1);
    to = Math.min(to, LAST_INSTANT);
    if (this.neverRuns || from >= to) return 0;
    let count = 0;
    for (let at = from; at <= to;) {
      const period = this.zone.periodAt(at);
      const { offsetMs } = period;
      const afterFrom = Math.max(this.#firstWall(period), from + offsetMs + 1);
      count += this.times.count(afterFrom, Math.min(this.#endWall(period), to + offsetMs + 1));
      const startIsRegular = this.times.count(period.start + offsetMs, period.start + offsetMs + 1) > 0;
      if (period.start > from && !startIsRegular && this.#runsAtStart(period)) count++;
      at = period.end;
    }
    return count;
  }

  anchoredAt(): Schedule {
    return this;
  }

  /** Where the wall-clock times that run in the period begin. */
  #firstWall(period: OffsetPeriod): WallMs {
    if (this.clockChangePolicy.overlap !== "First" || period.start < FIRST_INSTANT) {
      return period.start + period.offsetMs;
    }
    return period.start + Math.max(period.offsetMs, this.#offsetBefore(period));
  }

  /** Where the wall-clock times that run in the period have ended. */
  #endWall(period: OffsetPeriod): WallMs {
    if (this.clockChangePolicy.overlap !== "Second" || period.end > LAST_INSTANT) return period.end + period.offsetMs;
    return period.end + Math.min(period.offsetMs, this.zone.periodAt(period.end).offsetMs);
  }

  /** Whether the start of the period makes up for runs that the clock change before it skipped. */
  #runsAtStart(period: OffsetPeriod): boolean {
    if (this.clockChangePolicy.gap !== "RunAfter" || period.start < FIRST_INSTANT) return false;
    const gapStart = period.start + this.#offsetBefore(period);
    return this.times.count(gapStart, period.start + period.offsetMs) > 0;
  }

  #offsetBefore(period: OffsetPeriod): number {
    return this.zone.periodAt(period.start - 1).offsetMs;
  }
}
