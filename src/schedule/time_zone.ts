import { type EpochMs, FIRST_INSTANT, LAST_INSTANT } from "../base/epoch_ms.ts";
import { partitionPoint } from "../base/partition_point.ts";
import { TIME_ZONE_NAMES } from "./time_zone_names.ts";

/** The wall clock of a zone, held as the instant at which UTC's wall clock shows the same. */
export type WallMs = number;

/** A time in which a zone's offset from UTC does not change: `start <= t < end`. Inside it, wall = instant + offset. */
export interface OffsetPeriod {
  readonly start: EpochMs;
  readonly end: EpochMs;
  readonly offsetMs: number;
}

/** No zone's offset reaches this far. */
const LONGEST_OFFSET_MS = 86_400_000;

/** Returns whether Kubernetes takes `name` in `spec.timeZone` (`Local` is only taken in a `TZ=` prefix). Case matters. */
export function isTimeZone(name: string): boolean {
  return TIME_ZONE_NAMES.has(name);
}

/** Offsets of one zone. It keeps the periods that it has looked up: a zone has few, and they never change. */
export class TimeZone {
  readonly name: string;
  /** Ordered, without overlaps; gaps are periods that have not been asked for yet. */
  readonly #periods: OffsetPeriod[] = [];
  #latest: OffsetPeriod | undefined;

  constructor(name: string) {
    this.name = name;
  }

  /** Returns the period of an instant; before `FIRST_INSTANT` and after `LAST_INSTANT`, the period of these. */
  periodAt(anyInstant: EpochMs): OffsetPeriod {
    const instant = Math.min(Math.max(anyInstant, FIRST_INSTANT), LAST_INSTANT - 1);
    if (this.#latest && contains(this.#latest, instant)) return this.#latest;
    const at = partitionPoint(this.#periods, ({ end }) => end <= instant);
    const known = this.#periods[at];
    if (known && contains(known, instant)) return this.#latest = known;
    const period = (hasTemporal ? lookUpPeriod : minuteOf)(this.name, instant);
    this.#periods.splice(at, 0, period);
    return this.#latest = period;
  }

  wallAt(instant: EpochMs): WallMs {
    return instant + this.periodAt(instant).offsetMs;
  }

  /** The first instant at which the wall clock shows `wall`, or passes over it. */
  firstInstantAt(wall: WallMs): EpochMs {
    let period = this.periodAt(wall - LONGEST_OFFSET_MS);
    while (wall - period.offsetMs >= period.end && period.end <= LAST_INSTANT) period = this.periodAt(period.end);
    return Math.max(wall - period.offsetMs, period.start);
  }

  /** The last instant at which the wall clock shows `wall`, or passes over it. */
  lastInstantAt(wall: WallMs): EpochMs {
    let period = this.periodAt(wall + LONGEST_OFFSET_MS);
    while (wall - period.offsetMs < period.start && period.start >= FIRST_INSTANT) {
      const before = this.periodAt(period.start - 1);
      if (wall - before.offsetMs >= before.end) return period.start;
      period = before;
    }
    return wall - period.offsetMs;
  }
}

function contains(period: OffsetPeriod, instant: EpochMs): boolean {
  return period.start <= instant && instant < period.end;
}

function lookUpPeriod(zone: string, instant: EpochMs): OffsetPeriod {
  const at = Temporal.Instant.fromEpochMilliseconds(Math.floor(instant)).toZonedDateTimeISO(zone);
  // "previous" looks strictly before, so it starts from just behind the instant.
  const start = at.add({ milliseconds: 1 }).getTimeZoneTransition("previous");
  const end = at.getTimeZoneTransition("next");
  return {
    start: start?.epochMilliseconds ?? -Infinity,
    end: end?.epochMilliseconds ?? Infinity,
    offsetMs: at.offsetNanoseconds / 1e6,
  };
}

/** Some browsers that show the page have no Temporal yet. */
const hasTemporal = "Temporal" in globalThis;

/** Returns the minute around an instant, by Intl alone: offsets change at whole minutes. */
export function minuteOf(zone: string, instant: EpochMs): OffsetPeriod {
  const start = Math.floor(instant / 60_000) * 60_000;
  const options = { timeZone: zone, hourCycle: "h23", dateStyle: "short", timeStyle: "medium" } as const;
  // Swedish writes 2026-03-29 03:30:00.
  const wall = new Intl.DateTimeFormat("sv-SE", options).format(start).replace(" ", "T");
  return { start, end: start + 60_000, offsetMs: Date.parse(`${wall}Z`) - start };
}

const zones = new Map<string, TimeZone>();

/** Returns the one object for a zone. `Local` is the zone of this process. */
export function timeZone(name: string): TimeZone {
  const known = zones.get(name);
  if (known) return known;
  const zone = new TimeZone(name === "Local" ? localTimeZoneName() : name);
  zones.set(name, zone);
  return zone;
}

function localTimeZoneName(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
}

/**
 * Returns the wall clock of `zone` at `instant` as RFC 3339 with its offset, to the second: `2026-03-29T03:30:00+02:00`.
 */
export function localTime(instant: EpochMs, zone: string): string {
  const { offsetMs } = timeZone(zone).periodAt(instant);
  const wall = new Date(instant + offsetMs).toISOString().slice(0, -5);
  if (offsetMs === 0) return `${wall}Z`;
  const minutes = Math.trunc(Math.abs(offsetMs) / 60_000);
  const digits = (value: number) => String(value).padStart(2, "0");
  return `${wall}${offsetMs < 0 ? "-" : "+"}${digits(Math.trunc(minutes / 60))}:${digits(minutes % 60)}`;
}
