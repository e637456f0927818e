import { touchedClockChanges } from "../schedule/clock_changes.ts";
import { type EpochMs, formatTime } from "../schedule/epoch_ms.ts";
import type { Schedule } from "../schedule/schedule.ts";
import { localTime, timeZone } from "../schedule/time_zone.ts";

/** What a clock change does to a run: its local time comes twice, or it makes up for runs that were skipped. */
export type RunMark = "FirstOfTwo" | "SecondOfTwo" | "OnlyFirst" | "OnlySecond" | "AfterGap";

export interface UpcomingRun {
  readonly local: string;
  readonly utc: string;
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

export interface UpcomingRuns {
  readonly schedule: string;
  readonly timeZone: string;
  readonly next: UpcomingRun[];
  readonly skipped: SkippedTimes[];
}

/** The first `count` runs after `from`, and what clock changes do to the runs up to the last of them. */
export function upcomingRuns(schedule: Schedule, from: EpochMs, count: number): UpcomingRuns {
  const grid = schedule.anchoredAt(from);
  const runs: EpochMs[] = [];
  for (let run = grid.next(from); run !== undefined && runs.length < count; run = grid.next(run)) runs.push(run);
  const last = runs.at(-1) ?? from;
  const skips = schedule.clockChangePolicy?.gap === "Skip";
  const gaps = skips ? [...touchedClockChanges(schedule, from, last)].filter(({ kind }) => kind === "gap") : [];
  return {
    schedule: schedule.text,
    timeZone: schedule.timeZone,
    next: runs.map((run) => {
      const clockChange = markOf(run, schedule);
      return {
        local: localTime(run, schedule.timeZone),
        utc: formatTime(run),
        inSeconds: Math.round((run - from) / 1000),
        ...(clockChange ? { clockChange } : {}),
      };
    }),
    skipped: gaps.map(({ at, firstWall, endWall, matches }) => ({
      at: formatTime(at),
      from: formatTime(firstWall).slice(0, -1),
      to: formatTime(endWall).slice(0, -1),
      runs: matches,
    })),
  };
}

function markOf(run: EpochMs, schedule: Schedule): RunMark | undefined {
  const { clockChangePolicy } = schedule;
  if (clockChangePolicy === undefined) return undefined;
  const zone = timeZone(schedule.timeZone);
  const { start, end, offsetMs } = zone.periodAt(run);
  const wentForwardMs = offsetMs - zone.periodAt(start - 1).offsetMs;
  const goesBackMs = offsetMs - zone.periodAt(end).offsetMs;
  if (run === start && wentForwardMs > 0 && clockChangePolicy.gap === "RunAfter") return "AfterGap";
  if (run < start - wentForwardMs) return clockChangePolicy.overlap === "Both" ? "SecondOfTwo" : "OnlySecond";
  if (run >= end - goesBackMs) return clockChangePolicy.overlap === "Both" ? "FirstOfTwo" : "OnlyFirst";
  return undefined;
}

const MARKS: Readonly<Record<RunMark, string>> = {
  FirstOfTwo: "first of two: the clocks go back",
  SecondOfTwo: "second of two: the clocks went back",
  OnlyFirst: "only the first of two: the clocks go back",
  OnlySecond: "only the second of two: the clocks went back",
  AfterGap: "after the gap: the clocks went forward",
};

/** The runs as a table for people. */
export function formatUpcomingRuns({ timeZone, next, skipped }: UpcomingRuns): string {
  if (next.length === 0) return "never: no date matches";
  const rows = [
    ...next.map(({ local, utc, inSeconds, clockChange }) => ({
      at: utc,
      cells: [local, utc, formatDistance(inSeconds), clockChange ? MARKS[clockChange] : ""],
    })),
    ...skipped.map(({ at, from, to, runs }) => ({
      at,
      cells: [
        "-",
        "-",
        "-",
        `${runs === 1 ? "a run is" : `${runs} runs are`} skipped: the clocks go from ${from} to ${sameDay(from, to)}`,
      ],
    })),
  ].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  return formatTable([[`LOCAL (${timeZone})`, "UTC", "IN", "CLOCK CHANGE"], ...rows.map(({ cells }) => cells)]);
}

/** The time alone where the date is clear. */
function sameDay(from: string, to: string): string {
  return from.slice(0, 11) === to.slice(0, 11) ? to.slice(11) : to;
}

/** Columns side by side, without those that have nothing under their head. */
function formatTable(rows: readonly string[][]): string {
  const columns = rows[0].map((_, column) => rows.map((row) => row[column]));
  const used = columns.filter(([, ...cells]) => cells.some((cell) => cell !== ""));
  const widths = used.map((cells) => Math.max(...cells.map((cell) => cell.length)));
  return rows.map((_, row) => used.map((cells, i) => cells[row].padEnd(widths[i])).join("  ").trimEnd()).join("\n");
}

const UNITS: readonly (readonly [name: string, seconds: number])[] = [
  ["y", 365 * 86_400],
  ["d", 86_400],
  ["h", 3_600],
  ["m", 60],
  ["s", 1],
];

/** The two greatest units: `2d 4h`, `45s`. */
export function formatDistance(seconds: number): string {
  const first = UNITS.findIndex(([, unitSeconds]) => seconds >= unitSeconds);
  if (first < 0) return "0s";
  const parts: string[] = [];
  let left = seconds;
  for (const [name, unitSeconds] of UNITS.slice(first, first + 2)) {
    const count = Math.floor(left / unitSeconds);
    left -= count * unitSeconds;
    if (count > 0) parts.push(`${count}${name}`);
  }
  return parts.join(" ");
}
