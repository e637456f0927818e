import type { EpochMs } from "../base/epoch_ms.ts";

/** The treatment of runs when the clocks are changed. */
export interface ClockChangePolicy {
  /**
   * A local time that a forward change skips: `Skip` does not run it, `RunAfter` runs once at the first instant after the
   * gap if at least one run fell into it.
   */
  readonly gap: "Skip" | "RunAfter";
  /** A local time that a backward change repeats runs in `Both` passes, or only in the `First` or the `Second`. */
  readonly overlap: "Both" | "First" | "Second";
}

/** The policy of Kubernetes. */
export const KUBERNETES_CLOCK_CHANGES: ClockChangePolicy = { gap: "Skip", overlap: "Both" };

/** When a CronJob runs. Immutable: CronJobs with the same text, zone and policy share one. */
export interface Schedule {
  readonly text: string;
  /** The zone whose wall clock counts: of the prefix, else as given, else `UTC`. `Local` stands resolved. */
  readonly timeZone: string;
  /** The interval of `@every`; undefined for a calendar schedule. */
  readonly everyMs?: number | undefined;
  /** The treatment of runs inside clock changes; undefined for an interval, which knows none. */
  readonly clockChangePolicy?: ClockChangePolicy | undefined;
  /** Whether the fields allow no date at all, as `0 0 31 2 *`. */
  readonly neverRuns: boolean;
  /** The first run strictly after `after`; undefined when there is none up to the last instant that a Date can hold. */
  next(after: EpochMs): EpochMs | undefined;
  /** The last run strictly before `before`. */
  previous(before: EpochMs): EpochMs | undefined;
  /** The runs in `(from, to]`, found one by one as they are asked for. */
  between(from: EpochMs, to: EpochMs): Iterable<EpochMs>;
  /** How many runs lie in `(from, to]`: exact by one calendar or interval, else no more than `most`, or `MOST_COUNTED`. */
  count(from: EpochMs, to: EpochMs, most?: number): number;
  /**
   * Binds `@every D` to the grid `anchor + k * D` (k from 1), in place of that of 1970; a calendar schedule has its own grid,
   * and is returned unchanged.
   */
  anchoredAt(anchor: EpochMs): Schedule;
}

/** More times than this are not distinguished where they are looked at one by one, unless the caller asks for that. */
export const MOST_COUNTED = 10_000;

/** Returns how many times these are, `most` for more. */
export function countTimes(times: Iterable<EpochMs>, most = MOST_COUNTED): number {
  let count = 0;
  for (const _ of times) if (++count === most) break;
  return count;
}
