import type { DeepReadonly } from "../../kube/object.ts";
import { type EpochMs, formatTime, parseTime } from "../../schedule/epoch_ms.ts";
import type { Child } from "../api/job.ts";
import type { Findings } from "../decision/findings.ts";
import type { CronJobStatus, RunCounts, RunOutcome, RunRecord } from "../api/types.ts";

/** How many runs the status records. */
export const RECENT_RUNS = 10;

const NOTHING_COUNTED: RunCounts = { succeeded: 0, failed: 0, missed: 0, skipped: 0, consecutiveFailures: 0 };

/** A scheduled time, or a trigger, that got no Job. */
export interface RefusedRun {
  readonly scheduledTime: EpochMs | undefined;
  readonly at: EpochMs;
  readonly outcome: "Skipped" | "Missed";
  readonly reason: string;
}

export interface RunRecords {
  readonly recentRuns: RunRecord[];
  readonly counts: RunCounts;
  /** Jobs whose end is new. */
  readonly ended: readonly Child[];
}

/**
 * Records the recent runs, and counts. A run is counted in the very write that records its end, so each counts once. Records
 * only ever drop off at the old end: a Job without one that is newer than the oldest record is new, an older one is known.
 */
export function recordRuns(
  before: DeepReadonly<CronJobStatus>,
  { children, refused, passedOver, replaced, now }: {
    children: readonly Child[];
    refused: readonly RefusedRun[];
    passedOver: number;
    /** Names of Jobs that this controller deleted for others. */
    replaced: ReadonlySet<string>;
    now: EpochMs;
  },
): RunRecords {
  const known = before.recentRuns ?? [];
  const records = new Map<string, RunRecord>(known.map((record) => [keyOf(record), { ...record }]));
  const oldestKnown = known.length < RECENT_RUNS ? -Infinity : Math.min(...known.map(timeOf));
  const wasActive = new Set((before.active ?? []).map(({ uid }) => uid));
  const counts = { ...NOTHING_COUNTED, ...before.counts };
  counts.missed += passedOver;

  const ended: Child[] = [];
  for (const child of children) {
    const fresh = recordOf(child);
    const record = records.get(keyOf(fresh));
    const isNew = record === undefined && timeOf(fresh) > oldestKnown;
    if (!record && !isNew && !wasActive.has(child.metadata.uid)) continue;
    if (record?.outcome === "Skipped") counts.skipped--;
    const open = !record || record.outcome === "Running" || record.outcome === "Skipped";
    if (child.state !== "active" && open) ended.push(child);
    if (open) records.set(keyOf(fresh), { ...fresh, startTime: record?.startTime ?? fresh.startTime });
  }
  ended.sort((a, b) => (a.endTime ?? 0) - (b.endTime ?? 0));
  for (const { state } of ended) {
    counts[state === "succeeded" ? "succeeded" : "failed"]++;
    counts.consecutiveFailures = state === "succeeded" ? 0 : counts.consecutiveFailures + 1;
  }

  const jobNames = new Set(children.map(({ metadata }) => metadata.name));
  for (const record of records.values()) {
    if (record.outcome !== "Running" || jobNames.has(record.jobName ?? "")) continue;
    Object.assign(record, {
      outcome: "Deleted",
      endTime: formatTime(now),
      reason: replaced.has(record.jobName ?? "") ? "Replaced" : "JobDeleted",
    });
  }
  for (const { scheduledTime, at, outcome, reason } of refused) {
    const record: RunRecord = {
      trigger: scheduledTime === undefined ? "Manual" : "Schedule",
      ...(scheduledTime === undefined ? { startTime: formatTime(at) } : { scheduledTime: formatTime(scheduledTime) }),
      outcome,
      reason,
    };
    // As with Jobs: one that is older than the oldest record is known, and has dropped off.
    if (records.has(keyOf(record)) || timeOf(record) <= oldestKnown) continue;
    records.set(keyOf(record), record);
    counts[outcome === "Skipped" ? "skipped" : "missed"]++;
  }
  const recentRuns = [...records.values()].sort((a, b) => timeOf(b) - timeOf(a)).slice(0, RECENT_RUNS);
  return { recentRuns, counts, ended };
}

/** The runs that this decision refuses. */
export function refusedRuns({ input: { cronJob, now: at }, due, scheduled, manual }: Findings): RefusedRun[] {
  const refused: RefusedRun[] = [];
  const { queuedTime } = cronJob.recorded;
  // A newer one may have been started before anything could be recorded.
  const newest = scheduled.kind === "none" ? due.start.lastScheduleTime : scheduled.request.scheduledTime;
  if (queuedTime !== undefined && newest !== undefined && newest > queuedTime) {
    refused.push({ scheduledTime: queuedTime, at, outcome: "Skipped", reason: "Superseded" });
  }
  if (!due.stopped && due.tooLate !== undefined) {
    refused.push({ scheduledTime: due.tooLate, at, outcome: "Missed", reason: "MissSchedule" });
  }
  if (scheduled.kind === "skip") {
    const { scheduledTime } = scheduled.request;
    refused.push({ scheduledTime, at, outcome: "Skipped", reason: "JobAlreadyActive" });
  }
  if (manual.kind === "skip") {
    refused.push({ scheduledTime: undefined, at, outcome: "Skipped", reason: "JobAlreadyActive" });
  }
  return refused;
}

/**
 * How many scheduled times have passed since the last status without a start or a refusal: all up to the newest that has
 * been decided about, less those that have been. What came due while it was suspended or paused was not missed.
 * Nothing at or before `reportedUntil` counts.
 */
export function passedOver({ input, children, due, scheduled }: Findings, reportedUntil = -Infinity): number {
  const { schedule, start, tooLate, stopped } = due;
  const { recorded } = input.cronJob;
  if (!schedule || stopped || recorded.wasResting) return 0;
  const until = Math.max(
    reportedUntil,
    start.floor,
    recorded.lastScheduleTime ?? -Infinity,
    recorded.recordedUntil ?? -Infinity,
    recorded.queuedTime ?? -Infinity,
  );
  const decided = new Set(children.map(({ scheduledTime }) => scheduledTime).filter((time) => time !== undefined));
  if (scheduled.kind === "skip" || scheduled.kind === "wait" || scheduled.kind === "done") {
    decided.add(scheduled.request.scheduledTime);
  } else if (tooLate !== undefined) {
    decided.add(tooLate);
  }
  const fresh = [...decided].filter((time) => time > until);
  if (fresh.length === 0) return 0;
  const grid = schedule.anchoredAt(start.recordedAnchor);
  return Math.max(0, grid.count(until, Math.max(...fresh)) - fresh.length);
}

function recordOf(child: Child): RunRecord {
  const { metadata, state, scheduledTime, endTime, endReason } = child;
  const outcomes: Record<Child["state"], RunOutcome> = { active: "Running", succeeded: "Succeeded", failed: "Failed" };
  return {
    ...(scheduledTime !== undefined && { scheduledTime: formatTime(scheduledTime) }),
    trigger: scheduledTime === undefined ? "Manual" : "Schedule",
    startTime: metadata.creationTimestamp,
    ...(endTime !== undefined && { endTime: formatTime(endTime) }),
    outcome: outcomes[state],
    ...(state === "failed" && endReason !== undefined && { reason: endReason }),
    jobName: metadata.name,
  };
}

/** A scheduled run is its time; any other is its Job, or the moment of its refusal. */
function keyOf({ scheduledTime, jobName, startTime }: RunRecord): string {
  return scheduledTime ?? jobName ?? `refused ${startTime}`;
}

function timeOf({ scheduledTime, startTime }: DeepReadonly<RunRecord>): EpochMs {
  return parseTime(scheduledTime ?? startTime) ?? 0;
}
