import { type EpochMs, latest, parseTime } from "../../base/epoch_ms.ts";
import { nameTime } from "../../schedule/named_time.ts";
import type { Schedule } from "../../schedule/schedule.ts";
import { pauseEnd } from "../api/pause.ts";
import { RECENT_RUNS } from "../api/types.ts";
import { find } from "./find.ts";
import type { Findings, Wait } from "./findings.ts";
import { inLine, lineOf } from "./line.ts";
import { type Standstill, standstillOf } from "./obstacles.ts";
import { restedUntil, wasMissed } from "./start_point.ts";
import { isAmong } from "./stretches.ts";

/** The fate of one scheduled time, past or to come, as far as the CronJob, its Jobs and its status show it. */
export type Judgement =
  /** It has, or had, its Job. */
  | { readonly kind: "started" }
  /** Another controller runs the CronJob, by a schedule that is not known. */
  | { readonly kind: "contested"; readonly message: string }
  /** The schedule cannot be read. */
  | { readonly kind: "unreadable"; readonly message: string }
  | { readonly kind: "not scheduled"; readonly reason: string }
  | { readonly kind: "excluded" }
  /** A pause holds it that ends by itself: it starts then, or in line behind `first`. */
  | { readonly kind: "after pause"; readonly startsAt: EpochMs; readonly first: EpochMs }
  | { readonly kind: "to come"; readonly startsAt: EpochMs }
  | { readonly kind: "stands still"; readonly standstill: Standstill; readonly isToCome: boolean }
  | { readonly kind: "left out"; readonly by: LeftOut; readonly at: EpochMs }
  /** It is due, and active Jobs hold it back. */
  | { readonly kind: "held"; readonly wait: Wait }
  /** So many older runs come first, the first of them undefined while the schedule is not followed. */
  | { readonly kind: "in line"; readonly place: number; readonly first: EpochMs | undefined }
  /** A later time was started first; else it is merely absent among the recorded runs. */
  | { readonly kind: "passed over"; readonly isRecorded: boolean }
  | { readonly kind: "too late" }
  /** Of several missed runs a later one starts. */
  | { readonly kind: "overtaken"; readonly by: EpochMs }
  | { readonly kind: "due" }
  | { readonly kind: "no record" };

/**
 * Why a time is not meant: it lies before the creation, outside of the span, before an edit or a resumption, in a pause, or in
 * a rest that may have been one.
 */
export type LeftOut = "creation" | "startTime" | "endTime" | "edit" | "resumption" | "pause" | "rest";

type Rule = (findings: Findings, time: EpochMs, then: Findings) => Judgement | undefined;

/** In this order; the first that knows. */
const RULES: readonly Rule[] = [
  // A schedule that was edited since says nothing of what was started before.
  started,
  contested,
  unreadable,
  notNamed,
  afterPause,
  standsStill,
  leftOut,
  toCome,
  waits,
  recordedAsPassedOver,
  blocked,
  decidedNow,
  notMissed,
  notRecorded,
];

/** Judges one time of the schedule. `then`: what is found at the end of a pause, for those who ask about many times. */
export function judge(findings: Findings, time: EpochMs, then = onceFollowed(findings)): Judgement {
  for (const rule of RULES) {
    const judgement = rule(findings, time, then);
    if (judgement) return judgement;
  }
  return { kind: "no record" };
}

/** Returns the schedule as it stands, bound to where it counts from; undefined where it can't be read. */
export function scheduleAsRecorded({ start: { schedule, recordedAnchor } }: Findings): Schedule | undefined {
  return schedule?.anchoredAt(recordedAnchor);
}

/** Returns what is found now, or at the end of a pause that ends by itself. */
export function onceFollowed(findings: Findings): Findings {
  const { input: { cronJob, jobs }, block } = findings;
  return block?.until === undefined ? findings : find({ cronJob, jobs, now: block.until });
}

/** Returns the run that comes next; once a pause is over, that is what came due meanwhile. */
export function comingRun(
  findings: Findings,
  { input, block, due, scheduled }: Findings,
): { readonly scheduledTime: EpochMs; readonly startsAt: EpochMs } | undefined {
  if (block || due.stopped) return undefined;
  if (findings.block?.until !== undefined && scheduled.kind !== "none" && scheduled.kind !== "done") {
    return { scheduledTime: scheduled.request.scheduledTime, startsAt: input.now };
  }
  return due.next === undefined ? undefined : { scheduledTime: due.next, startsAt: due.next + due.offsetMs };
}

/** Returns the pause that was on at a time, and has ended, as far as the last one that is recorded goes. */
export function pauseOver({ input: { cronJob: { settings: { pause } }, now } }: Findings, time: EpochMs) {
  const ended = pauseEnd(pause, now);
  const since = pause?.since;
  return ended !== undefined && since !== undefined && since < time && time <= ended
    ? { ended, message: pause!.message }
    : undefined;
}

/** Returns since when the schedule holds as it is, of several the newest. */
export function heldSince({ start: { parts } }: Findings): EpochMs {
  return Math.max(...parts.map(({ since }) => since));
}

function started({ input: { cronJob: { recorded } }, children }: Findings, time: EpochMs): Judgement | undefined {
  const hasStarted = time === recorded.lastScheduleTime || children.some(({ scheduledTime }) => scheduledTime === time);
  return hasStarted ? { kind: "started" } : undefined;
}

function contested({ input: { cronJob: { stewardship } } }: Findings): Judgement | undefined {
  return stewardship.isContested ? { kind: "contested", message: stewardship.closed!.message } : undefined;
}

function unreadable({ input: { cronJob: { schedule } } }: Findings): Judgement | undefined {
  return schedule.kind === "problem" ? { kind: "unreadable", message: schedule.message } : undefined;
}

function notNamed(findings: Findings, time: EpochMs): Judgement | undefined {
  const named = nameTime(scheduleAsRecorded(findings)!, time);
  if (named.kind === "not named") return { kind: "not scheduled", reason: named.reason };
  return named.kind === "excluded" ? { kind: "excluded" } : undefined;
}

function afterPause(findings: Findings, time: EpochMs, then: Findings): Judgement | undefined {
  const next = comingRun(findings, then);
  const until = findings.block?.until;
  if (until === undefined || next?.startsAt !== until) return undefined;
  if (time !== next.scheduledTime && !isAmong(then.due.line?.held ?? [], time)) return undefined;
  return { kind: "after pause", startsAt: until, first: next.scheduledTime };
}

/** Returns whether its run starts later than now. */
function isAhead({ input: { now }, due }: Findings, time: EpochMs): boolean {
  return time + due.offsetMs > now && (time > now || time === due.next);
}

function standsStill(findings: Findings, time: EpochMs): Judgement | undefined {
  const standstill = standstillOf(findings);
  if (!standstill || !isAhead(findings, time) || (standstill.until ?? Infinity) <= time) return undefined;
  return { kind: "stands still", standstill, isToCome: true };
}

/** Returns why a time is not meant, if that is so. */
export function leftOut(findings: Findings, time: EpochMs): Judgement & { readonly kind: "left out" } | undefined {
  const { input: { cronJob: { createdAt, settings, flavour } }, start } = findings;
  const { startTime, endTime, dropsOnResume } = settings;
  // A run that started before an edit went by another schedule, of which no trace is left.
  const isUnstarted = time > (start.recorded.time ?? -Infinity);
  const since = heldSince(findings);
  const before = (by: LeftOut, at: EpochMs | undefined) =>
    at === undefined ? undefined : { kind: "left out", by, at } as const;
  if (time <= (createdAt ?? -Infinity)) return before("creation", createdAt);
  if (startTime !== undefined && time < startTime) return before("startTime", startTime);
  if (flavour.openStatus && isUnstarted && time <= since) return before("edit", since);
  if (dropsOnResume && isUnstarted && time <= start.floor) return before("resumption", start.floor);
  if (endTime !== undefined && time > endTime) return before("endTime", endTime);
  return before("pause", heldByPause(findings, time) ?? haltedUntil(findings, time));
}

/**
 * Returns the end of a pause after failures in which a time was passed over. Any failure before its end may have begun it, so
 * all of these must be older than the time.
 */
function haltedUntil({ input: { cronJob }, failures }: Findings, time: EpochMs): EpochMs | undefined {
  const { resumedAt = -Infinity, counted = [] } = failures ?? {};
  const successes = cronJob.status.recentRuns?.filter(({ outcome }) => outcome === "Succeeded") ?? [];
  const failed = counted.filter(({ endTime: end, jobName: job }) =>
    end < resumedAt && !successes.some(({ endTime, jobName }) => jobName === job && parseTime(endTime) === end)
  );
  const since = latest(...failed.map(({ endTime }) => endTime)) ?? Infinity;
  return since < time && time <= resumedAt && isAmong(cronJob.passedOver, time) ? resumedAt : undefined;
}

/** Returns the end of a pause that was on then, unless the run may have started after it. */
function heldByPause(findings: Findings, time: EpochMs): EpochMs | undefined {
  const { catchUp, dropsOnResume, startingDeadlineMs } = findings.input.cronJob.settings;
  const ended = pauseOver(findings, time)?.ended;
  if (ended === undefined || isAmong(findings.input.cronJob.passedOver, time)) return ended;
  if (dropsOnResume || ended - time > startingDeadlineMs) return ended;
  const isLatest = (scheduleAsRecorded(findings)?.next(time) ?? Infinity) > ended;
  return catchUp === "All" || isLatest ? undefined : ended;
}

function toCome(findings: Findings, time: EpochMs): Judgement | undefined {
  return isAhead(findings, time) ? { kind: "to come", startsAt: time + findings.due.offsetMs } : undefined;
}

function waits(findings: Findings, time: EpochMs): Judgement | undefined {
  const { scheduled, block } = findings;
  const isNext = "request" in scheduled && scheduled.request.scheduledTime === time;
  if (!isNext && !isAmong(lineOf(findings), time)) return undefined;
  const place = inLine(findings).indexOf(time);
  if (place < 0) return undefined;
  if (block) return { kind: "in line", place, first: undefined };
  if (scheduled.kind === "none" || scheduled.kind === "done") return undefined;
  if (!isNext) return { kind: "in line", place, first: scheduled.request.scheduledTime };
  return scheduled.kind === "wait" ? { kind: "held", wait: scheduled } : undefined;
}

function recordedAsPassedOver({ input: { cronJob } }: Findings, time: EpochMs): Judgement | undefined {
  return isAmong(cronJob.passedOver, time) ? { kind: "passed over", isRecorded: true } : undefined;
}

function blocked({ block, start }: Findings, time: EpochMs): Judgement | undefined {
  if (!block || time <= (start.lastScheduleTime ?? -Infinity)) return undefined;
  return { kind: "stands still", standstill: block, isToCome: false };
}

/** Says what a controller would do about it now. */
function decidedNow(findings: Findings, time: EpochMs): Judgement | undefined {
  const { input: { now, cronJob }, due, scheduled, block } = findings;
  if (block) return undefined;
  const isOpen = time > due.decidedUntil;
  if (due.stopped && isOpen && time <= (due.tooLate ?? -Infinity)) {
    return { kind: "stands still", standstill: standstillOf(findings)!, isToCome: false };
  }
  const isLate = due.tooLate === time || (isOpen && time + cronJob.settings.startingDeadlineMs < now);
  if (isLate && wasMissed(findings, time)) return { kind: "too late" };
  if (scheduled.kind === "none" || scheduled.kind === "done") return undefined;
  const { scheduledTime } = scheduled.request;
  if (isOpen && time < scheduledTime) return { kind: "overtaken", by: scheduledTime };
  return time === scheduledTime ? { kind: "due" } : undefined;
}

/** Nothing was to start then, as far as is known, and nothing has started since. */
function notMissed(findings: Findings, time: EpochMs): Judgement | undefined {
  if (time <= (findings.start.lastScheduleTime ?? -Infinity) || wasMissed(findings, time)) return undefined;
  return { kind: "left out", by: "rest", at: restedUntil(findings) };
}

/** Where runs are recorded, a time that is absent among them was not started. */
function notRecorded({ input: { cronJob } }: Findings, time: EpochMs): Judgement | undefined {
  const { recentRuns = [], lastScheduleTime } = cronJob.status;
  if (!cronJob.flavour.openStatus || time > (parseTime(lastScheduleTime) ?? -Infinity)) return undefined;
  const times = recentRuns.map(({ scheduledTime, startTime }) => parseTime(scheduledTime ?? startTime) ?? Infinity);
  const isWhole = times.length > 0 && times.length < RECENT_RUNS;
  return isWhole || Math.min(...times) < time ? { kind: "passed over", isRecorded: false } : undefined;
}
