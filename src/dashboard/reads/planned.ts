import { judge, onceFollowed } from "../../cronjob/decision/judge.ts";
import { type EpochMs, LAST_INSTANT } from "../../base/epoch_ms.ts";
import { scheduleOfLook } from "../../view/explain/asked_time.ts";
import type { PlannedRun } from "../../view/cron_job_view.ts";
import type { Look } from "../../view/look.ts";
import { nextRunOf } from "../../view/next_run.ts";

/** Returns what starts inside a span as things stand: once a pause is over that ends by itself, what is judged to start then. */
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
  // At the end of a pause one run starts that it held, or a line of them does.
  if (from <= followedFrom && followedFrom <= to) {
    for (const scheduledTime of schedule.between(next.scheduledTime - 1, followedFrom - offsetMs)) {
      const judged = judge(findings, scheduledTime, then);
      if ("startsAt" in judged) yield { scheduledTime, startsAt: judged.startsAt };
    }
  }
  if (firstByItself === undefined) return;
  // From then on whatever the schedule names starts, after its offset.
  const last = Math.min(to - offsetMs, endTime);
  for (const scheduledTime of schedule.between(Math.max(firstByItself, from - offsetMs) - 1, last)) {
    yield { scheduledTime, startsAt: scheduledTime + offsetMs };
  }
}
