import type { DeepReadonly } from "../../kube/object.ts";
import { type EpochMs, formatTime, latest, parseTime } from "../../base/epoch_ms.ts";
import { type Child, hasCome, recordOf, startedTime } from "../api/job.ts";
import type { Findings, Wait } from "../decision/findings.ts";
import { countAll, noLongerWaiting, stillWaiting, waitingAfter } from "../decision/line.ts";
import { pendingTrigger, scheduledTimeOf } from "../decision/run_request.ts";
import { restedUntil, wasMissed } from "../decision/start_point.ts";
import { isUnrecorded } from "../decision/unrecorded.ts";
import { isAmong, newestRecorded } from "../decision/stretches.ts";
import { queuedTime, recordedUntil } from "../decision/recorded_times.ts";
import type { MissedReason } from "../observer.ts";
import { RECENT_RUNS, type RunCounts, type RunRecord } from "../api/types.ts";

const NOTHING_COUNTED: RunCounts = { succeeded: 0, failed: 0, missed: 0, skipped: 0, consecutiveFailures: 0 };

/** A scheduled time, or a trigger, that got no Job. */
export type RefusedRun =
  & RefusedRequest
  & (
    | { readonly outcome: "Waiting"; readonly reason: Wait["reason"] }
    | { readonly outcome: "Skipped"; readonly reason: "Superseded" | "JobAlreadyActive" }
    | { readonly outcome: "Missed"; readonly reason: MissedReason }
  );

interface RefusedRequest {
  readonly scheduledTime: EpochMs | undefined;
  readonly at: EpochMs;
}

export interface RunRecords {
  readonly recentRuns: RunRecord[];
  readonly counts: RunCounts;
  /** Jobs whose end is new. */
  readonly ended: readonly Child[];
}

/**
 * Records the recent runs, and counts. A run is counted in the very write that records its end, so each counts once. Which
 * Jobs without a record are new the status says for scheduled runs: those that it does not say were started. Others are
 * new if they are newer than the oldest record, as records only ever drop off at the old end.
 */
export function recordRuns(findings: Findings): RunRecords {
  const { input: { cronJob: { status: before }, now, deleted }, children, scheduled } = findings;
  const known = before.recentRuns ?? [];
  const records = new Map<string, RunRecord>(known.map((record) => [keyOf(record), record]));
  const isFull = known.length >= RECENT_RUNS;
  const times = known.map(timeOf);
  const oldestKnown = isFull ? Math.min(...times) : -Infinity;
  // A clock that was ahead leaves records of times to come: they say nothing about what comes before.
  const reached = times.filter((time) => hasCome(time, now));
  const oldestReached = isFull && reached.length > 0 ? Math.min(...reached) : -Infinity;
  const wasActive = new Set((before.active ?? []).map(({ uid }) => uid));
  const counts = { ...NOTHING_COUNTED, ...before.counts };
  counts.missed += passedOver(findings).count;

  const ended: Child[] = [];
  for (const child of children) {
    const fresh = recordOf(child);
    const record = records.get(keyOf(fresh));
    const isOld = isFull && !isNewStart(child, findings) &&
      (child.scheduledTime !== undefined || timeOf(fresh) <= oldestKnown);
    if (!record && isOld && !wasActive.has(child.metadata.uid)) continue;
    // A refused run started after all: an active run ended in time, or a clock had been ahead.
    if (record?.outcome === "Skipped") counts.skipped--;
    // So did a run that was passed over: a former leader's last request arrived late.
    if (record ? record.outcome === "Missed" : counts.missed > 0 && wasPassedOver(child, findings)) counts.missed--;
    const open = !record || ["Running", "Waiting", "Skipped", "Missed"].includes(record.outcome);
    if (child.state !== "active" && open) ended.push(child);
    if (open) records.set(keyOf(fresh), { ...fresh, ...(record?.startTime && { startTime: record.startTime }) });
  }
  ended.sort((a, b) => (a.endTime ?? 0) - (b.endTime ?? 0));
  for (const { state } of ended) {
    counts[state === "succeeded" ? "succeeded" : "failed"]++;
    counts.consecutiveFailures = state === "succeeded" ? 0 : counts.consecutiveFailures + 1;
  }

  const jobNames = new Set(children.map(({ metadata }) => metadata.name));
  const replaced = new Set(before.active?.filter(({ uid }) => deleted?.has(uid ?? "")).map(({ name }) => name ?? ""));
  for (const [key, record] of records) {
    if (record.outcome !== "Running" || jobNames.has(record.jobName ?? "")) continue;
    records.set(key, {
      ...record,
      outcome: "Deleted",
      endTime: formatTime(now),
      reason: replaced.has(record.jobName ?? "") ? "Replaced" : "JobDeleted",
    });
  }
  for (const { scheduledTime, at, outcome, reason } of refusedRuns(findings)) {
    const record: RunRecord = {
      trigger: scheduledTime === undefined ? "Manual" : "Schedule",
      ...(scheduledTime === undefined ? { startTime: formatTime(at) } : { scheduledTime: formatTime(scheduledTime) }),
      outcome,
      reason,
    };
    const known = records.get(keyOf(record))?.outcome;
    // A run older than the oldest record is known, and has dropped off.
    const isNew = known === undefined && timeOf(record) > oldestReached;
    const waitsNoLonger = reason === "Superseded" && (known ?? "Waiting") === "Waiting";
    if (!isNew && !waitsNoLonger) continue;
    records.set(keyOf(record), record);
    if (outcome !== "Waiting") counts[outcome === "Skipped" ? "skipped" : "missed"]++;
  }
  const waiting = waitingAfter(findings);
  for (const [key, record] of records) {
    if (record.outcome !== "Waiting") continue;
    const time = timeOf(record);
    // Of a line that cannot be followed just now every time still waits.
    const isHeld = scheduled.kind === "wait" && scheduled.request.scheduledTime === time;
    if (isHeld || isAmong(waiting, time)) continue;
    const reason = record.reason === "JobQueued" && { reason: "Superseded" };
    records.set(key, { ...record, outcome: "Skipped", ...reason });
    counts.skipped++;
  }
  const ranks = new Map(records.values().map((record) => [record, rankOf(record, now)]));
  const recentRuns = [...ranks.keys()].sort((a, b) => ranks.get(b)! - ranks.get(a)!).slice(0, RECENT_RUNS);
  return { recentRuns, counts, ended };
}

/** Returns whether the status does not say of a Job that it was started. */
function isNewStart(child: Child, findings: Findings): boolean {
  if (child.scheduledTime !== undefined) return isUnrecorded(child, findings);
  return child.triggeredBy !== undefined && child.triggeredBy === pendingTrigger(findings.input)?.id;
}

/**
 * Returns whether the status says that the time of a Job was passed over. Of one after the last start the record of a later
 * time that was missed says so: only a start passes times over.
 */
function wasPassedOver({ scheduledTime: time }: Child, { input }: Findings): boolean {
  const { passedOver, waiting, recorded: { lastScheduleTime = -Infinity } } = input.cronJob;
  if (time === undefined || isAmong(waiting, time)) return false;
  return (lastScheduleTime < time && time < recordedUntil(input)) || isAmong(passedOver, time);
}

/** Returns the runs that this decision refuses. */
function refusedRuns(findings: Findings): RefusedRun[] {
  const { input, due, scheduled, manual } = findings;
  const { now: at, taken = [] } = input;
  const refused: RefusedRun[] = [];
  for (const request of taken) {
    refused.push({ scheduledTime: scheduledTimeOf(request), at, outcome: "Missed", reason: "JobNameTaken" });
  }
  const queued = queuedTime(input);
  // A newer one may have been started before anything could be recorded.
  const newest = scheduled.kind === "none" ? due.start.lastScheduleTime : scheduled.request.scheduledTime;
  const mayBeSuperseded = input.cronJob.settings.catchUp !== "All";
  if (mayBeSuperseded && queued !== undefined && newest !== undefined && newest > queued && hasCome(newest, at)) {
    refused.push({ scheduledTime: queued, at, outcome: "Skipped", reason: "Superseded" });
  }
  for (const scheduledTime of noLongerWaiting(findings)) {
    refused.push({ scheduledTime, at, outcome: "Skipped", reason: "Superseded" });
  }
  if (!due.stopped && due.tooLate !== undefined && wasMissed(findings, due.tooLate)) {
    refused.push({ scheduledTime: due.tooLate, at, outcome: "Missed", reason: "MissSchedule" });
  }
  const lost = lostToRefusals(findings);
  if (lost !== undefined && !input.cronJob.recorded.wasClosed) {
    refused.push({ scheduledTime: lost, at, outcome: "Missed", reason: "PassedOver" });
  }
  if (scheduled.kind === "wait") {
    const { reason, request: { scheduledTime } } = scheduled;
    refused.push({ scheduledTime, at, outcome: "Waiting", reason });
  }
  if (manual.kind === "skip") {
    refused.push({ scheduledTime: undefined, at, outcome: "Skipped", reason: "JobAlreadyActive" });
  }
  return refused;
}

/**
 * Returns the newest scheduled time before one whose Job can't be created just now: it will not be started any more. It may
 * have been refused itself, until the next one took its place.
 */
export function lostToRefusals(findings: Findings): EpochMs | undefined {
  const { due: { schedule, decidedUntil, line }, scheduled } = findings;
  // A run that waits starts nevertheless.
  if (scheduled.kind !== "failed" || line?.isPunctual) return undefined;
  const before = schedule?.previous(scheduled.request.scheduledTime);
  return before !== undefined && before > decidedUntil && wasMissed(findings, before) ? before : undefined;
}

/** Scheduled times that passed without a start or a refusal. */
interface PassedOver {
  readonly count: number;
  readonly newest: EpochMs | undefined;
}

/**
 * Returns which scheduled times have passed since the last status without a start or a refusal: all up to the newest that
 * has been decided about, less those that have been. What came due while it was suspended or paused was not missed. Nothing
 * at or before `reportedUntil` counts.
 */
function passedOver(findings: Findings, reportedUntil = -Infinity): PassedOver {
  const { input, children, due: { start, stopped }, scheduled } = findings;
  const { recorded, passedOver } = input.cronJob;
  // A CronJob that is suspended now may have started runs that no status shows yet.
  const { schedule } = start;
  if (!schedule || stopped || recorded.wasClosed) return NOTHING_PASSED_OVER;
  const until = Math.max(
    reportedUntil,
    start.floor,
    restedUntil(findings),
    newestRecorded(start.recorded.time, passedOver) ?? -Infinity,
    recordedUntil(input),
  );
  const started = children.map((child) => startedTime(child, input.now));
  const decided = new Set([...started, ...refusedRuns(findings).map(({ scheduledTime }) => scheduledTime)]);
  if (scheduled.kind === "done") decided.add(scheduled.request.scheduledTime);
  const newest = Math.max(...[...decided].filter((time) => time !== undefined));
  if (newest <= until) return NOTHING_PASSED_OVER;
  const waiting = stillWaiting(findings);
  const fresh = [...decided].filter((time) => time !== undefined && time > until && !isAmong(waiting, time));
  const later = countAll(schedule, waiting, { from: until, until: newest });
  const grid = schedule.anchoredAt(start.recordedAnchor);
  const count = Math.max(0, grid.count(until, newest) - fresh.length - later);
  if (count === 0) return NOTHING_PASSED_OVER;
  let last: EpochMs | undefined = newest;
  while (last !== undefined && (decided.has(last) || isAmong(waiting, last))) {
    const stretch = waiting.find((stretch) => isAmong([stretch], last!));
    last = grid.previous(stretch ? stretch.after + 1 : last);
  }
  return { count, newest: last };
}

const NOTHING_PASSED_OVER: PassedOver = { count: 0, newest: undefined };

/** The scheduled times that a decision finds without a run, and that were not reported before. */
interface NewlyRefused {
  readonly refused: readonly RefusedRun[];
  readonly passedOver: PassedOver;
}

/** Returns the scheduled times that a decision finds without a run, as far as nothing reported them before. */
export function newlyRefused(findings: Findings): NewlyRefused {
  return NEWLY_REFUSED.getOrInsertComputed(findings, () => ({
    refused: refusedRuns(findings).filter((run) => isNew(run, findings)),
    passedOver: passedOver(findings, findings.input.facts?.decidedUntil),
  }));
}

/** Status, report and troubles ask for the same. */
const NEWLY_REFUSED = new WeakMap<Findings, NewlyRefused>();

/**
 * Returns the newest scheduled time that was missed, as far as is known. A run that others held back was not, nor was one of a
 * time at which nothing was to run.
 */
export function lastMissed(findings: Findings): EpochMs | undefined {
  const { input: { cronJob: { lastMissedTime }, now } } = findings;
  const { refused, passedOver } = newlyRefused(findings);
  const resumed = restedUntil(findings);
  const missed = refused.filter(({ outcome }) => outcome === "Missed").map(({ scheduledTime }) => scheduledTime);
  const times = [passedOver.newest, ...missed]
    .filter((time) => time !== undefined && time > resumed && !wasHeldBack(time, findings));
  // A clock that was ahead, or a user, may have written a time that has not come.
  return latest(
    lastMissedTime !== undefined && hasCome(lastMissedTime, now) ? lastMissedTime : undefined,
    ...times,
  );
}

/** Returns whether as many runs as may be were active then, as their Jobs say: a closed status does not. */
function wasHeldBack(time: EpochMs, { input: { cronJob: { settings } }, children }: Findings): boolean {
  if (settings.policy === "Replace") return false;
  const active = children.filter(({ createdAt = Infinity, endTime = Infinity }) => createdAt < time && time <= endTime);
  return active.length >= settings.maxActive;
}

/** Returns whether a refusal is new. Of what waits only that counts which nothing reports should another take its place. */
function isNew({ scheduledTime, outcome, reason }: RefusedRun, { input, due }: Findings): boolean {
  if (outcome === "Waiting" && (reason === "JobQueued" || input.cronJob.settings.catchUp === "All")) return false;
  return scheduledTime === undefined || reason === "Superseded" || reason === "JobNameTaken" ||
    scheduledTime > due.decidedUntil;
}

/** A scheduled run is its time; any other is its Job, or the moment of its refusal. */
function keyOf({ scheduledTime, jobName, startTime }: RunRecord): string {
  return scheduledTime ?? jobName ?? `refused ${startTime}`;
}

/** Newest first; but scheduled times that are still to come make room for those that have come. */
function rankOf(record: RunRecord, now: EpochMs): number {
  const time = timeOf(record);
  return record.scheduledTime === undefined || hasCome(time, now) ? time : -time;
}

function timeOf({ scheduledTime, startTime }: DeepReadonly<RunRecord>): EpochMs {
  return parseTime(scheduledTime ?? startTime) ?? 0;
}
