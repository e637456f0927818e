import type { EpochMs } from "../../base/epoch_ms.ts";
import { DAY_MS, MINUTE_MS } from "../month.ts";
import type { TimeZone } from "../time_zone.ts";
import { Dates, type YearlyDate } from "./dates.ts";
import type { Span } from "./span.ts";
import { type DayPart, type Window, Windows } from "./windows.ts";

/** The exclusions of a spec, read. */
export interface Exclusions {
  readonly fixed: readonly Span[];
  readonly yearly: readonly YearlyDate[];
  readonly windows: readonly Window[];
}

/** How many days in a row windows may exclude before that counts as for ever: five years, the limit of Kubernetes' search. */
const LONGEST_DAYS = 5 * 366;
/** How long dates may exclude before that counts as for ever. */
const LONGEST_MS = 100 * 366 * DAY_MS;

/** The result for the instants `from <= t < until`. */
interface Found {
  readonly from: EpochMs;
  readonly until: EpochMs;
  readonly found: EpochMs;
}

const NOTHING_FOUND: Found = { from: Infinity, until: -Infinity, found: NaN };
/** How long a result is kept: an exclusion without an end within the limits may have one within those of a later instant. */
const KNOWN_MS = 30 * DAY_MS;

/** The times that a CronJob's exclusions leave out, in one zone. */
export class ExcludedTimes {
  readonly #dates: Dates;
  /** Undefined where there are none. */
  readonly #windows: Windows | undefined;
  /** The last result: times are mostly asked about one after the other. */
  #lastEnd: Found = NOTHING_FOUND;
  #lastStart: Found = NOTHING_FOUND;

  constructor(zone: TimeZone, exclusions: Exclusions) {
    this.#dates = new Dates(zone, exclusions);
    this.#windows = exclusions.windows.length === 0 ? undefined : new Windows(zone, exclusions.windows);
  }

  /** Returns when the excluded stretch that holds the instant ends: Infinity for never; undefined where it is not excluded. */
  endAt(instant: EpochMs): EpochMs | undefined {
    const known = this.#lastEnd;
    if (known.from <= instant && instant < known.until) return known.found;
    const end = this.#findEnd(instant);
    if (end !== undefined) this.#lastEnd = { from: instant, until: Math.min(end, instant + KNOWN_MS), found: end };
    return end;
  }

  /** Returns when the excluded stretch that holds the instant began: -Infinity for always; undefined where it is not excluded. */
  startAt(instant: EpochMs): EpochMs | undefined {
    const known = this.#lastStart;
    if (known.from <= instant && instant < known.until) return known.found;
    const start = this.#findStart(instant);
    if (start !== undefined) {
      this.#lastStart = { from: Math.max(start, instant - KNOWN_MS), until: instant + 1, found: start };
    }
    return start;
  }

  #findEnd(instant: EpochMs): EpochMs | undefined {
    let end = instant;
    for (let days = 0; days < LONGEST_DAYS;) {
      const span = this.#dates.at(end);
      const next = span?.end ?? this.#run(end)?.end;
      if (next === undefined) return end === instant ? undefined : end;
      if (span === undefined) days++;
      end = next;
      if (end - instant > LONGEST_MS) break;
    }
    return Infinity;
  }

  #findStart(instant: EpochMs): EpochMs | undefined {
    // `start` is the first instant known to be excluded; each turn looks at the instant just before it.
    let start = instant + 1;
    for (let days = 0; days < LONGEST_DAYS;) {
      const span = this.#dates.at(start - 1);
      const next = span?.start ?? this.#run(start - 1)?.start;
      if (next === undefined) return start === instant + 1 ? undefined : start;
      if (span === undefined) days++;
      start = next;
      if (instant - start > LONGEST_MS) break;
    }
    return -Infinity;
  }

  /** Yields the excluded stretches that hold an instant of `[from, to)`, in order, as far as they lie in it. */
  *stretches(from: EpochMs, to: EpochMs): Generator<Span> {
    let open: { start: EpochMs; end: EpochMs } | undefined;
    for (const { start, end } of this.#parts(from, to)) {
      if (open && start <= open.end) {
        open.end = Math.max(open.end, end);
        continue;
      }
      if (open) yield open;
      open = { start, end };
    }
    if (open) yield open;
  }

  /** Yields the stretches of dates and windows in the order of their starts; they may overlap. */
  *#parts(from: EpochMs, to: EpochMs): Generator<Span> {
    if (!this.#windows) return yield* this.#dates.between(from, to);
    for (let at = from; at < to;) {
      const dayPart = this.#windows.partAt(at);
      const until = Math.min(dayPart.end, to);
      const parts = [...this.#dates.between(at, until), ...runsOf(dayPart, at, until)];
      yield* parts.sort((a, b) => a.start - b.start);
      at = dayPart.end;
    }
  }

  /** Returns the part of its day, without a gap, that windows exclude around the instant. */
  #run(instant: EpochMs): Span | undefined {
    if (!this.#windows) return undefined;
    const dayPart = this.#windows.partAt(instant);
    const run = dayPart.minutes.around(Math.floor((instant - dayPart.midnight) / MINUTE_MS));
    return run && spanOf(dayPart, run);
  }
}

function* runsOf(dayPart: DayPart, from: EpochMs, to: EpochMs): Generator<Span> {
  for (const run of dayPart.minutes.runs()) {
    const { start, end } = spanOf(dayPart, run);
    if (end > from && start < to) yield { start: Math.max(start, from), end: Math.min(end, to) };
  }
}

function spanOf(dayPart: DayPart, [from, to]: readonly [number, number]): Span {
  return {
    start: Math.max(dayPart.start, dayPart.midnight + from * MINUTE_MS),
    end: Math.min(dayPart.end, dayPart.midnight + to * MINUTE_MS),
  };
}
