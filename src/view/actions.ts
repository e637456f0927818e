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
    return [
      ...(cause?.job === undefined ? [] : [{ do: "DeleteJob" as const, job: cause.job }]),
      ...(mayBeKubernetes(look) ? [] : [{ do: "SetPendingTimeout" as const }]),
    ];
  },
  Failing: (look, cause) => [
    ...(cause?.job === undefined ? [] : [{ do: "ReadLogs" as const, job: cause.job }]),
    runNow(look),
  ],
  Overdue: (_look, cause) => cause?.reason === "FailedCreate" ? [] : [{ do: "LookAtController" }],
  Pending: (_look, cause) => cause?.job === undefined ? [] : [{ do: "DeleteJob", job: cause.job }],
  Missed: (look) => [runNow(look)],
  Paused: () => [{ do: "Resume" }],
  Suspended: ({ input: { cronJob } }) => [{ do: "Unsuspend", in: cronJob.stewardship.suspendedIn }],
};

/** What starts a run by hand whoever runs the CronJob. */
export function runNow(look: Look): Action {
  return { do: "RunNow", by: mayBeKubernetes(look) ? "Job" : "Annotation" };
}

/** Whether it may be kube-controller-manager that runs it, which knows no annotation of this controller. */
function mayBeKubernetes({ input: { cronJob: { flavour, stewardship } } }: Look): boolean {
  return flavour.adoptable && stewardship.suspendedIn === "spec";
}
