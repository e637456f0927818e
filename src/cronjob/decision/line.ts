import type { EpochMs } from "../../base/epoch_ms.ts";
import { latestTime } from "../../schedule/latest_time.ts";
import { MOST_COUNTED, type Schedule } from "../../schedule/schedule.ts";
import type { Stretch } from "../api/types.ts";
import { keepsOrder } from "../api/settings.ts";
import type { Findings, Line, OpenStretch, StartPoint } from "./findings.ts";
import type { DecisionInput } from "./input.ts";
import { queuedTime } from "./recorded_times.ts";
import { endOfUnit, startedTimes, startOfUnit } from "./start_point.ts";
import { withStarted } from "./stretches.ts";

/** A run that starts later than this after its time was missed. */
const LATE_MS = 60_000;

/**
 * Returns the runs that `catchUp: All` has still to start, a punctual one included. A time joins the line once, where its
 * deadline and the window still allow it; from then on it waits for as long as it takes. Times that a later decision would
 * not find by itself are recorded before any of them starts. Where that record is refused, the oldest starts without it: a
 * later decision finds the others.
 */
export function lineUp(
  { cronJob: { settings, flavour }, facts, now }: DecisionInput,
  start: StartPoint,
  { startableFrom, until, offsetMs }: {
    /** No older time joins. */
    startableFrom: EpochMs;
    /** The newest instant whose run may start. */
    until: EpochMs;
    offsetMs: number;
  },
): Line {
  const schedule = start.schedule!;
  const [open] = start.open;
  const isUnrecordable = facts?.isUnrecordable === true;
  // A clock that was ahead recorded what is still to come.
  const waiting = start.waiting.filter((part) => firstOf(schedule, part)! <= until);
  const later = start.waiting.filter((part) => !waiting.includes(part));
  const from = Math.max(open.after, startableFrom, ...waiting.map(({ before }) => before - 1));
  const grid = schedule.anchoredAt(open.anchor);
  const newest = latestTime(grid, from, until);
  const fresh = { ...open, after: from, before: newest === undefined ? from : endOfUnit(newest, flavour) + 1 };
  const held = newestOf(schedule, [...waiting, fresh], settings.maxCatchUpRuns);
  const isAlone = waiting.length === 0 && grid.next(from) === newest;
  const isLate = keepsOrder(settings.policy) || newest === undefined || now - offsetMs - newest >= LATE_MS;
  const isPunctual = newest !== undefined && (isAlone || !(isLate || isUnrecordable));
  const before = isPunctual ? startOfUnit(newest, flavour) : Infinity;
  const isJoined = newest !== undefined && grid.next(from)! < before;
  // A run that starts at its time takes no other's place in line.
  const kept = isPunctual && !isJoined ? newestOf(schedule, waiting, settings.maxCatchUpRuns) : held;
  const isCut = waiting.some((part) => !kept.includes(part));
  const stretches = kept.map((part) => ({ ...part, before: Math.min(part.before, before) }));
  return {
    held,
    later,
    count: countAll(schedule, held),
    stretches: stretches.filter((part) => firstOf(schedule, part) !== undefined),
    first: isPunctual ? newest : held[0] && firstOf(schedule, held[0]),
    isPunctual,
    mustRecord: !isUnrecordable && (isCut || (isJoined && (isPunctual || settings.startingDeadlineMs < Infinity))),
  };
}

/** Returns the newest times, at most so many. */
function newestOf(schedule: Schedule, stretches: readonly OpenStretch[], most: number): OpenStretch[] {
  const kept: OpenStretch[] = [];
  let left = most;
  for (const stretch of stretches.toReversed()) {
    const size = countOf(schedule, stretch, { most: left + 1 });
    if (left <= 0 || size === 0) continue;
    kept.unshift(size <= left ? stretch : { ...stretch, after: beforeLast(schedule, stretch, left) });
    left -= size;
  }
  return kept;
}

/** Returns an instant that the last so many times of a stretch come after. */
function beforeLast(schedule: Schedule, { anchor, before }: OpenStretch, many: number): EpochMs {
  const grid = schedule.anchoredAt(anchor);
  let time = before;
  for (let left = many; left > 0; left--) time = grid.previous(time) ?? time;
  return time - 1;
}

/** Returns the first scheduled time of a stretch. */
function firstOf(schedule: Schedule, { anchor, after, before }: OpenStretch): EpochMs | undefined {
  const first = schedule.anchoredAt(anchor).next(after);
  return first !== undefined && first < before ? first : undefined;
}

/** The scheduled times of stretches, found one by one. */
export function* timesOf(schedule: Schedule, stretches: readonly OpenStretch[]): Generator<EpochMs> {
  for (const { anchor, after, before } of stretches) yield* schedule.anchoredAt(anchor).between(after, before - 1);
}

interface Counted {
  readonly from?: EpochMs;
  readonly until?: EpochMs;
  readonly most?: number;
}

/** Returns how many scheduled times of a stretch lie in `(from, until]`. */
function countOf(
  schedule: Schedule,
  { anchor, after, before }: OpenStretch,
  { from = after, until = Infinity, most }: Counted = {},
): number {
  const start = Math.max(after, from);
  return schedule.anchoredAt(anchor).count(start, Math.max(start, Math.min(before - 1, until)), most);
}

/** Returns how many scheduled times of all of them lie in `(from, until]`. */
export function countAll(
  schedule: Schedule,
  stretches: readonly OpenStretch[],
  range?: Omit<Counted, "most">,
): number {
  return stretches.reduce((sum, stretch) => sum + countOf(schedule, stretch, range), 0);
}

type Decided = Pick<Findings, "input" | "children" | "start" | "due" | "scheduled">;

/** Returns what waits once the decision is recorded: what cannot be followed just now waits on. */
export function stillWaiting({ input, start, due: { line }, scheduled }: Decided): readonly OpenStretch[] {
  if (scheduled.kind === "wait") return line ? [...line.held, ...line.later] : [];
  const waiting = line ? [...line.stretches, ...line.later] : start.waiting;
  // Its name is taken.
  const isDone = scheduled.kind === "done" ? [scheduled.request.scheduledTime] : [];
  return withStarted(waiting, isDone, (time) => endOfUnit(time, input.cronJob.flavour));
}

/** Returns the line as it stands, also that of a suspended CronJob. */
export function lineOf(findings: Decided): readonly OpenStretch[] {
  return findings.due.line?.held ?? stillWaiting(findings);
}

/** So many times of one line are looked at. */
const MAX_TIMES = 1_000;

/** Returns the scheduled times that are due and still to be started, oldest first: also those of a suspended CronJob. */
export function inLine(findings: Decided): readonly EpochMs[] {
  const { scheduled, start: { schedule } } = findings;
  const isOpen = scheduled.kind === "wait" || scheduled.kind === "start" || scheduled.kind === "failed";
  const first = isOpen ? [scheduled.request.scheduledTime] : [];
  const line = schedule ? timesOf(schedule, lineOf(findings)).take(MAX_TIMES) : [];
  return [...new Set([...first, ...line])].sort((a, b) => a - b);
}

/** Returns the times that waited and no longer do, as `maxRuns` has no room for them, or `catchUp` is no longer `All`. */
export function noLongerWaiting(findings: Decided): EpochMs[] {
  const { start: { schedule, waiting, dropped }, due: { line }, scheduled } = findings;
  if (!schedule) return [];
  if (dropped.length > 0) return droppedTimes(schedule, findings);
  const [first = line?.first] = timesOf(schedule, stillWaiting(findings));
  if (first === undefined) return [];
  const done = scheduled.kind === "done" ? scheduled.request.scheduledTime : undefined;
  const before = waiting.map((part) => ({ ...part, before: Math.min(part.before, first) }));
  // A status that others wrote may name any span.
  return [...timesOf(schedule, newestOf(schedule, before, MOST_COUNTED))].filter((time) => time !== done);
}

/** Returns the newest of the times that waited, have come, and of which nothing else is decided. */
function droppedTimes(
  schedule: Schedule,
  { input, children, start, due: { offsetMs, tooLate }, scheduled }: Decided,
): EpochMs[] {
  const { flavour } = input.cronJob;
  const started = new Set(startedTimes(input, children).map((time) => startOfUnit(time, flavour)));
  const end = input.now - offsetMs + 1;
  const come = start.dropped.map((part) => ({ ...part, before: Math.min(part.before, end) }));
  const decided = scheduled.kind === "none" ? tooLate : scheduled.request.scheduledTime;
  // A status that others wrote may name any span.
  return [...timesOf(schedule, newestOf(schedule, come, MAX_TIMES))]
    .filter((time) => !started.has(startOfUnit(time, flavour)) && time !== decided && time !== queuedTime(input));
}

/** How many stretches are recorded apart, where a run that is due passes older ones. */
const APART = 10;

/**
 * The same as it is recorded: each stretch begins on the grid, so that `@every` counts on from there. Stretches that join are
 * one where runs keep their order. Elsewhere a run may have passed the line that this process does not know of, as another
 * controller works beside it: in a stretch of its own it ends no older one.
 */
export function waitingAfter(findings: Findings): readonly Stretch[] {
  const { input: { cronJob, now }, start: { schedule } } = findings;
  if (!schedule) return cronJob.waiting;
  const parts = stillWaiting(findings).flatMap(({ anchor, after, before }) => {
    const first = firstOf(schedule, { anchor, after, before });
    if (first === undefined) return [];
    return [{ first, anchor, after: schedule.anchoredAt(anchor).previous(first) ?? anchor, before }];
  });
  const most = keepsOrder(cronJob.settings.policy) ? 1 : APART;
  const recorded: Stretch[] = [];
  parts.forEach(({ first, after, before }, i) => {
    const last = parts[i - 1];
    const goesOn = last && first <= now && schedule.anchoredAt(last.anchor).next(last.before - 1) === first;
    if (goesOn && i <= parts.length - most) recorded.push({ after: recorded.pop()!.after, before });
    else recorded.push({ after, before });
  });
  return recorded;
}
