import { earliest, type EpochMs, latest } from "../base/epoch_ms.ts";
import { countTimes, type Schedule } from "./schedule.ts";

/** Returns one schedule for several, of which there is at least one. */
export function unionOf(parts: readonly Schedule[]): Schedule {
  return parts.length === 1 ? parts[0]! : new UnionSchedule(parts);
}

/** Several schedules as one: it runs whenever one of them does, and once where several do. */
export class UnionSchedule implements Schedule {
  readonly everyMs = undefined;
  readonly neverRuns: boolean;

  /** @param parts at least one */
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

  *between(from: EpochMs, to: EpochMs): Generator<EpochMs> {
    const nexts = this.parts.map((part) => part.next(from) ?? Infinity);
    for (let run = Math.min(...nexts); run <= to; run = Math.min(...nexts)) {
      yield run;
      for (const [i, part] of this.parts.entries()) if (nexts[i] === run) nexts[i] = part.next(run) ?? Infinity;
    }
  }

  count(from: EpochMs, to: EpochMs, most?: number): number {
    return countTimes(this.between(from, to), most);
  }

  anchoredAt(anchor: EpochMs): UnionSchedule {
    const anchored = this.parts.map((part) => part.anchoredAt(anchor));
    return anchored.every((part, i) => part === this.parts[i]) ? this : new UnionSchedule(anchored);
  }
}
