import { judge, onceFollowed } from "../../cronjob/decision/judge.ts";
import { type EpochMs, LAST_INSTANT } from "../../base/epoch_ms.ts";
import { scheduleOfLook } from "../../view/explain/asked_time.ts";
import type { PlannedRun } from "../../view/cron_job_view.ts";
import type { Look } from "../../view/look.ts";
import { nextRunOf } from "../../view/next_run.ts";

/** Returns the runs that start inside a span as things stand; after a pause that ends by itself, those that start then. */
export function* plannedRuns(
  look: Look,
  { from = -Infinity, to = LAST_INSTANT }: { from?: EpochMs; to?: EpochMs } = {},
): Generator<PlannedRun, undefined> {
  const next = nextRunOf(look);
  const schedule = scheduleOfLook(look);
  if (next?.kind !== "known" || !schedule) return;
  const { findings, input: { cronJob: { settings: { endTime = LAST_INSTANT } } } } = look;
  const then = onceFollowed(findings);
  const { input: { now: followedFrom }, due: { offsetMs, next: firstByItself } } = then;
  // At the end of a pause, the run that it held starts, or a line of them.
  if (from <= followedFrom && followedFrom <= to) {
    for (const scheduledTime of schedule.between(next.scheduledTime - 1, followedFrom - offsetMs)) {
      const judged = judge(findings, scheduledTime, then);
      if ("startsAt" in judged) yield { scheduledTime, startsAt: judged.startsAt };
    }
  }
  if (firstByItself === undefined) return;
  // From then on each scheduled time has its run, after the offset.
  const last = Math.min(to - offsetMs, endTime);
  for (const scheduledTime of schedule.between(Math.max(firstByItself, from - offsetMs) - 1, last)) {
    yield { scheduledTime, startsAt: scheduledTime + offsetMs };
  }
}
