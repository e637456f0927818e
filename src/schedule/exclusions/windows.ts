import type { CalendarSchedule } from "../calendar_schedule.ts";
import { DayMinutes } from "../day_minutes.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import { DAY_MS, type EpochDay, MINUTE_MS } from "../month.ts";
import type { OffsetPeriod, TimeZone } from "../time_zone.ts";

/** A stretch of time that comes again and again. */
export interface Window {
  /** When it begins. */
  readonly schedule: CalendarSchedule;
  /** In whole minutes. */
  readonly durationMs: number;
}

/** A day of the wall clock, or the part of it in which the zone's offset does not change. */
export interface Chunk {
  readonly start: EpochMs;
  readonly end: EpochMs;
  /** Of its midnight by the wall clock, whether that is a part of it or not. */
  readonly midnight: EpochMs;
  readonly minutes: DayMinutes;
}

const KEPT_CHUNKS = 64;
/** Characters of the keys of days. */
const KEPT_KEYS = 1_000_000;

/**
 * Windows of one zone, minute by minute.
 *
 * The minutes of a day that the windows leave depend only on the windows that begin on it, and on earlier ones that reach into it.
 * So each combination is worked out once. Days that a window reaches from across a clock change are worked out from the
 * instants at which it begins.
 */
export class Windows {
  readonly #zone: TimeZone;
  readonly #windows: readonly Window[];
  /** The minutes that each window, begun on a day, covers of that day, of the day after it, and so on. */
  readonly #covers: readonly (readonly DayMinutes[])[];
  readonly #longestMs: number;
  readonly #longestDays: number;
  readonly #days = new Map<string, DayMinutes>();
  readonly #chunks = new Map<EpochMs, Chunk>();

  constructor(zone: TimeZone, windows: readonly Window[]) {
    this.#zone = zone;
    this.#windows = windows;
    this.#covers = windows.map(({ schedule: { fields }, durationMs }) =>
      DayMinutes.covered(DayMinutes.of(fields), durationMs / MINUTE_MS)
    );
    this.#longestMs = Math.max(...windows.map(({ durationMs }) => durationMs));
    this.#longestDays = Math.max(...this.#covers.map(({ length }) => length));
  }

  chunkAt(instant: EpochMs): Chunk {
    const period = this.#zone.periodAt(instant);
    const day = Math.floor((instant + period.offsetMs) / DAY_MS);
    const midnight = day * DAY_MS - period.offsetMs;
    const start = Math.max(midnight, period.start);
    const known = this.#chunks.get(start);
    if (known) return known;
    const end = Math.min(midnight + DAY_MS, period.end);
    const minutes = this.#isRegular(period, midnight)
      ? this.#regularDay(day)
      : this.#irregularDay(day, { start, end, midnight });
    const chunk = { start, end, midnight, minutes };
    if (this.#chunks.size >= KEPT_CHUNKS) this.#chunks.clear();
    this.#chunks.set(start, chunk);
    return chunk;
  }

  /** Whether a day is far from any clock change: nothing reaches into it from before one. */
  #isRegular({ start, end }: OffsetPeriod, midnight: EpochMs): boolean {
    return midnight - this.#longestMs - 2 * DAY_MS >= start && midnight + 3 * DAY_MS <= end;
  }

  #regularDay(day: EpochDay): DayMinutes {
    const key = this.#beginnings(day);
    let minutes = this.#days.get(key);
    if (minutes === undefined) {
      minutes = new DayMinutes();
      for (const cover of this.#coversOf(day)) minutes.addAll(cover);
      if (this.#days.size * key.length >= KEPT_KEYS) this.#days.clear();
      this.#days.set(key, minutes);
    }
    return minutes;
  }

  /** The windows that begin on the day, and on the days before it from which one can reach into it. */
  #beginnings(day: EpochDay): string {
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
   * A window that begins within an even stretch of a day is as on any day. Of windows that reach into it, only the last to begin matters: it
   * lasts longest.
   */
  #irregularDay(day: EpochDay, { start, end, midnight }: Omit<Chunk, "minutes">): DayMinutes {
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
