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
  Stopped: (_look, cause) => {
    if (cause?.reason === "PausedAfterFailures") return [{ do: "RunNow" }, { do: "ResumeAfterFailures" }];
    return cause?.reason === "Releasing" ? [{ do: "Release" }] : [{ do: "SetStartingDeadline" }];
  },
  Blocked: (look, cause) => [
    ...(cause?.job === undefined ? [] : [{ do: "DeleteJob" as const, job: cause.job }]),
    ...(look.active.some((child) => isPending(child, look.input)) ? [{ do: "SetPendingTimeout" as const }] : []),
  ],
  Failing: (_look, cause) => [
    ...(cause?.job === undefined ? [] : [{ do: "ReadLogs" as const, job: cause.job }]),
    { do: "RunNow" },
  ],
  Overdue: (_look, cause) => cause?.reason === "FailedCreate" ? [] : [{ do: "LookAtController" }],
  Pending: (_look, cause) => cause?.job === undefined ? [] : [{ do: "DeleteJob", job: cause.job }],
  Missed: () => [{ do: "RunNow" }],
  Paused: () => [{ do: "Resume" }],
  Suspended: () => [{ do: "Unsuspend" }],
};
