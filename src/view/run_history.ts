import { judge } from "../cronjob/decision/judge.ts";
import { inLine } from "../cronjob/decision/line.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import { ownValue } from "../base/own_value.ts";
import type { RunView } from "./cron_job_view.ts";
import { scheduleOfLook } from "./explain/asked_time.ts";
import { eventAbout, jobByEvent } from "./explain/events_about.ts";
import { followedSince } from "./explain/earlier_schedule.ts";
import type { Look } from "./look.ts";
import { isOfSchedule, newestFirst, runWithoutJob } from "./runs.ts";

/** Reasons of Events about times that got no Job. */
const REFUSED: Readonly<Record<string, RunView["outcome"]>> = { JobAlreadyActive: "Skipped", MissSchedule: "Missed" };

/** The most times of one outage that are listed. */
const MAX_PASSED_OVER = 1_000;

/**
 * Returns the runs that left a trace, newest first: Jobs and records, and for scheduled times without either, Events and
 * passed-over times.
 */
export function runHistory(look: Look): RunView[] {
  const { runs, input: { events = [], cronJob } } = look;
  const { metadata: { uid } } = cronJob;
  const schedule = scheduleOfLook(look);
  const known = new Set(runs.filter(isOfSchedule).map(({ scheduledTime }) => scheduledTime));
  const told = new Map<number, RunView>();
  const { findings: { scheduled } } = look;
  for (const time of inLine(look.findings)) {
    if (scheduled.kind === "wait" && !known.has(time)) told.set(time, runWithoutJob(time, "Waiting", scheduled.reason));
    known.add(time);
  }
  for (const { reason, regardingUid, firstAt } of events) {
    const outcome = ownValue(REFUSED, reason);
    const time = regardingUid === uid ? schedule?.previous(firstAt + 1) : undefined;
    if (!outcome || time === undefined || known.has(time) || !eventAbout(look, time, [reason])) continue;
    // No scheduled time lies between the creation and the Event, so it is about a request by hand.
    if (time < (cronJob.createdAt ?? time)) continue;
    // A run that was held back at first may have been started after all.
    if (time === cronJob.recorded.lastScheduleTime || jobByEvent(look, time) !== undefined) continue;
    told.set(time, runWithoutJob(time, outcome, reason));
  }
  for (const time of passedOverTimes(look)) {
    if (!known.has(time) && !told.has(time)) told.set(time, runWithoutJob(time, "Missed", "PassedOver"));
  }
  return [...runs, ...told.values()].map((run) => withRefusal(look, run)).sort(newestFirst);
}

/** Returns a run that was passed over with the refusal of its Job, as far as an Event says. */
export function withRefusal(look: Look, run: RunView): RunView {
  if (run.reason !== "PassedOver" || run.scheduledTime === undefined) return run;
  const refusal = eventAbout(look, run.scheduledTime, ["FailedCreate"]);
  return refusal ? { ...run, reason: refusal.reason, message: refusal.message } : run;
}

/**
 * Returns the times that were to start by the present schedule, and did not: neither times that a pause held back, nor times
 * that an edit may have brought.
 */
function passedOverTimes(look: Look): EpochMs[] {
  const { cronJob } = look.input;
  const schedule = scheduleOfLook(look);
  if (!schedule) return [];
  const times: EpochMs[] = [];
  for (const { after, before } of cronJob.passedOver) {
    let time = schedule.previous(before);
    for (let i = 0; i < MAX_PASSED_OVER && time !== undefined && time > after; i++, time = schedule.previous(time)) {
      if (time <= followedSince(look)) break;
      if (judge(look.findings, time, look.findings).kind === "passed over") times.push(time);
    }
  }
  return times;
}
