import { isDeepStrictEqual } from "node:util";
import { type EpochMs, latest } from "../base/epoch_ms.ts";
import { releaseEdit } from "./adoption/adoption_edits.ts";
import { find, isFromLine, nextInstant, nextRunAt, readyRun, runAt } from "./decision/find.ts";
import type { Findings } from "./decision/findings.ts";
import { handOversFor } from "./decision/hand_overs.ts";
import type { DecisionInput } from "./decision/input.ts";
import { jobNameFor } from "./decision/job_template.ts";
import { noLongerWaiting } from "./decision/line.ts";
import { isUnrecorded } from "./decision/unrecorded.ts";
import type { NextRun, Plan, Records, SettlePlan, StartPlan } from "./plan.ts";
import { annotationsToWrite } from "./status/records.ts";
import { reportOf } from "./status/report.ts";
import { lostToRefusals } from "./status/run_records.ts";
import { specWarnings } from "./status/spec_warnings.ts";
import { eventsAboutStart, statusFor } from "./status/status.ts";

/**
 * Decides what to do about one CronJob: the Kubebuilder tutorial's seven steps, as a pure function of its input. Deciding
 * again once the plan is carried out changes nothing.
 */
export function decide(input: DecisionInput): Plan {
  const findings = find(input);
  return startPlan(findings) ?? settlePlan(findings);
}

/** Plans all but the starts, although runs are still to be started. A Job whose Pods are still to be read stays. */
export function decideRecords(input: DecisionInput): SettlePlan {
  const plan = settlePlan(find(input));
  return { ...plan, unread: [], deletions: plan.deletions.filter((child) => !plan.unread.includes(child)) };
}

/** Returns what starts the run that is ready; undefined where there is none. */
export function startPlan(findings: Findings): StartPlan | undefined {
  const ready = readyRun(findings);
  if (!ready) return undefined;
  const { due } = findings;
  const { request, replaces } = ready;
  return {
    kind: "start",
    request,
    replaces,
    recordFirst: due.line?.mustRecord || replaces.some((child) => isUnrecorded(child, findings))
      ? settlePlan(findings)
      : undefined,
    events: eventsAboutStart(findings),
    isCatchUp: request.trigger === "Schedule" && isFromLine(due),
    nextInstant: nextRunAt(findings),
  };
}

// 7. Record what was found, and decide again at the next run.
function settlePlan(findings: Findings): SettlePlan {
  const { input, jobs, deletions, failedJobs, pending, block, due, backfill, expectations } = findings;
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
    unread: [...failedJobs.unread, ...expectations.unread],
    deletions,
    timeouts: pending.expired.map((child) => ({ child, timeoutMs: pending.timeoutMs! })),
    requeueAt: nextInstant(findings),
    again: backfill.goesOn || failedJobs.unrecorded.length > 0 || isBehind(findings),
    nextRun: block || due.stopped ? undefined : nextRun(findings),
  };
}

/**
 * Returns whether a later run is due at once: the run that was to start counts as done, since its Job's name is taken, as by a
 * run of a back-fill.
 */
function isBehind({ input, scheduled, due: { latest, line } }: Findings): boolean {
  if (scheduled.kind !== "done" || latest === undefined || !input.cronJob.stewardship.keepsStatus) return false;
  return scheduled.request.scheduledTime < latest || (line?.count ?? 0) > 1;
}

function recordsWith(findings: Findings, status: ReturnType<typeof statusFor>["status"]): Records {
  return {
    status: isDeepStrictEqual(status, findings.input.cronJob.status) ? undefined : status,
    annotations: annotationsToWrite(findings),
  };
}

function nextRun(findings: Findings): NextRun | undefined {
  const { input, start, due: { due, next, schedule, offsetMs } } = findings;
  const { settings } = input.cronJob;
  if (next === undefined || !schedule) return undefined;
  // A missed run must start before any later one.
  if (settings.catchUp === "All" && due !== undefined) return undefined;
  // After an edit, Jobs show which times have run.
  if (input.facts?.editedAt !== undefined) return undefined;
  if (mayPause(findings)) return undefined;
  const following = schedule.next(next);
  const followingAt = following === undefined ? undefined : following + offsetMs;
  return {
    request: runAt(input, start, next),
    startsAt: next + offsetMs,
    startsBefore: Math.min(followingAt ?? Infinity, next + settings.startingDeadlineMs + 1),
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

function refusedJobs({ input: { cronJob }, scheduled, manual, backfill: { refused } }: Findings): string[] {
  const requests = [scheduled, manual].flatMap((one) => one.kind === "failed" ? [one.request] : []);
  return [...requests, ...refused ? [refused] : []].map((request) => jobNameFor(cronJob, request));
}

function decidedUntil(findings: Findings): EpochMs | undefined {
  return findings.due.stopped ? undefined : latest(newestDecided(findings), ...noLongerWaiting(findings));
}

function newestDecided(findings: Findings): EpochMs | undefined {
  const { due, scheduled } = findings;
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
