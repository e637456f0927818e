import type { CronJob } from "../cronjob/api/cron_job.ts";
import { keepsOrder } from "../cronjob/api/settings.ts";
import { admit } from "../cronjob/decision/admission.ts";
import { comingRun, onceFollowed } from "../cronjob/decision/judge.ts";
import type { NextRunView } from "./cron_job_view.ts";
import type { Look } from "./look.ts";
import { mayPrecedeEdit } from "./overdue.ts";

/** Returns the next run as things stand: after a pause that ends by itself, the first run then. */
export function nextRunOf({ input, findings }: Look): NextRunView | undefined {
  const { cronJob, runner } = input;
  if (cronJob.stewardship.isContested) {
    return {
      kind: "unknown",
      message: "kube-controller-manager runs it, if there is one, and this controller does not",
    };
  }
  if (runner?.by === "none") return { kind: "unknown", message: runner.why };
  const then = onceFollowed(findings);
  const next = comingRun(findings, then);
  if (next === undefined) return undefined;
  if (mayCountFromEdit(cronJob)) {
    const message =
      "the interval counts from the edit of the schedule, or from the run before it: the next Job shows it";
    return { kind: "unknown", message };
  }
  const isCaughtUp = next.startsAt === findings.block?.until && next.scheduledTime <= input.now;
  if (isCaughtUp && then.due.schedule && mayPrecedeEdit(cronJob, then.due.schedule, next.scheduledTime)) {
    return { kind: "unknown", message: BEFORE_EDIT };
  }
  // A time that came due in a pause is in line itself, the first.
  const isDue = next.scheduledTime !== then.due.next;
  const answer = isDue ? then.scheduled : admit(cronJob.settings, findings.children);
  const behind = keepsOrder(cronJob.settings.policy) && !isDue ? then.due.line?.count ?? 0 : 0;
  const replaces = answer.kind === "start" && answer.replaces.length > 0;
  const expected = answer.kind === "hold" || answer.kind === "wait" || behind > 0
    ? "Wait"
    : replaces
    ? "Replace"
    : "Start";
  return { kind: "known", ...next, expected, ...behind > 0 && { behind } };
}

/** The doubt about a time that {@linkcode mayPrecedeEdit}. */
export const BEFORE_EDIT =
  "what came due before an edit of the schedule starts only where no controller saw the edit: the next Job shows it";

/**
 * Returns whether an interval may count anew from an edit of the schedule: a closed status does not say whether the
 * controller saw it.
 */
function mayCountFromEdit({ flavour, metadata, schedule, scheduleEditedAt, recorded }: CronJob): boolean {
  if (flavour.openStatus || schedule.kind === "problem" || schedule.schedule.everyMs === undefined) return false;
  if (scheduleEditedAt === undefined || (metadata.generation ?? 1) === 1) return false;
  return (recorded.lastScheduleTime ?? -Infinity) < scheduleEditedAt + schedule.schedule.everyMs;
}
