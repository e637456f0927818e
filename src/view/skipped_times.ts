import { type EpochMs, formatTime } from "../base/epoch_ms.ts";
import { touchedClockChanges } from "../schedule/clock_changes.ts";
import type { ScheduleParts } from "../schedule/exclusions/parts.ts";

/** Local times that a clock change skips although the schedule names them. */
export interface SkippedTimes {
  /** The instant of the clock change. */
  readonly at: EpochMs;
  /** The wall clock just before and just after the change, without offset. */
  readonly from: string;
  readonly to: string;
  /** How many of the skipped times the schedule names. */
  readonly runs: number;
}

/** Returns what clock changes in `(from, to]` skip of a schedule whose policy is to skip it. */
export function skippedTimes({ parts }: ScheduleParts, from: EpochMs, to: EpochMs): SkippedTimes[] {
  return parts.filter(({ clockChangePolicy }) => clockChangePolicy?.gap === "Skip")
    .flatMap((part) => [...touchedClockChanges(part, from, to)])
    .filter(({ kind }) => kind === "gap")
    .map(({ at, firstWall, endWall, matches: runs }) => ({ at, from: wall(firstWall), to: wall(endWall), runs }));
}

/** Returns the same in words, to stand in place of the run. */
export function skippedInWords({ from, to, runs }: Omit<SkippedTimes, "at">): string {
  // The time alone, where the date is clear.
  const end = from.slice(0, 11) === to.slice(0, 11) ? to.slice(11) : to;
  return `${runs === 1 ? "a run is" : `${runs} runs are`} skipped: the clocks go from ${from} to ${end}`;
}

function wall(ms: number): string {
  return formatTime(ms).slice(0, -1);
}
