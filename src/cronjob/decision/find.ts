import { earliest, type EpochMs } from "../../base/epoch_ms.ts";
import { type Child, isOfSchedule } from "../api/job.ts";
import type { Settings } from "../api/settings.ts";
import { admission } from "./admission.ts";
import { findBackfill } from "./backfill.ts";
import { findBlock } from "./blockers.ts";
import { findDueTimes } from "./due_times.ts";
import { judgeExpectations } from "./expectations.ts";
import { findFailedJobs, NO_FAILED_JOBS, recordGoing } from "./failed_jobs.ts";
import { countFailures } from "./failures.ts";
import type { Block, DueTimes, Findings, StartPoint } from "./findings.ts";
import { beyondBackfillHistory, beyondHistory, oldestFirst } from "./history.ts";
import type { DecisionInput } from "./input.ts";
import { findObstacle } from "./obstacles.ts";
import { findPendingJobs } from "./pending_timeout.ts";
import { pendingTrigger, type RunRequest, type ScheduledRun } from "./run_request.ts";
import { scheduleNameAt } from "./schedule_name.ts";
import { findStartPoint } from "./start_point.ts";

/** Finds the facts that a decision rests on. */
export function find(input: DecisionInput): Findings {
  // 1. Load the CronJob.
  const { cronJob } = input;

  // 2. List its Jobs; they say which runs are active, and from when on runs can be due.
  const jobs = oldestFirst(input.jobs);
  const children = jobs.filter(isOfSchedule);
  const failures = countFailures(input, children);
  const start = findStartPoint(input, children, failures);

  // 3. Clean up old Jobs according to the history limits.
  // Every Job of a CronJob that is given back is handed over: the controller that gets the CronJob keeps its history.
  const { keepsStatus, ends } = cronJob.stewardship;
  const keepsHistory = keepsStatus && !ends && !cronJob.isBeingDeleted;

  // Besides, end Jobs whose Pods never start.
  const pending = findPendingJobs(input, jobs);

  // 4. Stop if it is suspended, or its schedule can't be followed.
  const block = findBlock(input, failures);

  // 5. Find the missed and the next run.
  const due = findDueTimes(input, { start, block, failures });
  const obstacle = block ? undefined : findObstacle(input, due);
  const expectations = judgeExpectations(input, children, { start, due, block, failures });

  // 6. Run if on schedule, inside the deadline and allowed by the concurrency policy.
  const request = due.due === undefined ? undefined : runAt(input, start, due.due);
  const scheduled = admission(input, children, request, { isMissed: isFromLine(due) });
  const manual = admission(input, children, canRunByHand(block) ? pendingTrigger(input) : undefined);

  // Runs of the past come last, and have a history of their own. Which Jobs go is known only then.
  const backfill = findBackfill(input, { children: jobs, start, due, block });
  const failedJobs = keepsHistory ? findFailedJobs(input, jobs, backfill.progress) : NO_FAILED_JOBS;
  const deletions = keepsHistory ? jobsToDelete(cronJob.settings, { jobs, backfill, failedJobs }) : [];
  return {
    input,
    jobs,
    children,
    deletions,
    failedJobs: recordGoing(failedJobs, deletions, jobs),
    start,
    failures,
    pending,
    block,
    due,
    obstacle,
    expectations,
    scheduled,
    manual,
    backfill,
  };
}

/** Returns the Jobs that go: those that a success has answered, and of the others those beyond the history limits. */
function jobsToDelete(
  settings: Settings,
  { jobs, backfill, failedJobs: { answered, unrecorded } }: Pick<Findings, "jobs" | "backfill" | "failedJobs">,
): Child[] {
  const others = jobs.filter((child) => !answered.includes(child));
  return [
    ...answered.filter((child) => !unrecorded.includes(child)),
    ...beyondHistory(settings, others.filter(isOfSchedule)),
    ...beyondBackfillHistory(settings, others, backfill.progress),
  ];
}

/** Returns the request of a scheduled time. */
export function runAt(input: DecisionInput, start: StartPoint, scheduledTime: EpochMs): ScheduledRun {
  return { trigger: "Schedule", scheduledTime, scheduleName: scheduleNameAt(input, start, scheduledTime) };
}

/** Returns whether the run that is due was missed: it starts after older ones. */
export function isFromLine({ line }: DueTimes): boolean {
  return line?.isPunctual === false;
}

/** Returns whether a run by hand may start: a block holds back scheduled runs alone, unless no Job can be made at all. */
function canRunByHand(block: Block | undefined): boolean {
  return !block?.isTotal;
}

/** A run that is to be started now. */
export interface ReadyRun {
  readonly request: RunRequest;
  /** Active Jobs that make room for it. */
  readonly replaces: readonly Child[];
}

/** Returns the run to start. The scheduled run comes first: once it is created, the policy may no longer admit the run by hand. */
export function readyRun({ scheduled, manual, backfill }: Findings): ReadyRun | undefined {
  const start = scheduled.kind === "start" ? scheduled : manual.kind === "start" ? manual : undefined;
  if (start) return start;
  return backfill.request && { request: backfill.request, replaces: [] };
}

/** Returns when to decide again if nothing changes before; undefined for never. */
export function nextInstant(findings: Findings): EpochMs | undefined {
  const { pending, failedJobs, expectations } = findings;
  return earliest(nextRunAt(findings), pending.nextAt, failedJobs.retryAt, expectations.nextAt);
}

/** Returns when the next run starts, or when there is other news of the schedule. */
export function nextRunAt({ input, block, due }: Findings): EpochMs | undefined {
  if (block) return block.until;
  if (due.stopped) return undefined;
  if (due.next !== undefined) return due.next + due.offsetMs;
  // The last run is behind: look again only to say that it is over.
  const { endTime } = input.cronJob.settings;
  return endTime !== undefined && endTime >= input.now ? endTime + 1 : undefined;
}

/** Returns the problems that the author of a spec should know: unreadable annotations, and the reason why no run will start. */
export function adviceOn(input: DecisionInput): string[] {
  const { block, obstacle } = find(input);
  const { problems } = input.cronJob.settings;
  const stops = block?.isFault ? block : obstacle;
  if (!stops) return [...problems];
  return [...problems.filter((problem) => problem !== stops.message), `${stops.reason}: ${stops.message}`];
}

/** Returns whether a scheduled run may start before its CronJob's Jobs are listed: none of them could hold it back. */
export function mayStartUnlisted({ cronJob: { settings }, facts }: DecisionInput): boolean {
  return settings.maxActive === Infinity && settings.pauseAfterFailures === undefined && facts?.editedAt === undefined;
}
