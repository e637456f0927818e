import { readPauseNote } from "../cronjob/api/pause.ts";
import type { Action, Cause, State } from "./cron_job_view.ts";
import { isPending, type Look } from "./look.ts";
import { mayBeKubernetes } from "./runner.ts";
import type { StateFound } from "./states.ts";

/** What somebody can do about a state, the likeliest remedy first. */
export function actionsFor(look: Look, { state, cause }: StateFound): readonly Action[] {
  return BY_STATE[state]?.(look, cause) ?? [];
}

const RUN_NOW: Action = { do: "RunNow" };

const BY_STATE: Partial<Record<State, (look: Look, cause: Cause | undefined) => Action[]>> = {
  Contested: ({ input: { cronJob } }) =>
    cronJob.stewardship.isContested ? [{ do: "SuspendInSpec" }, { do: "Release" }] : [{ do: "LookAtController" }],
  Invalid: () => [{ do: "CorrectSpec" }],
  Stopped: (_look, cause) => {
    if (cause?.reason === "PausedAfterFailures") return [RUN_NOW, { do: "ResumeAfterFailures" }];
    return cause?.reason === "Releasing" ? [{ do: "Release" }] : [{ do: "SetStartingDeadline" }];
  },
  Blocked: (look, cause) => {
    const isStuck = look.active.some((child) => isPending(child, look.input));
    if (!isStuck) return cause?.job === undefined ? [] : [{ do: "Wait", job: cause.job }];
    return [
      ...(cause?.job === undefined ? [] : [{ do: "DeleteJob" as const, job: cause.job }]),
      ...(mayBeKubernetes(look.input.cronJob) ? [] : [{ do: "SetPendingTimeout" as const }]),
    ];
  },
  Failing: (_look, cause) => [
    ...(cause?.job === undefined ? [] : [{ do: "ReadLogs" as const, job: cause.job }]),
    RUN_NOW,
  ],
  Overdue: (_look, cause) => cause?.reason === "FailedCreate" ? [] : [{ do: "LookAtController" }],
  Pending: (_look, cause) => cause?.job === undefined ? [] : [{ do: "DeleteJob", job: cause.job }],
  Missed: () => [RUN_NOW],
  Paused: (look) => look.input.cronJob.settings.pause?.in === "annotation" ? resume(look) : [{ do: "EndPauseInSpec" }],
  Suspended: (look) => {
    const note = readPauseNote(look.input.cronJob.object);
    if (note.kind === "note" && note.note.suspends) return resume(look);
    return [{ do: "Unsuspend", in: look.input.cronJob.stewardship.suspendedIn }];
  },
};

/** What ends the pause that somebody began with this program. */
function resume({ input: { cronJob } }: Look): Action[] {
  const reading = readPauseNote(cronJob.object);
  return [reading.kind === "note" ? { do: "Resume", by: reading.note.by } : { do: "CorrectPause" }];
}
