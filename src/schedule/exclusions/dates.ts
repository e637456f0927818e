import { type EpochMs, FIRST_INSTANT, LAST_INSTANT } from "../../base/epoch_ms.ts";
import { DAY_MS } from "../month.ts";
import type { TimeZone } from "../time_zone.ts";
import { firstEndingAfter, merge, type Span } from "./span.ts";

/** A day of each year that has it: `--02-29` is a day of leap years. */
export interface YearlyDate {
  /** From 1. */
  readonly month: number;
  readonly day: number;
}

/** Years that are worked out together. */
const YEARS = 32;
const FIRST_YEAR = new Date(FIRST_INSTANT).getUTCFullYear();
const LAST_YEAR = new Date(LAST_INSTANT).getUTCFullYear();

/** Stretches of time that are named one by one, and days that come each year. */
export class Dates {
  readonly #zone: TimeZone;
  readonly #fixed: readonly Span[];
  readonly #yearly: readonly YearlyDate[];
  /** Merged, of all years asked about so far. */
  #unrolled: { readonly fromYear: number; readonly toYear: number; readonly spans: readonly Span[] } | undefined;

  constructor(zone: TimeZone, { fixed, yearly }: { fixed: readonly Span[]; yearly: readonly YearlyDate[] }) {
    this.#zone = zone;
    this.#fixed = merge(fixed);
    this.#yearly = [...new Map(yearly.map((date) => [date.month * 100 + date.day, date])).values()];
  }

  /** The span that holds the instant. It may touch others of the years around. */
  at(instant: EpochMs): Span | undefined {
    const spans = this.#around(instant, instant);
    const span = spans[firstEndingAfter(spans, instant)];
    return span !== undefined && span.start <= instant ? span : undefined;
  }

  /** The spans that hold an instant of `[from, to)`, in order, as far as they lie in it. */
  *between(from: EpochMs, to: EpochMs): Generator<Span> {
    const spans = this.#around(from, to);
    let i = firstEndingAfter(spans, from);
    for (let span = spans[i]; span && span.start < to; span = spans[++i]) {
      yield { start: Math.max(span.start, from), end: Math.min(span.end, to) };
    }
  }

  #around(from: EpochMs, to: EpochMs): readonly Span[] {
    if (this.#yearly.length === 0) return this.#fixed;
    // Some at a time: a search asks for one year after the other.
    const fromYear = Math.max(FIRST_YEAR, Math.floor((yearOf(from) - 1) / YEARS) * YEARS);
    const toYear = Math.min(LAST_YEAR, Math.ceil((yearOf(to) + 2) / YEARS) * YEARS - 1);
    const known = this.#unrolled;
    if (known && known.fromYear <= fromYear && toYear <= known.toYear) return known.spans;
    const first = Math.min(fromYear, known?.fromYear ?? fromYear);
    const last = Math.max(toYear, known?.toYear ?? toYear);
    const isNew = (year: number) => !known || year < known.fromYear || year > known.toYear;
    const days: Span[] = [];
    for (let year = first; year <= last; year++) {
      if (!isNew(year)) continue;
      for (const date of this.#yearly) {
        const wall = midnightOf({ year, ...date });
        if (wall !== undefined) days.push(daySpan(this.#zone, wall));
      }
    }
    this.#unrolled = { fromYear: first, toYear: last, spans: merge([...known?.spans ?? this.#fixed, ...days]) };
    return this.#unrolled.spans;
  }
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

function yearOf(instant: EpochMs): number {
  return new Date(Math.min(Math.max(instant, FIRST_INSTANT), LAST_INSTANT)).getUTCFullYear();
}
