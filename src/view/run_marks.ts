import type { EpochMs } from "../base/epoch_ms.ts";
import type { ScheduleParts } from "../schedule/exclusions/parts.ts";
import type { Schedule } from "../schedule/schedule.ts";
import { timeZone } from "../schedule/time_zone.ts";

/** A mark of a special run: its local time comes twice, or it makes up for runs that a clock change skipped, or that were excluded. */
export type RunMark = "FirstOfTwo" | "SecondOfTwo" | "OnlyFirst" | "OnlySecond" | "AfterGap" | "AfterExclusion";

/** Of several schedules that run then, the first that has something to say. */
export function markOf(run: EpochMs, { parts }: ScheduleParts): RunMark | undefined {
  const running = parts.filter((part) => part.count(run - 1, run) > 0);
  return running.length === 0 ? "AfterExclusion" : running.map((part) => clockChangeMark(run, part)).find(Boolean);
}

function clockChangeMark(run: EpochMs, schedule: Schedule): RunMark | undefined {
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

/** In words, to stand behind the time. */
export const RUN_MARKS: Readonly<Record<RunMark, string>> = {
  FirstOfTwo: "first of two: the clocks go back",
  SecondOfTwo: "second of two: the clocks went back",
  OnlyFirst: "only the first of two: the clocks go back",
  OnlySecond: "only the second of two: the clocks went back",
  AfterGap: "after the gap: the clocks went forward",
  AfterExclusion: "makes up for what was excluded",
};
