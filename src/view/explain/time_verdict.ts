import { CLOCK_TOLERANCE_MS } from "../../cronjob/api/job.ts";
import { RECENT_RUNS } from "../../cronjob/status/run_records.ts";
import { type EpochMs, parseTime } from "../../schedule/epoch_ms.ts";
import type { WallMs } from "../../schedule/time_zone.ts";
import type { KnownNextRun } from "../cron_job_view.ts";
import type { Look } from "../look.ts";
import { nextRunOf } from "../next_run.ts";
import { stateOf } from "../states.ts";
import { distanceOf } from "../times.ts";
import { scheduleOfLook, timeInWords } from "./asked_time.ts";
import { mayStartAfter, startsAfterPause } from "./after_pause.ts";
import { did } from "./did_not_run.ts";
import { jobByEvent } from "./events_about.ts";
import { scheduleWrittenSince } from "./earlier_schedule.ts";
import type { Verdict } from "./explanation.ts";
import { leftAlone } from "./left_alone.ts";
import { nameTime } from "./named_time.ts";
import { followedSince, isPassedOver, pauseOver } from "./not_started.ts";
import { toldByEvent } from "./told_by_event.ts";
import { waits } from "./waits.ts";

type Rule = (look: Look, time: EpochMs, wall: WallMs | undefined) => Verdict | undefined;

/** Says what became, or will become, of a time without a Job and without a record. In this order: the first that knows. */
export function verdictOfTime(look: Look, time: EpochMs, wall: WallMs | undefined): Verdict {
  for (const rule of RULES) {
    const verdict = rule(look, time, wall);
    if (verdict) return verdict;
  }
  return unknown(look, time);
}

const RULES: readonly Rule[] = [
  // A schedule that was edited since says nothing of what was started before.
  recordedAsStarted,
  createdByEvent,
  leftAlone,
  unreadable,
  notNamed,
  startsAfterPause,
  toCome,
  tooEarly,
  ended,
  pausedThen,
  waits,
  recordedAsPassedOver,
  toldByEvent,
  notFollowed,
  dueNow,
  notRecorded,
];

function unreadable(look: Look, time: EpochMs): Verdict | undefined {
  const reading = look.input.cronJob.schedule;
  if (reading.kind === "schedule") return undefined;
  const written = scheduleWrittenSince(look, time);
  if (written !== undefined && time <= look.input.now) {
    return {
      kind: "Unknown",
      message: `may have run at ${timeInWords(time, look)}, or not: another schedule may have been followed then`,
      why: `it was last written ${timeInWords(written, look)}; now it cannot be followed: ${reading.message}`,
    };
  }
  return {
    kind: "NotFollowed",
    message: `does not run at ${timeInWords(time, look)}: its schedule cannot be followed`,
    why: reading.message,
  };
}

function notNamed(look: Look, time: EpochMs, wall: WallMs | undefined): Verdict | undefined {
  const schedule = scheduleOfLook(look)!;
  const named = nameTime(schedule, time, wall);
  const [before, after] = [schedule.previous(time), schedule.next(named.kind === "gap" ? time - 1 : time)];
  const written = time > look.input.now ? undefined : scheduleWrittenSince(look, time);
  const near = [
    ...(before === undefined ? [] : [`the run before is ${timeInWords(before, look)}`]),
    ...(after === undefined ? [] : [`the next one ${timeInWords(after, look)}`]),
    ...(written === undefined
      ? []
      : [`an earlier schedule may have named it: it was last edited ${timeInWords(written, look)}`]),
  ].join(", ");
  switch (named.kind) {
    case "named":
      return undefined;
    case "gap":
      return {
        kind: "NotScheduled",
        message: "does not run at that time: the clocks skip it",
        why: `they go forward at ${timeInWords(named.after, look)}; ${near}`,
      };
    case "excluded":
      return {
        kind: "Excluded",
        message: `does not run at ${timeInWords(time, look)}: that time is excluded`,
        why: `${look.input.cronJob.settings.schedule} names it, and an exclusion takes it out; ${near}`,
      };
    case "not named":
      return {
        kind: "NotScheduled",
        message: `does not run at ${timeInWords(time, look)}: its schedule does not name that time`,
        why: `${named.reason}; ${near}`,
      };
  }
}

function toCome(look: Look, time: EpochMs): Verdict | undefined {
  const { input: { now, cronJob, runner }, findings: { block, due, obstacle } } = look;
  const startsAt = time + due.offsetMs;
  if (startsAt <= now || (time <= now && time !== due.next)) return undefined;
  const at = timeInWords(time, look);
  const wont = (why: string): Verdict => ({ kind: "WillNotRun", message: `will NOT run at ${at}`, why });
  const { startTime, endTime } = cronJob.settings;
  if (block && !(block.until !== undefined && block.until <= time)) return wont(block.message);
  if (runner?.by === "none") return wont(runner.why);
  if (due.stopped) return wont("more than 100 runs were missed: nothing starts until the spec changes");
  if (obstacle) return wont(obstacle.message);
  if (startTime !== undefined && time < startTime) return wont(`spec.startTime is ${timeInWords(startTime, look)}`);
  if (endTime !== undefined && time > endTime) return wont(`spec.endTime is ${timeInWords(endTime, look)}`);
  const next = nextRunOf(look);
  const isNext = next?.kind === "known" && next.scheduledTime === time;
  const if_ = isNext ? whatIf(next, look) : undefined;
  const spread = due.offsetMs === 0 ? undefined : `its runs are spread: this one starts ${timeInWords(startsAt, look)}`;
  const why = [spread, if_].filter((text) => text !== undefined).join("; ") || undefined;
  return { kind: "WillRun", message: `will run at ${at}, in ${distanceOf(now, startsAt)}`, why };
}

function whatIf({ expected, behind }: KnownNextRun, look: Look): string | undefined {
  if (behind === undefined) return EXPECTED[expected](look);
  return `it joins a line of ${behind} older ${behind === 1 ? "run, which comes" : "runs, which come"} first`;
}

function oldestActive({ activeOfSchedule: [oldest] }: Look): string {
  return oldest!.metadata.name;
}

const EXPECTED: Readonly<Record<"Start" | "Wait" | "Replace", (look: Look) => string | undefined>> = {
  Start: () => undefined,
  Wait: (look) => `unless ${oldestActive(look)} is still active then: it would wait for its end`,
  Replace: (look) => `${oldestActive(look)} is deleted for it, if it is still active then`,
};

function tooEarly(look: Look, time: EpochMs): Verdict | undefined {
  const { input: { cronJob }, findings: { start } } = look;
  if (time <= (cronJob.createdAt ?? -Infinity)) {
    return did("NotFollowed", time, look, `it was created later, at ${timeInWords(cronJob.createdAt!, look)}`);
  }
  const { startTime, dropsOnResume } = cronJob.settings;
  if (startTime !== undefined && time < startTime) {
    return did("NotFollowed", time, look, `spec.startTime is ${timeInWords(startTime, look)}`);
  }
  const since = Math.max(...start.parts.map(({ since }) => since));
  const recorded = start.recorded.time ?? -Infinity;
  // What was started before an edit went by another schedule, of which there is no trace any more.
  if (time <= since && time > recorded && cronJob.flavour.openStatus) {
    return did("NotFollowed", time, look, `the schedule holds since ${timeInWords(since, look)}`);
  }
  if (dropsOnResume && time <= start.floor && time > recorded) {
    const what = `what came due until ${timeInWords(start.floor, look)} was dropped (onResume: None)`;
    return did("NotFollowed", time, look, what);
  }
  return undefined;
}

function ended(look: Look, time: EpochMs): Verdict | undefined {
  const { endTime } = look.input.cronJob.settings;
  if (endTime === undefined || time <= endTime) return undefined;
  return did("NotFollowed", time, look, `spec.endTime is ${timeInWords(endTime, look)}`);
}

function recordedAsStarted(look: Look, time: EpochMs): Verdict | undefined {
  if (time !== look.input.cronJob.recorded.lastScheduleTime) return undefined;
  return {
    kind: "Started",
    message: `was started at ${timeInWords(time, look)}: how it ended is not known`,
    why: "status.lastScheduleTime says that it was started, and its Job is gone",
  };
}

function createdByEvent(look: Look, time: EpochMs): Verdict | undefined {
  const job = jobByEvent(look, time);
  return job === undefined ? undefined : {
    kind: "Started",
    message: `was started at ${timeInWords(time, look)}: how it ended is not known`,
    why: `an Event says that ${job} was there, and that Job is gone`,
  };
}

function pausedThen(look: Look, time: EpochMs): Verdict | undefined {
  const pause = pauseOver(look, time);
  if (!pause || (mayStartAfter(look, time, pause.ended) && !isPassedOver(look, time))) return undefined;
  const what = `it was paused then, until ${timeInWords(pause.ended, look)}`;
  return did("NotFollowed", time, look, what, `Paused: ${pause.message}`);
}

function recordedAsPassedOver(look: Look, time: EpochMs): Verdict | undefined {
  if (!isPassedOver(look, time)) return undefined;
  return did("NotStarted", time, look, "a later run was started first", whyPassedOver(look, time));
}

function whyPassedOver(look: Look, time: EpochMs): string {
  const why = "no controller worked then, or none could create the Job, or its clock was ahead";
  const since = followedSince(look);
  if (since < time) return why;
  const when = since === Infinity ? "" : `, which was ended or edited at ${timeInWords(since, look)}`;
  return `${why}; or it was suspended or paused${when}`;
}

function notFollowed(look: Look, time: EpochMs): Verdict | undefined {
  const { input: { now }, findings: { block, start } } = look;
  if (!block || time <= (start.lastScheduleTime ?? -Infinity)) return undefined;
  const { since } = stateOf(look);
  if (since !== undefined && since > time) {
    const what = `it had not started when a start was ruled out, at ${timeInWords(since, look)}`;
    return did("NotStarted", time, look, what, `${block.reason}: ${block.message}`);
  }
  const how = since === undefined
    ? "is on hold; since when is not known"
    : `has been on hold since ${timeInWords(since, look)}`;
  const why = `${block.reason}: ${block.message}${until(block.until, now)}`;
  return did("NotFollowed", time, look, `its schedule ${how}`, why);
}

function until(until: EpochMs | undefined, now: EpochMs): string {
  return until === undefined ? "" : `; it goes on in ${distanceOf(now, until)}`;
}

/** Returns what a controller would do about it now. */
function dueNow(look: Look, time: EpochMs): Verdict | undefined {
  const { input: { now, cronJob }, findings: { due, scheduled, block } } = look;
  if (block) return undefined;
  if (due.stopped && due.tooLate !== undefined && time <= due.tooLate && time > due.decidedUntil) {
    return did("NotStarted", time, look, "too many runs were missed", "nothing starts until the spec changes");
  }
  const { latenessMs } = cronJob.settings;
  const isTooLate = latenessMs !== undefined && time + due.offsetMs + latenessMs < now;
  if (due.tooLate === time || (isTooLate && time > due.decidedUntil)) {
    const late = (latenessMs ?? 0) / 1_000;
    return did("Missed", time, look, "missed", `it was not started inside its deadline of ${late} s`);
  }
  if (scheduled.kind === "none" || scheduled.kind === "done") return undefined;
  const { scheduledTime } = scheduled.request;
  if (time < scheduledTime && time > due.decidedUntil) {
    const what = `a later one is due, of ${timeInWords(scheduledTime, look)}`;
    const { catchUp, maxCatchUpRuns } = cronJob.settings;
    const why = catchUp === "All"
      ? `of missed runs the latest ${maxCatchUpRuns} start (catchUp: All)`
      : "of several missed runs the latest starts (catchUp: Latest)";
    return did("NotStarted", time, look, what, why);
  }
  if (time !== scheduledTime) return undefined;
  if (now - time - due.offsetMs < CLOCK_TOLERANCE_MS) {
    const message = `is to run at ${timeInWords(time, look)}: it is due, and has no Job yet`;
    return { kind: "Waiting", message, why: undefined };
  }
  const late = distanceOf(time + due.offsetMs, now);
  const recorded = cronJob.status.conditions?.find(({ type, status }) => type === "Overdue" && status === "True");
  const why = recorded?.reason === "FailedCreate" ? recorded.message : undefined;
  return did("Overdue", time, look, `it is due since ${late}`, why);
}

/** Where runs are recorded, what is not among them was not started. */
function notRecorded(look: Look, time: EpochMs): Verdict | undefined {
  const { cronJob } = look.input;
  const { recentRuns = [], lastScheduleTime } = cronJob.status;
  if (!cronJob.flavour.openStatus || time > (parseTime(lastScheduleTime) ?? -Infinity)) return undefined;
  const times = recentRuns.map(({ scheduledTime, startTime }) => parseTime(scheduledTime ?? startTime) ?? Infinity);
  const isWhole = times.length > 0 && times.length < RECENT_RUNS;
  if (!isWhole && !(Math.min(...times) < time)) return undefined;
  const why = "no controller worked then, or none could create the Job, or it started a later run instead";
  return did("NotStarted", time, look, "it was passed over", why);
}

function unknown(look: Look, time: EpochMs): Verdict {
  const { successfulLimit, failedLimit } = look.input.cronJob.settings;
  const kept = `${successfulLimit ?? "all"} successful and ${failedLimit ?? "all"} failed`;
  const events = look.input.events ? "Events are kept for an hour" : "Events could not be read";
  return {
    kind: "Unknown",
    message: `may have run at ${timeInWords(time, look)}, or not: no record of it is left`,
    why: `history keeps ${kept} Jobs; ${events}`,
  };
}
