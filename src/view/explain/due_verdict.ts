import { CLOCK_TOLERANCE_MS } from "../../cronjob/api/job.ts";
import type { EpochMs } from "../../schedule/epoch_ms.ts";
import type { Look } from "../look.ts";
import { distanceOf } from "../times.ts";
import { timeInWords } from "./asked_time.ts";
import { did } from "./did_not_run.ts";
import type { Verdict } from "./explanation.ts";
import { whySkipped } from "./run_verdict.ts";

/** Returns what a controller would do about the time now; undefined where it would not look at it. */
export function dueNow(look: Look, time: EpochMs): Verdict | undefined {
  const { input: { now, cronJob }, findings: { due, scheduled, block } } = look;
  if (block) return undefined;
  if (due.stopped && due.tooLate !== undefined && time <= due.tooLate && time > due.decidedUntil) {
    return did("NotStarted", time, look, "too many runs were missed", "nothing starts until the spec changes");
  }
  const { latenessMs } = cronJob.settings;
  const isTooLate = latenessMs !== undefined && time + due.offsetMs + latenessMs < now;
  if (due.tooLate === time || (isTooLate && time > due.decidedUntil)) {
    const late = (latenessMs ?? 0) / 1_000;
    return did("Missed", time, look, "missed", `nobody started it inside its deadline of ${late} s`);
  }
  if (scheduled.kind === "none" || scheduled.kind === "done") return undefined;
  const { scheduledTime } = scheduled.request;
  if (time < scheduledTime && time > due.decidedUntil) {
    const what = `a later one is due, of ${timeInWords(scheduledTime, look)}`;
    const { catchUp, maxCatchUpRuns } = cronJob.settings;
    const why = catchUp === "All"
      ? `of missed runs the latest ${maxCatchUpRuns} start (catchUp: All)`
      : "of several missed runs the latest starts (catchUp: Latest)";
    return did("NotStarted", time, look, what, why);
  }
  if (time > scheduledTime && cronJob.settings.catchUp === "All") {
    const why = `missed runs start one after the other (catchUp: All), now that of ${timeInWords(scheduledTime, look)}`;
    return did("Waiting", time, look, "older ones come first", why);
  }
  if (time !== scheduledTime) return undefined;
  switch (scheduled.kind) {
    case "skip":
      return did("Skipped", time, look, "skipped", whySkipped(look, time, "JobAlreadyActive"));
    case "wait":
      return {
        ...did("Waiting", time, look, "it waits"),
        why: "concurrencyPolicy Queue: it starts when the active run has ended",
      };
    default: {
      if (now - time - due.offsetMs < CLOCK_TOLERANCE_MS) {
        const message = `is to run at ${timeInWords(time, look)}: it is due, and has no Job yet`;
        return { kind: "Waiting", message, why: undefined };
      }
      const late = distanceOf(time + due.offsetMs, now);
      const recorded = cronJob.status.conditions?.find(({ type, status }) => type === "Overdue" && status === "True");
      const why = recorded?.reason === "FailedCreate" ? recorded.message : undefined;
      return did("Overdue", time, look, `it is due since ${late}`, why);
    }
  }
}
