import type { EpochMs } from "../base/epoch_ms.ts";
import { fullTime, timeIn } from "../schedule/full_time.ts";

/** A stretch of time. */
export interface Span {
  readonly since: EpochMs;
  readonly until: EpochMs;
}

/** The times in which runs were watched, so that all of them are remembered. */
export interface Watched {
  /** Since when; undefined: not yet. */
  readonly since: EpochMs | undefined;
  /** Later times in which nothing watched, in order. */
  readonly gaps: readonly Span[];
}

/** So many gaps are named one by one. */
const NAMED_GAPS = 5;

/** Returns since when history is kept, and when it was not: the newest gaps first. */
export function watchedInWords({ since, gaps }: Watched, zone: string): string {
  if (since === undefined) return "History is not kept yet";
  const named = gaps.slice(-NAMED_GAPS).reverse().map((gap) => gapInWords(gap, zone));
  const more = gaps.length - named.length;
  const but = more > 0 ? [...named, `${more} earlier ${more === 1 ? "time" : "times"}`] : named;
  const kept = `History is kept since ${fullTime(since, zone)}`;
  return but.length === 0 ? kept : `${kept}, and was not ${but.join(", ")}`;
}

/** Returns why a past time may have had a run of which nothing is kept, or that it had none. */
export function whyNotKept({ since, gaps }: Watched, time: EpochMs, zone: string): string {
  const gap = gaps.find((gap) => gap.since <= time && time < gap.until);
  if (gap) return `history was not kept ${gapInWords(gap, zone)}`;
  if (since === undefined || time < since) {
    return `history is ${since === undefined ? "not kept yet" : `kept since ${fullTime(since, zone)}`}`;
  }
  return "history was kept then, and has no run of that time";
}

/** Returns a gap as it stands behind "history was not kept". */
export function gapInWords({ since, until }: Span, zone: string): string {
  const [from, to] = [timeIn(zone, since), timeIn(zone, until)];
  return from === to ? `at ${from}` : `from ${from} to ${to}`;
}
