import type { RunView } from "./cron_job_view.ts";
import { scheduleOfLook } from "./explain/asked_time.ts";
import { eventAbout, jobByEvent } from "./explain/events_about.ts";
import type { Look } from "./look.ts";
import { isOfSchedule, timeOf } from "./runs.ts";

/** Reasons of Events about times that got no Job. */
const REFUSED: Readonly<Record<string, RunView["outcome"]>> = { JobAlreadyActive: "Skipped", MissSchedule: "Missed" };

/** The runs that anything tells of, newest first: Jobs, records, and for times without either Events. */
export function runHistory(look: Look): RunView[] {
  const { runs, input: { events = [], cronJob } } = look;
  const { metadata: { uid } } = cronJob;
  const schedule = scheduleOfLook(look);
  const known = new Set(runs.filter(isOfSchedule).map(({ scheduledTime }) => scheduledTime));
  const told = new Map<number, RunView>();
  for (const { reason, regardingUid, firstAt } of events) {
    const time = REFUSED[reason] && regardingUid === uid ? schedule?.previous(firstAt + 1) : undefined;
    if (time === undefined || known.has(time) || !eventAbout(look, time, [reason])) continue;
    // What was held back at first may have been started after all.
    if (time === cronJob.recorded.lastScheduleTime || jobByEvent(look, time) !== undefined) continue;
    told.set(time, {
      scheduledTime: time,
      trigger: "Schedule",
      outcome: REFUSED[reason],
      reason,
      job: undefined,
      startedAt: undefined,
      endedAt: undefined,
    });
  }
  return [...runs, ...told.values()].sort((a, b) => timeOf(b) - timeOf(a));
}
