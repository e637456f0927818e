import { type DaySearch, daySearch } from "./day_search.ts";
import type { CalendarFields } from "./grammar.ts";
import { MatchingDays } from "./matching_days.ts";
import { DAY_MS, MINUTE_MS } from "./month.ts";
import type { WallMs } from "./time_zone.ts";

const MINUTES_A_DAY = 1_440;

/** The wall-clock times that the fields of a schedule match: days by their months, times of day in the fields' own lists. */
export class WallTimes {
  readonly days: MatchingDays;
  readonly #search: DaySearch;
  readonly #fields: CalendarFields;

  constructor(fields: CalendarFields) {
    this.days = new MatchingDays(fields);
    this.#search = daySearch(fields, this.days);
    this.#fields = fields;
  }

  /** Whether no date and time can ever match, as with `0 0 31 2 *`. */
  get areNone(): boolean {
    return this.#fields.minute.length === 0 || this.#fields.hour.length === 0 || this.days.areNone;
  }

  /** The first match strictly after `after`. There must be one: see {@linkcode areNone}. */
  next(after: WallMs): WallMs {
    const candidate = Math.floor(after / MINUTE_MS) + 1;
    const today = Math.floor(candidate / MINUTES_A_DAY);
    const day = this.#search.onOrAfter(today);
    const time = day === today ? this.#timeFrom(candidate - today * MINUTES_A_DAY) : this.#timeFrom(0);
    return time !== undefined
      ? day * DAY_MS + time * MINUTE_MS
      : this.#search.onOrAfter(today + 1) * DAY_MS + this.#timeFrom(0)! * MINUTE_MS;
  }

  /** The last match strictly before `before`. There must be one: see {@linkcode areNone}. */
  previous(before: WallMs): WallMs {
    const candidate = Math.ceil(before / MINUTE_MS) - 1;
    const today = Math.floor(candidate / MINUTES_A_DAY);
    const day = this.#search.onOrBefore(today);
    const time = this.#timeUpTo(day === today ? candidate - today * MINUTES_A_DAY : MINUTES_A_DAY - 1);
    return time !== undefined
      ? day * DAY_MS + time * MINUTE_MS
      : this.#search.onOrBefore(today - 1) * DAY_MS + this.#timeUpTo(MINUTES_A_DAY - 1)! * MINUTE_MS;
  }

  /** Returns how many times match in `from <= t < to`. */
  count(from: WallMs, to: WallMs): number {
    if (from >= to) return 0;
    const firstDay = Math.floor(from / DAY_MS);
    const lastDay = Math.floor(to / DAY_MS);
    return this.days.count(firstDay, lastDay) * this.#fields.minute.length * this.#fields.hour.length -
      this.#countBefore(from, firstDay) + this.#countBefore(to, lastDay);
  }

  /** Returns the first matching minute of a day at or after `from`; both count from midnight. */
  #timeFrom(from: number): number | undefined {
    const { hour, minute } = this.#fields;
    const fromHour = Math.floor(from / 60);
    for (const h of hour) {
      if (h < fromHour) continue;
      const m = h > fromHour ? minute[0] : minute.find((m) => m >= from % 60);
      if (m !== undefined) return h * 60 + m;
    }
    return undefined;
  }

  /** Returns the last matching minute of a day at or before `upTo`; both count from midnight. */
  #timeUpTo(upTo: number): number | undefined {
    const { hour, minute } = this.#fields;
    const lastHour = Math.floor(upTo / 60);
    for (const h of hour.toReversed()) {
      if (h > lastHour) continue;
      const m = h < lastHour ? minute.at(-1) : minute.findLast((m) => m <= upTo % 60);
      if (m !== undefined) return h * 60 + m;
    }
    return undefined;
  }

  /** Returns how many of a day's matches lie before the time; `day` counts from 1970. */
  #countBefore(wall: WallMs, day: number): number {
    if (!this.days.has(day)) return 0;
    const { hour, minute } = this.#fields;
    const wholeMinutes = Math.ceil((wall - day * DAY_MS) / MINUTE_MS);
    const lastHour = Math.floor(wholeMinutes / 60);
    let count = 0;
    for (const h of hour) {
      if (h < lastHour) count += minute.length;
      else if (h === lastHour) count += minute.filter((m) => m < wholeMinutes % 60).length;
    }
    return count;
  }
}
