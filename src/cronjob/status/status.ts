import { formatTime } from "../../base/epoch_ms.ts";
import type { Loose } from "../../base/loose.ts";
import { fullTime } from "../../schedule/full_time.ts";
import type { Child } from "../api/job.ts";
import type { CronJobStatus } from "../api/types.ts";
import { zoneOf } from "../api/zone.ts";
import type { Findings } from "../decision/findings.ts";
import { wasMissed } from "../decision/start_point.ts";
import { conditionsFor } from "./conditions.ts";
import { durationsOfRuns } from "./durations.ts";
import {
  aboutBackfill,
  completed,
  missedSchedule,
  multipleControllers,
  type PlannedEvent,
  ranAhead,
  skippedByHand,
  specProblem,
  stoppedForTooManyMissed,
  tooManyMissed,
  untrueLast,
  waits,
} from "./events.ts";
import { nativeStatus, newest } from "./native_status.ts";
import { recordsOf } from "./records.ts";
import { recordRuns } from "./run_records.ts";
import { specWarnings } from "./spec_warnings.ts";

/** Returns the whole status, fields of others kept, and the Events that say what changed. */
export function statusFor(findings: Findings): { status: CronJobStatus; events: readonly PlannedEvent[] } {
  const { input, children, due, backfill } = findings;
  const { flavour, settings, metadata } = input.cronJob;
  const native = nativeStatus(input, children, startedUntil(findings));
  const events = [
    ...settings.problems.map((text) => specProblem("InvalidAnnotation", text, metadata.generation)),
    ...native.events,
    ...specWarnings(findings),
    ...decisionEvents(findings),
    ...backfill.news.map((news) => aboutBackfill(news, metadata.generation)),
  ];
  const before = input.cronJob.status as CronJobStatus;
  if (!flavour.openStatus) return { status: present({ ...before, ...native.status }), events };

  const records = recordRuns(findings);
  return {
    status: present({
      ...before,
      ...native.status,
      nextScheduleTime: due.next === undefined ? undefined : formatTime(due.next),
      nextRun: due.next === undefined ? undefined : fullTime(due.next, zoneOf(input.cronJob)),
      lastFailureTime: newest(input.cronJob.recorded.lastFailureTime, children, "failed"),
      schedule: due.start.observed,
      counts: records.counts,
      recentRuns: records.recentRuns,
      ...recordsOf(findings) as Loose<CronJobStatus>,
      queuedScheduleTime: queuedRun(findings),
      durations: durationsOfRuns(records.recentRuns),
      observedGeneration: metadata.generation,
      conditions: conditionsFor(findings, records),
    }),
    // Jobs from before the counting ended long ago; the ends of those that were listed are among the native events.
    events: [...events, ...(before.counts ? records.ended.filter(notListed(before)).map(completed) : [])],
  };
}

/** Returns what is said about the run that starts, once its Job exists. */
export function eventsAboutStart({ input, due, scheduled }: Findings): PlannedEvent[] {
  if (scheduled.kind !== "start" || !due.tooMany || input.cronJob.settings.catchUp !== "Latest") return [];
  const { scheduledTime } = scheduled.request;
  return scheduledTime > due.decidedUntil ? [tooManyMissed(scheduledTime)] : [];
}

function notListed({ active }: CronJobStatus): (child: Child) => boolean {
  return ({ metadata }) => !active?.some(({ uid }) => uid === metadata.uid);
}

/** Returns the newest scheduled time that has its Job, or whose Job name is taken: that run counts as done. */
function startedUntil({ due: { start }, scheduled }: Findings): number | undefined {
  if (scheduled.kind !== "done") return start.lastScheduleTime;
  return Math.max(scheduled.request.scheduledTime, start.lastScheduleTime ?? -Infinity);
}

/** Returns what was decided about the schedule, unless it had been said before. */
function decisionEvents(findings: Findings): PlannedEvent[] {
  const { input, start, due, scheduled, manual } = findings;
  const { decidedUntil, stopped, tooLate } = due;
  const { disbelieved } = start.recorded;
  const events: PlannedEvent[] = [];
  const rival = input.facts?.rival;
  if (rival !== undefined) events.push(multipleControllers(rival));
  if (disbelieved !== undefined) events.push(untrueLast(disbelieved));
  if (start.isAhead) events.push(ranAhead(start.lastScheduleTime!));
  if (stopped) events.push(stoppedForTooManyMissed(input.cronJob.metadata.generation));
  else if (tooLate !== undefined && tooLate > decidedUntil && wasMissed(findings, tooLate)) {
    events.push(missedSchedule(tooLate));
  }
  if (scheduled.kind === "wait" && scheduled.request.scheduledTime > decidedUntil) {
    events.push(waits(scheduled.request.scheduledTime, scheduled));
  }
  if (manual.kind === "skip") events.push(skippedByHand(manual.request.id, manual.message, input.now));
  return events;
}

function queuedRun({ scheduled }: Findings): string | undefined {
  return scheduled.kind === "wait" && scheduled.reason === "JobQueued"
    ? formatTime(scheduled.request.scheduledTime)
    : undefined;
}

/** Without the fields that are undefined: absent, as they are on the wire. */
function present(status: Loose<CronJobStatus>): CronJobStatus {
  return Object.fromEntries(Object.entries(status).filter(([, value]) => value !== undefined));
}
