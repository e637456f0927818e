import { formatTime } from "../../schedule/epoch_ms.ts";
import type { Child } from "../api/job.ts";
import { conditionsFor } from "./conditions.ts";
import type { Findings } from "../decision/decide.ts";
import {
  alreadyActive,
  completed,
  missedSchedule,
  type PlannedEvent,
  queued,
  specProblem,
  stoppedForTooManyMissed,
  tooManyMissed,
} from "./events.ts";
import { nativeStatus, newest } from "./native_status.ts";
import { passedOver, recordRuns, refusedRuns } from "./run_records.ts";
import type { CronJobStatus } from "../api/types.ts";

/** The whole status, fields of others kept, and the Events that tell what changed. */
export function statusFor(findings: Findings): { status: CronJobStatus; events: readonly PlannedEvent[] } {
  const { world, settings, children, gate, runs } = findings;
  const { api, cronJob } = world;
  const native = nativeStatus(world, children, startedUntil(findings));
  const events = [
    ...settings.problems.map((text) => specProblem("InvalidAnnotation", text, cronJob.metadata.generation)),
    ...native.events,
    ...gate.events,
    ...decisionEvents(findings),
  ];
  const before = (cronJob.status ?? {}) as CronJobStatus;
  if (!api.openStatus) return { status: present({ ...before, ...native.status }), events };

  const records = recordRuns(before, {
    children,
    refused: refusedRuns(findings),
    passedOver: passedOver(findings),
    replaced: replacedJobs(findings),
    now: world.now,
  });
  const { generation } = cronJob.metadata;
  return {
    status: present({
      ...before,
      ...native.status,
      nextScheduleTime: runs.slots.next === undefined ? undefined : formatTime(runs.slots.next),
      lastFailureTime: newest(before.lastFailureTime, children, "failed"),
      schedule: runs.since.observed,
      counts: records.counts,
      recentRuns: records.recentRuns,
      lastTrigger: newestTrigger(findings),
      queuedScheduleTime: queuedRun(findings),
      observedGeneration: generation,
      conditions: conditionsFor(findings, records.counts),
    }),
    // Jobs from before anybody counted ended long ago; those that were listed have been told.
    events: [...events, ...(before.counts ? records.ended.filter(notListed(before)).map(completed) : [])],
  };
}

function notListed({ active }: CronJobStatus): (child: Child) => boolean {
  return ({ job }) => !active?.some(({ uid }) => uid === job.metadata.uid);
}

/** The newest scheduled time that has its Job, or whose Job name is somebody else's: that run counts as done. */
function startedUntil({ runs: { since }, scheduled }: Findings): number | undefined {
  if (scheduled.kind !== "done") return since.lastScheduleTime;
  return Math.max(scheduled.occasion.scheduledTime, since.lastScheduleTime ?? -Infinity);
}

/** What was decided about the schedule, unless it had been said before. */
function decisionEvents({ world, settings, runs, scheduled, manual }: Findings): PlannedEvent[] {
  const { slots, decidedUntil, stopped } = runs;
  const events: PlannedEvent[] = [];
  if (stopped) events.push(stoppedForTooManyMissed(world.cronJob.metadata.generation));
  else if (slots.tooLate !== undefined && slots.tooLate > decidedUntil) events.push(missedSchedule(slots.tooLate));
  if (scheduled.kind !== "none" && scheduled.occasion.scheduledTime > decidedUntil) {
    const { scheduledTime } = scheduled.occasion;
    if (slots.tooMany && scheduled.kind === "start" && settings.catchUp === "Latest") {
      events.push(tooManyMissed(scheduledTime));
    }
    if (scheduled.kind === "skip") events.push(alreadyActive(scheduledTime, scheduled.message));
    if (scheduled.kind === "wait") events.push(queued(scheduledTime));
  }
  if (manual.kind === "skip") events.push(alreadyActive(`trigger ${manual.occasion.id}`, manual.message));
  return events;
}

function replacedJobs({ world: { cronJob, deleted } }: Findings): ReadonlySet<string> {
  const gone = (cronJob.status?.active ?? []).filter(({ uid }) => deleted?.has(uid ?? ""));
  return new Set(gone.map(({ name }) => name ?? ""));
}

function newestTrigger({ world, manual }: Findings): string | undefined {
  return manual.kind === "done" || manual.kind === "skip" ? manual.occasion.id : world.cronJob.status?.lastTrigger;
}

function queuedRun({ scheduled }: Findings): string | undefined {
  return scheduled.kind === "wait" ? formatTime(scheduled.occasion.scheduledTime) : undefined;
}

/** Without the fields that are undefined: absent, as they are on the wire. */
function present(status: CronJobStatus): CronJobStatus {
  return Object.fromEntries(Object.entries(status).filter(([, value]) => value !== undefined));
}
