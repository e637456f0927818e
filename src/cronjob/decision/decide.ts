import { isDeepStrictEqual } from "node:util";
import { earliest, type EpochMs } from "../../schedule/epoch_ms.ts";
import { releaseEdit } from "../adoption/adoption_edits.ts";
import { annotationsToWrite } from "../status/annotation_writes.ts";
import { reportOf } from "../status/report.ts";
import { lostToRefusals } from "../status/run_records.ts";
import { eventsAboutStart, statusFor } from "../status/status.ts";
import { admission } from "./admission.ts";
import { findBackfill } from "./backfill.ts";
import { findBlock, specWarnings } from "./blockers.ts";
import { isOfSchedule } from "../api/job.ts";
import { oldestFirst } from "./children.ts";
import { countFailures } from "./failures.ts";
import { findDueTimes } from "./due_times.ts";
import type { Block, DueTimes, Findings, StartPoint } from "./findings.ts";
import { findObstacle } from "./obstacles.ts";
import { handOversFor } from "./hand_overs.ts";
import { beyondBackfillHistory, beyondHistory } from "./history.ts";
import type { DecisionInput } from "./input.ts";
import { jobNameFor } from "./job_template.ts";
import type { NextRun, Plan, Records, SettlePlan, StartPlan } from "./plan.ts";
import type { ScheduledRun } from "./run_request.ts";
import { scheduleNameAt } from "./schedule_name.ts";
import { findPendingJobs } from "./pending_timeout.ts";
import { findStartPoint } from "./start_point.ts";
import { isUnrecorded } from "./unrecorded.ts";
import { pendingTrigger } from "./trigger.ts";

/**
 * Decides what to do about one CronJob: the Kubebuilder tutorial's seven steps, as a pure function of its input. Deciding
 * again once the plan is carried out changes nothing.
 */
export function decide(input: DecisionInput): Plan {
  const findings = find(input);
  return startPlan(findings) ?? settlePlan(findings);
}

/** Decides what to record although runs are still to be started. */
export function decideRecords(input: DecisionInput): SettlePlan {
  return settlePlan(find(input));
}

/** Returns what the author of a spec should hear of it: what could not be read, and why no run will start. */
export function adviceOn(input: DecisionInput): string[] {
  const { block, obstacle } = find(input);
  const { problems } = input.cronJob.settings;
  const stops = block?.warning ?? obstacle;
  if (!stops) return [...problems];
  return [...problems.filter((problem) => problem !== stops.message), `${stops.reason}: ${stops.message}`];
}

/** Finds out what a decision rests on. */
export function find(input: DecisionInput): Findings {
  // 1. Load the CronJob.
  const { cronJob } = input;

  // 2. List its Jobs; they say which runs are active, and from when on runs can be due.
  const jobs = oldestFirst(input.jobs);
  const children = jobs.filter(isOfSchedule);
  const failures = countFailures(input, children);
  const start = findStartPoint(input, children, failures);

  // 3. Clean up old Jobs according to the history limits.
  // One that is given back has every Job handed over: the controller that gets it keeps its history.
  const { keepsStatus, ends } = cronJob.stewardship;
  const keepsHistory = keepsStatus && !ends && !cronJob.isBeingDeleted;
  const finished = keepsHistory ? beyondHistory(cronJob.settings, children) : [];

  // Besides: end those whose Pods never start.
  const pending = findPendingJobs(input, jobs);

  // 4. Stop if it is suspended, or its schedule can't be followed.
  const block = findBlock(input, failures);

  // 5. Find the missed and the next run.
  const due = findDueTimes(input, { start, block, failures });
  const obstacle = block ? undefined : findObstacle(input, due);

  // 6. Run if on schedule, inside the deadline and allowed by the concurrency policy.
  const request = due.due === undefined ? undefined : runAt(input, start, due.due);
  const scheduled = admission(input, children, request, { isMissed: isFromLine(due) });
  const manual = admission(input, children, canRunByHand(block) ? pendingTrigger(input) : undefined);

  // Runs of the past come last, and have a history of their own.
  const backfill = findBackfill(input, { children: jobs, start, due, block });
  const deletions = keepsHistory
    ? [...finished, ...beyondBackfillHistory(cronJob.settings, jobs, backfill.progress)]
    : [];
  return {
    input,
    jobs,
    children,
    deletions,
    start,
    failures,
    pending,
    block,
    due,
    obstacle,
    scheduled,
    manual,
    backfill,
  };
}

function runAt(input: DecisionInput, start: StartPoint, scheduledTime: EpochMs): ScheduledRun {
  return { trigger: "Schedule", scheduledTime, scheduleName: scheduleNameAt(input, start, scheduledTime) };
}

/** The scheduled run first: by the time it has been created, the policy may no longer admit the one by hand. */
function startPlan(findings: Findings): StartPlan | undefined {
  const { scheduled, manual, backfill, due } = findings;
  const start = scheduled.kind === "start" ? scheduled : manual.kind === "start" ? manual : undefined;
  const request = start?.request ?? backfill.request;
  if (!request) return undefined;
  const replaces = start?.replaces ?? [];
  return {
    kind: "start",
    request,
    replaces,
    recordFirst: due.line?.mustRecord || replaces.some((child) => isUnrecorded(child, findings))
      ? settlePlan(findings)
      : undefined,
    events: eventsAboutStart(findings),
    isCatchUp: request.trigger === "Schedule" && isFromLine(due),
    nextInstant: requeueAt(findings),
  };
}

// 7. Record what was found, and decide again at the next run.
function settlePlan(findings: Findings): SettlePlan {
  const { input, jobs, deletions, pending, block, due, backfill } = findings;
  const { cronJob } = input;
  const { keepsStatus, ends } = cronJob.stewardship;
  const { status, events } = statusFor(findings);
  return {
    kind: "settle",
    handOvers: handOversFor(input, jobs.filter((child) => !deletions.includes(child))),
    records: keepsStatus ? recordsWith(findings, status) : {},
    release: ends && !cronJob.isBeingDeleted ? releaseEdit(cronJob.object, input.now) : undefined,
    events: keepsStatus ? events : specWarnings(findings),
    refusedJobs: refusedJobs(findings),
    decidedUntil: decidedUntil(findings),
    clockWentBack: findings.start.clockWentBack,
    report: reportOf(findings, status),
    deletions,
    timeouts: pending.expired.map((child) => ({ child, timeoutMs: pending.timeoutMs! })),
    requeueAt: earliest(requeueAt(findings), pending.nextAt),
    again: backfill.goesOn || isBehind(findings),
    nextRun: block || due.stopped ? undefined : nextRun(findings),
  };
}

/** Returns whether the run that is due was missed: it starts after older ones. */
function isFromLine({ line }: DueTimes): boolean {
  return line?.isPunctual === false;
}

/** A run of the past may have taken the name of one that is caught up with: the next one is due all the same. */
function isBehind({ input, scheduled, due: { latest, line } }: Findings): boolean {
  if (scheduled.kind !== "done" || latest === undefined || !input.cronJob.stewardship.keepsStatus) return false;
  return scheduled.request.scheduledTime < latest || (line?.count ?? 0) > 1;
}

/** A block keeps back what a schedule asks for, but not what a person does, if Jobs can be made at all. */
function canRunByHand(block: Block | undefined): boolean {
  return !block?.isTotal;
}

function recordsWith(findings: Findings, status: ReturnType<typeof statusFor>["status"]): Records {
  return {
    status: isDeepStrictEqual(status, findings.input.cronJob.status) ? undefined : status,
    annotations: annotationsToWrite(findings),
  };
}

function requeueAt({ input, block, due }: Findings): EpochMs | undefined {
  if (block) return block.until;
  if (due.stopped) return undefined;
  if (due.next !== undefined) return due.next + due.offsetMs;
  // The last run is behind: look again only to say that it is over.
  const { endTime } = input.cronJob.settings;
  return endTime !== undefined && endTime >= input.now ? endTime + 1 : undefined;
}

function nextRun(findings: Findings): NextRun | undefined {
  const { input, start, due: { due, next, schedule, offsetMs } } = findings;
  const { settings } = input.cronJob;
  if (next === undefined || !schedule) return undefined;
  // Each run that is left behind must start before a later one does; and after an edit Jobs show which time that is.
  if ((settings.catchUp === "All" && due !== undefined) || input.facts?.editedAt !== undefined) return undefined;
  if (mayPause(findings)) return undefined;
  const following = schedule.next(next);
  const followingAt = following === undefined ? undefined : following + offsetMs;
  const deadline = settings.latenessMs === undefined ? Infinity : next + settings.latenessMs + 1;
  return {
    request: runAt(input, start, next),
    startsAt: next + offsetMs,
    startsBefore: Math.min(followingAt ?? Infinity, deadline),
    followingAt,
    maxActive: settings.maxActive,
  };
}

/** Returns whether the schedule is paused if the active runs fail. */
function mayPause({ input, failures, children }: Findings): boolean {
  const { pauseAfterFailures: limit = Infinity } = input.cronJob.settings;
  const active = children.filter(({ state }) => state === "active").length;
  return (failures?.count ?? 0) + active >= limit;
}

/** Returns whether a scheduled run may start before its CronJob's Jobs are listed: none of them could hold it back. */
export function mayStartUnlisted({ cronJob: { settings }, facts }: DecisionInput): boolean {
  return settings.maxActive === Infinity && settings.pauseAfterFailures === undefined && facts?.editedAt === undefined;
}

function refusedJobs({ input: { cronJob }, scheduled, manual, backfill: { refused } }: Findings): string[] {
  const requests = [scheduled, manual].flatMap((one) => one.kind === "failed" ? [one.request] : []);
  return [...requests, ...refused ? [refused] : []].map((request) => jobNameFor(cronJob, request));
}

function decidedUntil(findings: Findings): EpochMs | undefined {
  const { due, scheduled } = findings;
  if (due.stopped) return undefined;
  switch (scheduled.kind) {
    case "none":
      return due.tooLate;
    case "done":
    case "skip":
    case "wait":
      return scheduled.request.scheduledTime;
    case "failed":
      return lostToRefusals(findings);
    case "start":
      return undefined;
  }
}
