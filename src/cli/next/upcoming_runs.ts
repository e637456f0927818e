import { type TouchedClockChange, touchedClockChanges } from "../../schedule/clock_changes.ts";
import { type EpochMs, formatTime } from "../../base/epoch_ms.ts";
import { partsOf, type ScheduleParts } from "../../schedule/exclusions/parts.ts";
import type { Schedule } from "../../schedule/schedule.ts";
import { wallOf } from "../../schedule/full_time.ts";
import { localTime } from "../../schedule/time_zone.ts";
import { formatDistance } from "../../view/times.ts";
import { markOf, RUN_MARKS, type RunMark } from "../../view/run_marks.ts";
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

/** Local times that a clock change skips although the schedule names them. */
export interface SkippedTimes {
  /** The instant of the clock change. */
  readonly at: string;
  /** The wall clock just before and just after the change, without offset. */
  readonly from: string;
  readonly to: string;
  /** How many of the skipped times the schedule names. */
  readonly runs: number;
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
  readonly skipped: SkippedTimes[];
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
  const gaps = whole.parts.flatMap((part) => [...skippedTimes(part, from, last)]);
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
    skipped: gaps.map(({ at, firstWall, endWall, matches }) => ({
      at: formatTime(at),
      from: formatTime(firstWall).slice(0, -1),
      to: formatTime(endWall).slice(0, -1),
      runs: matches,
    })),
    ...(excluded.length > 0 ? { excluded } : {}),
  };
}

function* skippedTimes(part: Schedule, from: EpochMs, to: EpochMs): Generator<TouchedClockChange> {
  if (part.clockChangePolicy?.gap !== "Skip") return;
  for (const change of touchedClockChanges(part, from, to)) if (change.kind === "gap") yield change;
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
    ...skipped.map(({ at, from, to, runs }) => ({
      at,
      cells: [
        ...none,
        `${runs === 1 ? "a run is" : `${runs} runs are`} skipped: the clocks go from ${from} to ${sameDay(from, to)}`,
      ],
    })),
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

/** Returns the time alone where the date is clear. */
function sameDay(from: string, to: string): string {
  return from.slice(0, 11) === to.slice(0, 11) ? to.slice(11) : to;
}
