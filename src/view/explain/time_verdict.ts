import { CLOCK_TOLERANCE_MS } from "../../cronjob/api/job.ts";
import { judge, type Judgement, type LeftOut, onceFollowed, pauseOver } from "../../cronjob/decision/judge.ts";
import type { Standstill } from "../../cronjob/decision/obstacles.ts";
import { waitText } from "../../cronjob/decision/waits.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import { nameTime } from "../../schedule/named_time.ts";
import type { WallMs } from "../../schedule/time_zone.ts";
import type { KnownNextRun } from "../cron_job_view.ts";
import { isPending, type Look } from "../look.ts";
import { BEFORE_EDIT, nextRunOf } from "../next_run.ts";
import { whyPending } from "../pods.ts";
import { freeSince, mayPrecedeEdit, whyRefused } from "../overdue.ts";
import { stateOf } from "../states.ts";
import { distanceOf } from "../times.ts";
import { scheduleOfLook, timeInWords } from "./asked_time.ts";
import { followedSince, scheduleWrittenSince } from "./earlier_schedule.ts";
import { jobByEvent, toldByEvent } from "./events_about.ts";
import type { Verdict } from "./explanation.ts";
import { didNotRun } from "./run_verdict.ts";
import { whyNotKept } from "../watched.ts";
import { zoneOf } from "../../cronjob/api/zone.ts";

type Of<Kind extends Judgement["kind"]> = Judgement & { readonly kind: Kind };
type Words = { readonly [Kind in Judgement["kind"]]: (look: Look, time: EpochMs, judged: Of<Kind>) => Verdict };

/** Judgements that an Event about a time knows better. */
const OPEN: readonly Judgement["kind"][] = ["stands still", "passed over", "too late", "overtaken", "due", "no record"];

/** Says what became, or will become, of a time without a Job and without a record of its run. */
export function verdictOfTime(look: Look, time: EpochMs, wall: WallMs | undefined): Verdict {
  const { findings, input: { now } } = look;
  // The start after a pause is known only where nothing but the pause holds it.
  const judged = judge(findings, time, nextRunOf(look)?.kind === "known" ? onceFollowed(findings) : findings);
  if (judged.kind !== "started" && jobByEvent(look, time) !== undefined) return createdByEvent(look, time);
  if (judged.kind !== "started" && judged.kind !== "contested" && judged.kind !== "unreadable") {
    const schedule = scheduleOfLook(look)!;
    if (nameTime(schedule, time, wall).kind === "gap") return inGap(look, time);
  }
  const told = time <= now && OPEN.includes(judged.kind) ? toldByEvent(look, time) : undefined;
  const isRecorded = judged.kind === "passed over" && judged.isRecorded;
  return (isRecorded && told?.kind === "Unknown" ? undefined : told) ?? inWords(look, time, judged);
}

function inWords<Kind extends Judgement["kind"]>(look: Look, time: EpochMs, judged: Of<Kind>): Verdict {
  const words: Words[Kind] = WORDS[judged.kind as Kind];
  return words(look, time, judged);
}

const WORDS: Words = {
  "started": (look, time) =>
    wasStarted(look, time, "status.lastScheduleTime says that it was started, and its Job is gone"),
  "contested": (look, time, { message }) => {
    const may = time > look.input.now ? "may run" : "may have run";
    return unknown(`${may} at ${timeInWords(time, look)}, or not: this controller leaves it alone`, message);
  },
  "unreadable": (look, time, { message }) => {
    const written = time > look.input.now ? undefined : scheduleWrittenSince(look, time);
    if (written === undefined) {
      const what = `does not run at ${timeInWords(time, look)}: its schedule cannot be followed`;
      return { kind: "NotFollowed", message: what, why: message };
    }
    return unknown(
      `may have run at ${timeInWords(time, look)}, or not: another schedule may have been followed then`,
      `it was last written ${timeInWords(written, look)}; now it cannot be followed: ${message}`,
    );
  },
  "not scheduled": (look, time, { reason }) => ({
    kind: "NotScheduled",
    message: `does not run at ${timeInWords(time, look)}: its schedule does not name that time`,
    why: `${reason}; ${nearby(look, time)}`,
  }),
  "excluded": (look, time) => ({
    kind: "Excluded",
    message: `does not run at ${timeInWords(time, look)}: that time is excluded`,
    why: `${look.input.cronJob.settings.schedule} names it, and an exclusion takes it out; ${nearby(look, time)}`,
  }),
  "after pause": (look, time, { startsAt, first }) => {
    const { input: { now, cronJob: { settings: { catchUp } } }, findings: { block } } = look;
    const which = catchUp === "All"
      ? "missed runs start one after the other then"
      : "the latest missed run starts then";
    const why = `it is paused until ${timeInWords(startsAt, look)} (${block!.message}); ${which} (catchUp: ${catchUp})`;
    if (time <= now) return didNotRun("Waiting", time, look, "it waits for the end of the pause", why);
    const when = time === first ? `in ${distanceOf(now, startsAt)}` : "in its turn";
    return { kind: "WillRun", message: `will run late for ${timeInWords(time, look)}, ${when}`, why };
  },
  "stands still": (look, time, { standstill, isToCome }) =>
    isToCome ? wont(look, time, whyStill(look, standstill)) : heldUp(look, time, standstill),
  "left out": (look, time, { by, at }) => {
    const what = LEFT_OUT[by](timeInWords(at, look));
    if (time > look.input.now) return wont(look, time, what);
    const pause = by === "pause" ? pauseOver(look.findings, time) : undefined;
    return didNotRun("NotFollowed", time, look, what, pause && `Paused: ${pause.message}`);
  },
  "to come": (look, time, { startsAt }) => {
    const { input: { now, runner }, findings: { due } } = look;
    if (runner?.by === "none") return wont(look, time, runner.why);
    const next = nextRunOf(look);
    const isNext = next?.kind === "known" && next.scheduledTime === time;
    const why = [
      ...due.offsetMs === 0 ? [] : [`its runs are spread: this one starts ${timeInWords(startsAt, look)}`],
      ...isNext ? whatIf(next, look) : [],
    ].join("; ");
    const message = `will run at ${timeInWords(time, look)}, in ${distanceOf(now, startsAt)}`;
    return { kind: "WillRun", message, why: why || undefined };
  },
  "held": (look, time, { wait }) => {
    const [holder] = wait.by;
    const { scheduledTime, createdAt = 0, metadata: { name } } = holder!;
    const trouble = isPending(holder!, look.input) ? whyPending(holder!, look.input).message : undefined;
    const run = `the run of ${timeInWords(scheduledTime ?? createdAt, look)} (${name})`;
    return waits(look, time, `it waits ${waitText(wait, { holder: run, trouble, but: noController(look) })}`);
  },
  "in line": (look, time, { place, first }) => {
    const { input: { cronJob: { settings } }, findings: { block } } = look;
    if (first === undefined) {
      return waits(look, time, `${whyStill(look, block!)}; it starts in its turn when that ends`);
    }
    const older = place === 1 ? "one older run comes" : `${place} older runs come`;
    const why = noController(look);
    const but = why === undefined ? "" : `; but ${why}`;
    return waits(
      look,
      time,
      `${older} first (catchUp: ${settings.catchUp}), now that of ${timeInWords(first, look)}${but}`,
    );
  },
  "passed over": (look, time, { isRecorded }) =>
    isRecorded
      ? didNotRun("NotStarted", time, look, "a later run was started first", whyPassedOver(look, time))
      : didNotRun("NotStarted", time, look, "it was passed over", `${NOT_STARTED}, or it started a later run instead`),
  "too late": (look, time) => {
    const late = look.input.cronJob.settings.startingDeadlineMs / 1_000;
    return didNotRun("Missed", time, look, "missed", `it was not started inside its deadline of ${late} s`);
  },
  "overtaken": (look, time, { by }) => {
    const { catchUp, maxCatchUpRuns } = look.input.cronJob.settings;
    const why = catchUp === "All"
      ? `of missed runs the latest ${maxCatchUpRuns} start (catchUp: All)`
      : "of several missed runs the latest starts (catchUp: Latest)";
    return didNotRun("NotStarted", time, look, `a later one is due, of ${timeInWords(by, look)}`, why);
  },
  "due": (look, time) => {
    const { input, input: { now, cronJob }, findings: { due: { schedule } } } = look;
    if (schedule && mayPrecedeEdit(cronJob, schedule, time)) {
      return unknown(`may still run at ${timeInWords(time, look)}, or not`, BEFORE_EDIT);
    }
    const startsAt = freeSince(look.findings, time);
    if (now - startsAt < CLOCK_TOLERANCE_MS) {
      const message = `is to run at ${timeInWords(time, look)}: it is due, and has no Job yet`;
      return { kind: "Waiting", message, why: undefined };
    }
    const howLong = `it has been due for ${distanceOf(startsAt, now)}`;
    return didNotRun("Overdue", time, look, howLong, whyRefused(input, time));
  },
  "no record": (look, time) => {
    const { successfulLimit, failedLimit } = look.input.cronJob.settings;
    const kept = `${successfulLimit ?? "all"} successful and ${failedLimit ?? "all"} failed`;
    const { events, watched, cronJob } = look.input;
    const reasons = [
      ...watched ? [whyNotKept(watched, time, zoneOf(cronJob))] : [],
      `history limits keep ${kept} Jobs`,
      events ? "Events are kept for an hour" : "Events could not be read",
    ];
    return unknown(
      `may have run at ${timeInWords(time, look)}, or not: no record of it is left`,
      reasons.join("; "),
    );
  },
};

const NOT_STARTED = "no controller worked then, or none could create the Job";

const LEFT_OUT: Readonly<Record<LeftOut, (at: string) => string>> = {
  creation: (at) => `it was created later, at ${at}`,
  startTime: (at) => `spec.startTime is ${at}`,
  endTime: (at) => `spec.endTime is ${at}`,
  edit: (at) => `the schedule holds since ${at}`,
  resumption: (at) => `what came due until ${at} was dropped (onResume: None)`,
  pause: (at) => `it was paused then, until ${at}`,
  rest: (at) => `it may have been suspended or paused, until ${at}`,
};

function unknown(message: string, why: string): Verdict {
  return { kind: "Unknown", message, why };
}

function wont(look: Look, time: EpochMs, why: string): Verdict {
  return { kind: "WillNotRun", message: `will NOT run at ${timeInWords(time, look)}`, why };
}

function waits(look: Look, time: EpochMs, why: string): Verdict {
  return { kind: "Waiting", message: `waits: its run of ${timeInWords(time, look)} is due`, why };
}

function wasStarted(look: Look, time: EpochMs, why: string): Verdict {
  return { kind: "Started", message: `was started at ${timeInWords(time, look)}: how it ended is not known`, why };
}

function createdByEvent(look: Look, time: EpochMs): Verdict {
  return wasStarted(look, time, `an Event says that ${jobByEvent(look, time)} was there, and that Job is gone`);
}

function inGap(look: Look, time: EpochMs): Verdict {
  return {
    kind: "NotScheduled",
    message: "does not run at that time: the clocks skip it",
    why: `they go forward at ${timeInWords(time, look)}; ${nearby(look, time, time - 1)}`,
  };
}

/** Names the runs before and after a time that has none. */
function nearby(look: Look, time: EpochMs, from = time): string {
  const schedule = scheduleOfLook(look)!;
  const [before, after] = [schedule.previous(time), schedule.next(from)];
  const written = time > look.input.now ? undefined : scheduleWrittenSince(look, time);
  return [
    ...before === undefined ? [] : [`the run before is ${timeInWords(before, look)}`],
    ...after === undefined ? [] : [`the next one ${timeInWords(after, look)}`],
    ...written === undefined
      ? []
      : [`an earlier schedule may have named it: it was last edited ${timeInWords(written, look)}`],
  ].join(", ");
}

function whatIf({ expected, behind }: KnownNextRun, { activeOfSchedule: [oldest] }: Look): string[] {
  if (behind !== undefined) {
    return [`it joins a line of ${behind} older ${behind === 1 ? "run, which comes" : "runs, which come"} first`];
  }
  if (expected === "Start") return [];
  const { name } = oldest!.metadata;
  return expected === "Wait"
    ? [`unless ${name} is still active then: it would wait for its end`]
    : [`${name} is deleted for it, if it is still active then`];
}

/** Returns why no controller would start what is due. */
function noController({ input: { runner } }: Look): string | undefined {
  return runner?.by === "none" ? runner.why : undefined;
}

function whyPassedOver(look: Look, time: EpochMs): string {
  const why = `${NOT_STARTED}, or its clock was ahead`;
  const since = followedSince(look);
  if (since < time) return why;
  const when = since === Infinity ? "" : `, which was ended or edited at ${timeInWords(since, look)}`;
  return `${why}; or it was suspended or paused${when}`;
}

/** Returns why nothing starts: the message of a pause alone may be what its author wrote. */
export function whyStill(look: Look, { reason, message, until }: Standstill): string {
  const end = until === undefined ? "" : `, until ${timeInWords(until, look)}`;
  return `${reason === "Paused" ? `${reason}: ` : ""}${message}${end}`;
}

/** Says of a time that has come why nothing started then. */
function heldUp(look: Look, time: EpochMs, standstill: Standstill): Verdict {
  if (!look.findings.block) return didNotRun("NotStarted", time, look, "too many runs were missed", standstill.message);
  const { since } = stateOf(look);
  const why = `${standstill.reason}: ${standstill.message}`;
  if (since !== undefined && since > time) {
    const what = `it had not started when a start was ruled out, at ${timeInWords(since, look)}`;
    return didNotRun("NotStarted", time, look, what, why);
  }
  const how = since === undefined
    ? "is on hold; since when is not known"
    : `has been on hold since ${timeInWords(since, look)}`;
  const { until } = standstill;
  const goesOn = until === undefined ? "" : `; it goes on in ${distanceOf(look.input.now, until)}`;
  return didNotRun("NotFollowed", time, look, `its schedule ${how}`, why + goesOn);
}
