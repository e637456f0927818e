import { type EpochMs, formatTime } from "../../base/epoch_ms.ts";
import { partsOf, type ScheduleParts } from "../../schedule/exclusions/parts.ts";
import type { Schedule } from "../../schedule/schedule.ts";
import { wallOf } from "../../schedule/full_time.ts";
import { localTime } from "../../schedule/time_zone.ts";
import { formatDistance } from "../../view/times.ts";
import { markOf, RUN_MARKS, type RunMark } from "../../view/run_marks.ts";
import { skippedInWords, type SkippedTimes, skippedTimes } from "../../view/skipped_times.ts";
import { formatTable } from "../print/table.ts";

export interface UpcomingRun {
  readonly local: string;
  readonly utc: string;
  /** Absent where it starts at its time. */
  readonly startsAt?: string;
  /** Until it starts. */
  readonly inSeconds: number;
  readonly clockChange?: RunMark;
}

/** A stretch of excluded times, as far as it lies between `from` and the last run shown. */
export interface ExcludedTimes {
  readonly from: string;
  readonly to: string;
  /** How many runs it leaves out. */
  readonly runs: number;
}

export interface UpcomingRuns {
  readonly schedule: string;
  readonly timeZone: string;
  readonly next: UpcomingRun[];
  /** `at` is the instant of the clock change. */
  readonly skipped: (Omit<SkippedTimes, "at"> & { readonly at: string })[];
  /** The first of them; absent where nothing is excluded. */
  readonly excluded?: ExcludedTimes[];
}

/**
 * Returns the first `count` runs after `from`, and what clock changes do to the runs up to the last of them.
 *
 * @param now from when the distances of the runs are counted
 */
export function upcomingRuns(schedule: Schedule, from: EpochMs, count: number, now = from): UpcomingRuns {
  const grid = schedule.anchoredAt(from);
  const runs: EpochMs[] = [];
  for (let run = grid.next(from); run !== undefined && runs.length < count; run = grid.next(run)) runs.push(run);
  const whole = partsOf(grid);
  const last = runs.at(-1) ?? (whole.stretches && whole.base.next(from)) ?? from;
  const excluded = excludedTimes(whole, from, last);
  return {
    schedule: schedule.text,
    timeZone: schedule.timeZone,
    next: runs.map((run) => {
      const clockChange = markOf(run, whole);
      return {
        local: localTime(run, schedule.timeZone),
        utc: formatTime(run),
        inSeconds: Math.round((run - now) / 1000),
        ...(clockChange ? { clockChange } : {}),
      };
    }),
    skipped: skippedTimes(whole, from, last).map(({ at, ...skipped }) => ({ at: formatTime(at), ...skipped })),
    ...(excluded.length > 0 ? { excluded } : {}),
  };
}

/** Of more stretches than this the first are shown. */
const SHOWN_STRETCHES = 20;

function excludedTimes({ base, stretches }: ScheduleParts, from: EpochMs, to: EpochMs): ExcludedTimes[] {
  const excluded: ExcludedTimes[] = [];
  for (const { start, end } of stretches?.(from, to + 1) ?? []) {
    const runs = base.count(start - 1, end - 1);
    if (runs > 0) excluded.push({ from: formatTime(start), to: formatTime(end), runs });
    if (excluded.length === SHOWN_STRETCHES) break;
  }
  return excluded;
}

/** Returns the runs as a table for people. */
export function formatUpcomingRuns({ timeZone, next, skipped, excluded = [] }: UpcomingRuns): string {
  if (next.length === 0) return excluded.length > 0 ? "never: everything is excluded" : "never: no date matches";
  const isUtc = next.every(({ local, utc }) => local === utc);
  const none = isUtc ? ["-", "-"] : ["-", "-", "-"];
  const rows = [
    ...next.map(({ local, utc, startsAt, inSeconds, clockChange }) => ({
      at: utc,
      cells: [
        `${wallOf(Date.parse(utc), timeZone).weekday} ${local}`,
        ...isUtc ? [] : [utc],
        formatDistance(inSeconds),
        [...clockChange ? [RUN_MARKS[clockChange]] : [], ...startsAt ? ["starts after the pause"] : []].join(
          "; ",
        ),
      ],
    })),
    ...skipped.map(({ at, ...times }) => ({ at, cells: [...none, skippedInWords(times)] })),
    ...excluded.map(({ from, to, runs }) => ({
      at: from,
      cells: [
        ...none,
        `${runs === 1 ? "a run is" : `${runs} runs are`} excluded until ${localTime(Date.parse(to), timeZone)}`,
      ],
    })),
  ].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const head = isUtc ? [`TIME (${timeZone})`] : [`LOCAL (${timeZone})`, "UTC"];
  return formatTable([[...head, "IN", "NOTE"], ...rows.map(({ cells }) => cells)]);
}
