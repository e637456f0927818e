import type { EpochMs } from "../../base/epoch_ms.ts";
import { DAY_MS } from "../month.ts";
import type { TimeZone } from "../time_zone.ts";
import { firstEndingAfter, merge, type Span } from "./span.ts";

/** A day of each year that has it: `--02-29` is a day of leap years. */
export interface YearlyDate {
  /** From 1. */
  readonly month: number;
  readonly day: number;
}

/** Stretches of time that are named one by one, and days that come each year. */
export class Dates {
  readonly #zone: TimeZone;
  readonly #fixed: readonly Span[];
  readonly #yearly: ReadonlySet<number>;

  constructor(zone: TimeZone, { fixed, yearly }: { fixed: readonly Span[]; yearly: readonly YearlyDate[] }) {
    this.#zone = zone;
    this.#fixed = merge(fixed);
    this.#yearly = new Set(yearly.map(keyOf));
  }

  /** The span that holds the instant. It may touch others. */
  at(instant: EpochMs): Span | undefined {
    const span = this.#fixed[firstEndingAfter(this.#fixed, instant)];
    return span !== undefined && span.start <= instant ? span : this.#daysIn(instant, instant + 1).next().value;
  }

  /** The spans that hold an instant of `[from, to)`, in order, as far as they lie in it. */
  between(from: EpochMs, to: EpochMs): readonly Span[] {
    const fixed = this.#fixed.slice(firstEndingAfter(this.#fixed, from)).filter(({ start }) => start < to);
    return merge([...fixed, ...this.#daysIn(from, to)])
      .map(({ start, end }) => ({ start: Math.max(start, from), end: Math.min(end, to) }));
  }

  /** The days that come each year and hold an instant of `[from, to)`. */
  *#daysIn(from: EpochMs, to: EpochMs): Generator<Span> {
    if (this.#yearly.size === 0) return;
    // A clock that is set back at midnight shows a day before it comes.
    const last = this.#zone.wallAt(to) + DAY_MS;
    for (let wall = Math.floor(this.#zone.wallAt(from) / DAY_MS - 1) * DAY_MS; wall <= last; wall += DAY_MS) {
      const date = new Date(wall);
      if (!this.#yearly.has(keyOf({ month: date.getUTCMonth() + 1, day: date.getUTCDate() }))) continue;
      const day = daySpan(this.#zone, wall);
      if (day.start < to && day.end > from) yield day;
    }
  }
}

function keyOf({ month, day }: YearlyDate): number {
  return month * 100 + day;
}

/** Returns the midnight with which a date begins, by the wall clock; undefined where there is no such date. */
export function midnightOf({ year, month, day }: YearlyDate & { readonly year: number }): number | undefined {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : undefined;
}

/** Returns a day that begins at this midnight of the wall clock. */
export function daySpan(zone: TimeZone, midnight: number): Span {
  return { start: zone.firstInstantAt(midnight), end: zone.firstInstantAt(midnight + DAY_MS) };
}
