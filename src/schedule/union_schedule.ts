import type { EpochMs } from "./epoch_ms.ts";
import type { Schedule } from "./schedule.ts";

/** More common times than this are not told from others one by one when they are counted. */
const COUNTED_ONE_BY_ONE = 10_000_000;

/** Several schedules as one: it runs whenever one of them does, and once where several do. */
export class UnionSchedule implements Schedule {
  readonly everyMs = undefined;
  readonly neverRuns: boolean;

  /** At least one. */
  constructor(readonly parts: readonly Schedule[]) {
    this.neverRuns = parts.every(({ neverRuns }) => neverRuns);
  }

  get text() {
    return this.parts.map(({ text }) => text).join("; ");
  }

  get timeZone() {
    return this.parts[0].timeZone;
  }

  next(after: EpochMs): EpochMs | undefined {
    return nearest(Math.min, this.parts.map((part) => part.next(after)));
  }

  previous(before: EpochMs): EpochMs | undefined {
    return nearest(Math.max, this.parts.map((part) => part.previous(before)));
  }

  *between(from: EpochMs, to: EpochMs): Generator<EpochMs> {
    const grid = this.anchoredWhereFloating(from);
    for (let run = grid.next(from); run !== undefined && run <= to; run = grid.next(run)) yield run;
  }

  /** Each part's times less those that a part with more of them has as well: the fewer are looked at one by one. */
  count(from: EpochMs, to: EpochMs): number {
    const { parts } = this.anchoredWhereFloating(from);
    const counted = parts.map((part) => ({ part, alone: part.count(from, to) })).sort((a, b) => b.alone - a.alone);
    let count = 0;
    for (const [i, { part, alone }] of counted.entries()) {
      count += alone;
      if (i === 0 || alone === 0 || count > COUNTED_ONE_BY_ONE) continue;
      const more = counted.slice(0, i);
      for (const run of part.between(from, to)) {
        if (more.some(({ part }) => part.count(run - 1, run) > 0)) count--;
      }
    }
    return count;
  }

  anchoredAt(anchor: EpochMs): UnionSchedule {
    return new UnionSchedule(this.parts.map((part) => part.anchoredAt(anchor)));
  }

  private anchoredWhereFloating(from: EpochMs): UnionSchedule {
    const floats = ({ everyMs, anchor }: Schedule) => everyMs !== undefined && anchor === undefined;
    if (!this.parts.some(floats)) return this;
    return new UnionSchedule(this.parts.map((part) => floats(part) ? part.anchoredAt(from) : part));
  }
}

function nearest(choose: (...times: number[]) => number, times: (EpochMs | undefined)[]): EpochMs | undefined {
  const found = times.filter((time) => time !== undefined);
  return found.length === 0 ? undefined : choose(...found);
}
