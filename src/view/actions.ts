import type { CronJob } from "../cronjob/api/cron_job.ts";
import type { Action, Cause, State } from "./cron_job_view.ts";
import { isPending, type Look } from "./look.ts";
import type { StateFound } from "./states.ts";

/** What somebody can do about a state, the likeliest remedy first. */
export function actionsFor(look: Look, { state, cause }: StateFound): readonly Action[] {
  return BY_STATE[state]?.(look, cause) ?? [];
}

const BY_STATE: Partial<Record<State, (look: Look, cause: Cause | undefined) => Action[]>> = {
  Contested: ({ input: { cronJob } }) =>
    cronJob.stewardship.isContested ? [{ do: "SuspendInSpec" }, { do: "Release" }] : [{ do: "LookAtController" }],
  Invalid: () => [{ do: "CorrectSpec" }],
  Stopped: (look, cause) => {
    if (cause?.reason === "PausedAfterFailures") return [runNow(look), { do: "ResumeAfterFailures" }];
    return cause?.reason === "Releasing" ? [{ do: "Release" }] : [{ do: "SetStartingDeadline" }];
  },
  Blocked: (look, cause) => {
    const isStuck = look.active.some((child) => isPending(child, look.input));
    if (!isStuck) return cause?.job === undefined ? [] : [{ do: "Wait", job: cause.job }];
    const everAgain: Action[] = mayBeKubernetes(look.input.cronJob) || hasItsOwnRemedy(cause)
      ? []
      : [{ do: "SetPendingTimeout" }];
    return [...forStuckJob(cause), ...everAgain];
  },
  Failing: (look, cause) => [
    ...(cause?.job === undefined ? [] : [{ do: "ReadLogs" as const, job: cause.job }]),
    runNow(look),
  ],
  Overdue: (_look, cause) => cause?.reason === "FailedCreate" ? [] : [{ do: "LookAtController" }],
  Pending: (_look, cause) => forStuckJob(cause),
  Missed: (look) => [runNow(look)],
  Paused: () => [{ do: "Resume" }],
  Suspended: ({ input: { cronJob } }) => [{ do: "Unsuspend", in: cronJob.stewardship.suspendedIn }],
};

/** What helps before the Job is deleted, by why it gets nowhere. */
const FIRST: Readonly<Record<string, "UnsuspendJob" | "ReadLogs">> = {
  JobSuspended: "UnsuspendJob",
  CrashLoopBackOff: "ReadLogs",
};

function forStuckJob(cause: Cause | undefined): Action[] {
  if (cause?.job === undefined) return [];
  const { job, reason } = cause;
  return [...(hasItsOwnRemedy(cause) ? [{ do: FIRST[reason], job }] : []), { do: "DeleteJob", job }];
}

/** Whether it is not that its Pods never start. */
function hasItsOwnRemedy(cause: Cause | undefined): boolean {
  return cause !== undefined && Object.hasOwn(FIRST, cause.reason);
}

/** What starts a run by hand whoever runs the CronJob. */
export function runNow(look: Look): Action {
  return { do: "RunNow", by: mayBeKubernetes(look.input.cronJob) ? "Job" : "Annotation" };
}

/** Whether it may be kube-controller-manager that runs it, which knows no annotation of this controller. */
export function mayBeKubernetes({ flavour, stewardship }: CronJob): boolean {
  return flavour.adoptable && stewardship.suspendedIn === "spec";
}
