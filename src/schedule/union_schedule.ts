import { anchoredFrom } from "./anchored_from.ts";
import { CalendarSchedule } from "./calendar_schedule.ts";
import { DayMinutes } from "./day_minutes.ts";
import type { EpochMs } from "./epoch_ms.ts";
import { DAY_MS } from "./month.ts";
import { RunDays } from "./run_days.ts";
import type { Schedule } from "./schedule.ts";

/** More times than this are not told apart where they have to be looked at one by one. */
const COUNTED_ONE_BY_ONE = 200_000;
/** So far from a change of the clocks a day is like any other. */
const FAR_MS = 3 * DAY_MS;

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
    const parts = this.parts.map((part) => anchoredFrom(part, from));
    const nexts = parts.map((part) => part.next(from) ?? Infinity);
    for (let run = Math.min(...nexts); run <= to; run = Math.min(...nexts)) {
      yield run;
      for (const [i, part] of parts.entries()) if (nexts[i] === run) nexts[i] = part.next(run) ?? Infinity;
    }
  }

  /** Exact where all are calendars of one zone; else no more than 200,000 are told apart. */
  count(from: EpochMs, to: EpochMs): number {
    const calendars = this.parts.filter((part) => part instanceof CalendarSchedule);
    if (calendars.length === this.parts.length && calendars.every(({ zone }) => zone === calendars[0].zone)) {
      return this.#countDays(calendars, from, to);
    }
    return this.#countOneByOne(from, to);
  }

  anchoredAt(anchor: EpochMs): UnionSchedule {
    const anchored = this.parts.map((part) => part.anchoredAt(anchor));
    return anchored.every((part, i) => part === this.parts[i]) ? this : new UnionSchedule(anchored);
  }

  #countOneByOne(from: EpochMs, to: EpochMs): number {
    let count = 0;
    for (const _ of this.between(from, to)) if (++count === COUNTED_ONE_BY_ONE) break;
    return count;
  }

  /** The times of a day depend only on which of the schedules have it: each combination is worked out once. */
  #countDays(calendars: readonly CalendarSchedule[], from: EpochMs, to: EpochMs): number {
    const [{ zone }] = calendars;
    const days = new RunDays(calendars.map(({ fields }) => fields));
    const times = calendars.map(({ fields }) => DayMinutes.of(fields));
    const counts = new Map<string, number>();
    let [count, countedTo] = [0, from];
    for (let at = Math.floor(from) + 1; at <= to;) {
      const { start, end, offsetMs } = zone.periodAt(at);
      const day = Math.floor((at + offsetMs) / DAY_MS);
      const midnight = day * DAY_MS - offsetMs;
      const next = Math.min(midnight + DAY_MS, end);
      const isWhole = midnight > from && next <= to + 1 && midnight - FAR_MS >= start && midnight + FAR_MS <= end;
      if (isWhole) {
        const runs = calendars.map((_, i) => days.has(i, day));
        const key = runs.map(Number).join("");
        let found = counts.get(key);
        if (found === undefined) {
          found = DayMinutes.union(times.filter((_, i) => runs[i])).countWithout(DayMinutes.none());
          counts.set(key, found);
        }
        count += this.#countOneByOne(countedTo, midnight - 1) + found;
        countedTo = next - 1;
      }
      at = next;
    }
    return count + this.#countOneByOne(countedTo, to);
  }
}

function nearest(choose: (...times: number[]) => number, times: (EpochMs | undefined)[]): EpochMs | undefined {
  const found = times.filter((time) => time !== undefined);
  return found.length === 0 ? undefined : choose(...found);
}
