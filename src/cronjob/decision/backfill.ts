import type { EpochMs } from "../../base/epoch_ms.ts";
import type { Schedule } from "../../schedule/schedule.ts";
import {
  type Backfill,
  type BackfillJob,
  type BackfillProgress,
  type BackfillRange,
  NOTHING_COUNTED,
} from "../api/backfill.ts";
import type { Child } from "../api/job.ts";
import { findRefusal } from "./admission.ts";
import { knownRuns, lastInstant, pastSchedule, planSlot, slotsOf } from "./backfill_slots.ts";
import type { BackfillFindings, BackfillNews, Block, DueTimes, StartPoint } from "./findings.ts";
import type { DecisionInput } from "./input.ts";
import { backfilledKey, type BackfillRun } from "./run_request.ts";
import { spreadOffsetMs } from "./spread.ts";
import { isAmong } from "./stretches.ts";

/** So many scheduled times are looked at in one decision. */
const SLOTS_AT_A_TIME = 500;

const NOTHING: BackfillFindings = {
  progress: undefined,
  request: undefined,
  refused: undefined,
  goesOn: false,
  news: [],
};

/**
 * Goes on with a back-fill: counts the Jobs that have ended, and finds the next run to start. Its runs count for nothing else,
 * and leave alone what the schedule itself may still start. What was started or passed over lies up to the recorded cursor,
 * and is never looked at again.
 */
export function findBackfill(
  input: DecisionInput,
  { children, start, due, block }: {
    children: readonly Child[];
    start: StartPoint;
    due: DueTimes;
    block: Block | undefined;
  },
): BackfillFindings {
  const { cronJob } = input;
  const { backfill: reading, recordedBackfill: before } = cronJob;
  // A request that can't be read may be a slip of the pen: nothing goes on, and nothing is lost.
  if (reading.kind === "problem") {
    return { ...NOTHING, progress: before, news: [{ kind: "problem", message: reading.message }] };
  }
  const asked = reading.kind === "backfill" ? reading.backfill : undefined;
  const known = asked && before?.id === asked.id ? before : undefined;
  const ended = known ? undefined : cancelled(input, before);
  const news: BackfillNews[] = ended ? [{ kind: "ended", progress: ended }] : [];
  const rest = { ...NOTHING, progress: known ?? ended ?? before, news };
  if (!asked || (known && known.state !== "Running")) return rest;
  if (block?.isTotal || cronJob.schedule.kind === "problem") return rest;
  const backfill = known ? { ...asked, ...rangeOf(known) } : asked;
  const schedule = pastSchedule(cronJob.schedule, start, backfill.from);
  const isOfSchedule = (time: EpochMs) => mayStillStart(time, start, due, block);
  // Its range must not depend on when its first run starts.
  const found = known
    ? goOn({ input, backfill, schedule, children, before: known, isOfSchedule })
    : begin(input, backfill, schedule);
  return { ...found, news: [...news, ...changedRange(asked, known), ...found.news] };
}

function rangeOf({ from, to, reverse }: BackfillRange): BackfillRange {
  return { from, to, reverse };
}

function changedRange(asked: BackfillRange, known: BackfillRange | undefined): BackfillNews[] {
  if (!known) return [];
  const { from, to, reverse } = asked;
  if (from === known.from && to === known.to && reverse === known.reverse) return [];
  const message =
    "from, to and reverse of a back-fill that has begun can't change: it goes on as it was; give a new id";
  return [{ kind: "problem", message }];
}

/**
 * Returns whether the schedule itself may start this time, now or once it is followed again: it goes first. What it has
 * left behind, or refused for good, it never starts again.
 */
export function mayStillStart(
  time: EpochMs,
  { open, waiting, clockWentBack }: StartPoint,
  due: DueTimes,
  block: Block | undefined,
): boolean {
  if (!block && !due.stopped && due.due === undefined && !clockWentBack) return false;
  return isAmong([...waiting, ...open], time);
}

/** Returns what is left of one that is no longer asked for: its Jobs go on, and are no longer counted. */
function cancelled({ now }: DecisionInput, before: BackfillProgress | undefined): BackfillProgress | undefined {
  if (before?.state !== "Running") return undefined;
  return { ...before, state: "Cancelled", endTime: now, active: [], message: "The request was taken away" };
}

/** The work of a back-fill, and all that it depends on. */
interface Work {
  readonly input: DecisionInput;
  readonly backfill: Backfill;
  readonly schedule: Schedule;
  readonly children: readonly Child[];
  readonly before: BackfillProgress;
  readonly isOfSchedule: (time: EpochMs) => boolean;
}

function goOn({ input, backfill, schedule, children, before, isOfSchedule }: Work): BackfillFindings {
  const { cronJob, now, facts } = input;
  const { id, maxActive, reverse } = backfill;
  const { active, counts } = countEnded(before, children);
  let { cursor } = before;
  // Started after the last record.
  const unrecorded = uncountedJobs(children, before, reverse);
  const found = (more: Partial<BackfillFindings> = {}, message?: string): BackfillFindings => ({
    ...NOTHING,
    ...more,
    progress: { ...before, ...counts, cursor, active, message },
  });
  const count = (job: Child) => {
    if (job.state === "active") active.push(jobOf(job));
    else counts[job.state]++;
    cursor = job.backfill!.scheduledTime;
  };
  const isBefore = (a: EpochMs, b: EpochMs) => reverse ? a > b : a < b;
  const end = lastInstant(cronJob, backfill, before.startTime);
  // A clock that was ahead may have said when it began.
  const until = Math.min(end, now - spreadOffsetMs(cronJob));
  const known = knownRuns(input, children);
  let looked = 0;
  for (const scheduledTime of slotsOf(schedule, backfill, { until, cursor })) {
    for (let job = unrecorded[0]; job && !isBefore(scheduledTime, job.backfill!.scheduledTime); job = unrecorded[0]) {
      count(job);
      unrecorded.shift();
    }
    if (cursor === scheduledTime) continue;
    if (++looked > SLOTS_AT_A_TIME) return found({ goesOn: true });
    const plan = planSlot(cronJob, backfill, scheduledTime, known);
    const isStarted = facts?.backfilled?.has(backfilledKey({ id, since: before.startTime, scheduledTime }));
    if (plan.kind === "skip") counts.skipped++;
    else if (plan.kind === "gone" || isStarted) counts.gone++;
    else if (active.length + unrecorded.filter(({ state }) => state === "active").length >= maxActive) return found();
    else if (isOfSchedule(scheduledTime)) {
      return found({}, "The schedule itself may still start what is left: it goes first");
    } else {
      const { jobName } = plan;
      const run: BackfillRun = { trigger: "Backfill", id, since: before.startTime, scheduledTime, jobName };
      const message = findRefusal(input, jobName)?.message;
      return message === undefined ? found({ request: run }) : found({ refused: run }, message);
    }
    cursor = scheduledTime;
  }
  // An edit of the schedule may have left their times out.
  while (unrecorded.length > 0) count(unrecorded.shift()!);
  if (active.length > 0 || until < end) return found();
  return ended({ ...before, ...counts, cursor, active }, input, "Completed");
}

function begin(input: DecisionInput, backfill: Backfill, schedule: Schedule): BackfillFindings {
  const { cronJob, now } = input;
  const { id, from, maxSlots } = backfill;
  const until = lastInstant(cronJob, backfill, now);
  let slots = 0;
  for (const _ of schedule.between(from - 1, until)) if (++slots > maxSlots) break;
  const progress: BackfillProgress = {
    id,
    state: "Running",
    ...rangeOf(backfill),
    startTime: now,
    slots,
    ...NOTHING_COUNTED,
    active: [],
  };
  if (slots === 0) return ended(progress, input, "Completed", "There is no scheduled time of the past in the range");
  if (slots <= maxSlots) return { ...NOTHING, progress, goesOn: true, news: [{ kind: "started", progress }] };
  return ended(progress, input, "Refused", `There are more scheduled times than maxSlots allows: ${maxSlots}`);
}

function ended(
  progress: BackfillProgress,
  { now }: DecisionInput,
  state: "Completed" | "Refused",
  message?: string,
): BackfillFindings {
  const ended = { ...progress, state, endTime: now, message };
  return { ...NOTHING, progress: ended, news: [{ kind: "ended", progress: ended }] };
}

/** Moves the Jobs that have ended from the list of active ones to the counts, both of which are written at once. */
function countEnded(before: BackfillProgress, children: readonly Child[]) {
  const { succeeded, failed, gone, skipped } = before;
  const counts = { succeeded, failed, gone, skipped };
  const active: BackfillJob[] = [];
  for (const job of before.active) {
    const child = children.find(({ metadata }) => metadata.uid === job.uid);
    if (!child) counts.gone++;
    else if (child.state === "active") active.push(job);
    else counts[child.state]++;
  }
  return { active, counts };
}

function jobOf({ metadata: { name, uid }, backfill }: Child): BackfillJob {
  return { scheduledTime: backfill!.scheduledTime, jobName: name, uid };
}

/** Returns the Jobs of a back-fill that lie beyond its cursor: there is no record of them yet. In its order. */
function uncountedJobs(jobs: readonly Child[], { id, cursor }: BackfillProgress, reverse: boolean): Child[] {
  const sign = reverse ? -1 : 1;
  const placeOf = ({ backfill }: Child) => sign * backfill!.scheduledTime;
  return jobs.filter((job) => job.backfill?.id === id && (cursor === undefined || placeOf(job) > sign * cursor))
    .sort((a, b) => placeOf(a) - placeOf(b));
}

/** Returns the Jobs that a back-fill still has to count: they must not be cleaned up before that is recorded. */
export function jobsToCount(jobs: readonly Child[], progress: BackfillProgress | undefined): ReadonlySet<Child> {
  if (progress?.state !== "Running") return new Set();
  const active = new Set(progress.active.map(({ uid }) => uid));
  const listed = jobs.filter(({ metadata }) => active.has(metadata.uid));
  return new Set([...listed, ...uncountedJobs(jobs, progress, progress.reverse)]);
}
