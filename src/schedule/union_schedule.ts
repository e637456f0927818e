import { anchoredFrom } from "./anchored_from.ts";
import { countUnion, timesOfUnion } from "./count_union.ts";
import { earliest, type EpochMs, latest } from "../base/epoch_ms.ts";
import type { Schedule } from "./schedule.ts";
import { SinceSchedule } from "./since_schedule.ts";

/** Returns the schedules, one at least, as one. */
export function unionOf(parts: readonly Schedule[]): Schedule {
  const [first, ...others] = parts;
  return first && others.length === 0 ? first : new UnionSchedule(parts);
}

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
    return this.parts[0]!.timeZone;
  }

  next(after: EpochMs): EpochMs | undefined {
    return earliest(...this.parts.map((part) => part.next(after)));
  }

  previous(before: EpochMs): EpochMs | undefined {
    return latest(...this.parts.map((part) => part.previous(before)));
  }

  between(from: EpochMs, to: EpochMs): Iterable<EpochMs> {
    return timesOfUnion(this.#anchoredFrom(from), from, to);
  }

  /** Exact where all are calendars of one zone; else no more than 200,000 are distinguished. */
  count(from: EpochMs, to: EpochMs): number {
    const parts = this.#anchoredFrom(from);
    const starts = [from, ...parts.map(sinceOf).filter((since) => from < since && since < to).sort((a, b) => a - b)];
    let count = 0;
    for (const [i, start] of starts.entries()) {
      const holding = parts.filter((part) => sinceOf(part) <= start);
      count += countUnion(holding.map(baseOf), start, starts[i + 1] ?? to);
    }
    return count;
  }

  anchoredAt(anchor: EpochMs): UnionSchedule {
    const anchored = this.parts.map((part) => part.anchoredAt(anchor));
    return anchored.every((part, i) => part === this.parts[i]) ? this : new UnionSchedule(anchored);
  }

  #anchoredFrom(from: EpochMs): readonly Schedule[] {
    return this.parts.map((part) => anchoredFrom(part, from));
  }
}

/** Returns since when a part counts as its base does. */
function sinceOf(part: Schedule): EpochMs {
  return part instanceof SinceSchedule ? part.since : -Infinity;
}

function baseOf(part: Schedule): Schedule {
  return part instanceof SinceSchedule ? part.base : part;
}
