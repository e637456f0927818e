import type { CalendarSchedule } from "../calendar_schedule.ts";
import { DayMinutes } from "../day_minutes.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import { DAY_MS, type EpochDay, MINUTE_MS } from "../month.ts";
import type { OffsetPeriod, TimeZone } from "../time_zone.ts";

/** A stretch of time that comes again and again. */
export interface Window {
  /** When it begins. */
  readonly schedule: CalendarSchedule;
  /** A whole number of minutes. */
  readonly durationMs: number;
}

/** A day of the wall clock, or the part of it in which the zone's offset does not change. */
export interface DayPart {
  readonly start: EpochMs;
  readonly end: EpochMs;
  /** When the day began, or would have begun, by the offset of this part. */
  readonly midnight: EpochMs;
  /** The minutes of the day that windows cover, counted from `midnight`. */
  readonly minutes: DayMinutes;
}

const KEPT_PARTS = 64;
/** Characters in the keys of the days that are kept. */
const KEPT_KEY_CHARACTERS = 1_000_000;

/**
 * Windows of one zone, minute by minute.
 *
 * The minutes of a day that are covered depend only on the windows that begin on it, and on earlier ones that reach into it. So
 * each combination of these is worked out once. Days near a clock change, across which a window may reach into them, are worked
 * out from the instants at which windows begin.
 */
export class Windows {
  readonly #zone: TimeZone;
  readonly #windows: readonly Window[];
  /** The minutes that each window, begun on a day, covers of that day, of the day after it, and so on. */
  readonly #covers: readonly (readonly DayMinutes[])[];
  readonly #longestMs: number;
  readonly #longestDays: number;
  /** The minutes of regular days, by the key of the windows that reach into them. */
  readonly #days = new Map<string, DayMinutes>();
  /** By their starts. */
  readonly #parts = new Map<EpochMs, DayPart>();

  constructor(zone: TimeZone, windows: readonly Window[]) {
    this.#zone = zone;
    this.#windows = windows;
    this.#covers = windows.map(({ schedule: { fields }, durationMs }) =>
      DayMinutes.covered(DayMinutes.of(fields), durationMs / MINUTE_MS)
    );
    this.#longestMs = Math.max(...windows.map(({ durationMs }) => durationMs));
    this.#longestDays = Math.max(...this.#covers.map(({ length }) => length));
  }

  /** The part of a day that an instant lies in. */
  partAt(instant: EpochMs): DayPart {
    const period = this.#zone.periodAt(instant);
    const day = Math.floor((instant + period.offsetMs) / DAY_MS);
    const midnight = day * DAY_MS - period.offsetMs;
    const start = Math.max(midnight, period.start);
    const known = this.#parts.get(start);
    if (known) return known;
    const end = Math.min(midnight + DAY_MS, period.end);
    const minutes = this.#isRegular(period, midnight)
      ? this.#regularDay(day)
      : this.#irregularDay(day, { start, end, midnight });
    const part = { start, end, midnight, minutes };
    if (this.#parts.size >= KEPT_PARTS) this.#parts.clear();
    this.#parts.set(start, part);
    return part;
  }

  /** Whether a day is so far from any clock change that no window reaches into it across one. */
  #isRegular({ start, end }: OffsetPeriod, midnight: EpochMs): boolean {
    return midnight - this.#longestMs - 2 * DAY_MS >= start && midnight + 3 * DAY_MS <= end;
  }

  #regularDay(day: EpochDay): DayMinutes {
    const key = this.#keyOf(day);
    let minutes = this.#days.get(key);
    if (minutes === undefined) {
      minutes = new DayMinutes();
      for (const cover of this.#coversOf(day)) minutes.addAll(cover);
      if (this.#days.size * key.length >= KEPT_KEY_CHARACTERS) this.#days.clear();
      this.#days.set(key, minutes);
    }
    return minutes;
  }

  /** Returns a key of the windows that begin on the day, or on a day before it from which a window can reach into it. */
  #keyOf(day: EpochDay): string {
    const words: number[] = [];
    let word = 0;
    let length = 0;
    for (let ago = 0; ago < this.#longestDays; ago++) {
      for (const { schedule } of this.#windows) {
        word = word << 1 | (schedule.times.days.has(day - ago) ? 1 : 0);
        if (++length < 31) continue;
        words.push(word);
        word = length = 0;
      }
    }
    return `${words.join()},${word}`;
  }

  *#coversOf(day: EpochDay): Generator<DayMinutes> {
    for (let ago = 0; ago < this.#longestDays; ago++) {
      for (const [i, { schedule }] of this.#windows.entries()) {
        const cover = this.#covers[i]![ago];
        if (cover && schedule.times.days.has(day - ago)) yield cover;
      }
    }
  }

  /**
   * Of the times before the part at which a window begins, only the last matters: it reaches furthest. A day that is a whole part,
   * and does not begin with a clock change, has the window's usual minutes.
   */
  #irregularDay(day: EpochDay, { start, end, midnight }: Omit<DayPart, "minutes">): DayMinutes {
    const minutes = new DayMinutes();
    const add = (begin: EpochMs, durationMs: number) => {
      const from = Math.max(0, Math.floor((begin - midnight) / MINUTE_MS));
      minutes.add(from, Math.min(DayMinutes.LENGTH, Math.ceil((begin + durationMs - midnight) / MINUTE_MS)));
    };
    const isWhole = start === midnight && end === midnight + DAY_MS;
    for (const [i, { schedule, durationMs }] of this.#windows.entries()) {
      if (minutes.isFull) break;
      const before = schedule.previous(start);
      if (before !== undefined && before + durationMs > start) add(before, durationMs);
      // A day that begins with a clock change may begin with what the change skipped.
      if (!isWhole || this.#zone.periodAt(start).start === start) {
        for (const begin of schedule.between(start - 1, end - 1)) add(begin, durationMs);
      } else if (schedule.times.days.has(day)) minutes.addAll(this.#covers[i]![0]!);
    }
    return minutes;
  }
}
