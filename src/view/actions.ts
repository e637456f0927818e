import { lastingNote } from "../cronjob/api/lasting_note.ts";
import { readPauseNote } from "../cronjob/api/pause.ts";
import { ownValue } from "../base/own_value.ts";
import type { Action, Cause, State } from "./cron_job_view.ts";
import type { Look } from "./look.ts";
import { readsAnnotations } from "./runner.ts";
import type { StateFound } from "./states.ts";

/** Returns what a user can do about a state, the likeliest remedy first. */
export function actionsFor(look: Look, { state, cause }: StateFound): readonly Action[] {
  return BY_STATE[state]?.(look, cause) ?? [];
}

/** How an API server says that the Job itself is wrong, and not that it may not be there. */
const IS_INVALID = /\bis invalid\b/;

const RUN_NOW: Action = { do: "RunNow" };

const BY_STATE: Partial<Record<State, (look: Look, cause: Cause | undefined) => Action[]>> = {
  Contested: ({ input: { cronJob } }) =>
    cronJob.stewardship.isContested ? [{ do: "SuspendInSpec" }, { do: "Release" }] : [{ do: "LookAtController" }],
  Invalid: (_look, cause) => {
    // No edit changes a name.
    if (cause?.reason === "NameTooLong") return [];
    return [{ do: cause?.reason === "InvalidAnnotation" ? "CorrectManaged" : "CorrectSpec" }];
  },
  Stopped: (_look, cause) => {
    if (cause?.reason === "NoController") return [{ do: "LookAtController" }];
    if (cause?.reason === "PausedAfterFailures") return [RUN_NOW, { do: "ResumeHalted" }];
    if (cause?.reason === "RecordLost") return [{ do: "ResumeHalted" }];
    return cause?.reason === "Releasing" ? [{ do: "Release" }] : [{ do: "SetStartingDeadline" }];
  },
  Blocked: (look, cause) => {
    if (cause?.reason === "JobAlreadyActive" || cause?.reason === "JobQueued") {
      const { job } = cause;
      if (job === undefined) return [];
      return [{ do: "Wait", job }, ...mayHang(look, job) ? [{ do: "DeleteJob" as const, job }] : []];
    }
    const { runner, cronJob: { settings } } = look.input;
    const isOurs = runner === undefined || readsAnnotations(runner);
    const first = firstRemedy(cause)?.do;
    // Where one is set, it ends the Job by itself.
    const isMissing = settings.pendingTimeoutMs === undefined && (first === undefined || first === "CorrectImage");
    return [...forStuckJob(cause), ...isOurs && isMissing ? [{ do: "SetPendingTimeout" as const }] : []];
  },
  Failing: (look, cause) => [...readLogs(look, cause?.job), RUN_NOW],
  Overdue: (_look, cause) => {
    if (cause?.reason !== "FailedCreate") return [{ do: "LookAtController" }];
    return [{ do: IS_INVALID.test(cause.message) ? "CorrectSpec" : "LetJobBeCreated" }];
  },
  Pending: (_look, cause) => forStuckJob(cause),
  Slow: (look, cause) => readLogs(look, cause?.job),
  Stale: () => [RUN_NOW],
  Suspicious: (look, cause) => [...readLogs(look, cause?.job), RUN_NOW],
  Missed: () => [RUN_NOW],
  Paused: (look) => look.input.cronJob.settings.pause?.in === "annotation" ? resume(look) : [{ do: "EndPauseInSpec" }],
  Suspended: (look) => {
    const { cronJob, now } = look.input;
    if (lastingNote(cronJob, now)?.suspends) return resume(look);
    return [{ do: "Unsuspend", in: cronJob.stewardship.suspendedIn }];
  },
};

/** Returns whether a run takes more than twice as long as nearly all before it, if any ended. */
function mayHang({ active, state: { durations }, input: { now } }: Look, job: string): boolean {
  const { startTime, createdAt = now } = active.find(({ metadata: { name } }) => name === job)!;
  return now - (startTime ?? createdAt) > 2_000 * (durations?.p95Seconds ?? 0);
}

/** A run is remembered longer than its Job is there. */
export function readLogs({ input: { jobs } }: Look, job: string | undefined): Action[] {
  return job !== undefined && jobs.some(({ metadata: { name } }) => name === job) ? [{ do: "ReadLogs", job }] : [];
}

/** Returns what ends the pause that a user began with this program. */
function resume({ input: { cronJob } }: Look): Action[] {
  const reading = readPauseNote(cronJob.object);
  return [reading.kind === "note" ? { do: "Resume", by: reading.note.by } : { do: "CorrectPause" }];
}

const CORRECT_IMAGE: Action = { do: "CorrectImage" };

/** Remedies to try before the Job is deleted, by the reason why it hangs; none where its message shows another fault. */
const FIRST: Readonly<Record<string, (job: string, message: string) => Action | undefined>> = {
  JobSuspended: (job) => ({ do: "UnsuspendJob", job }),
  CrashLoopBackOff: (job) => ({ do: "ReadLogs", job }),
  CreateContainerConfigError: (_job, message) => NO_ROOT.test(message) ? { do: "CorrectSpec" } : createMissing(message),
  ContainerCreating: (_job, message) => createMissing(message),
  // Every Pod of this template meets the same.
  NotAllowed: () => ({ do: "CorrectSpec" }),
  InvalidImageName: () => CORRECT_IMAGE,
  ErrImagePull: () => CORRECT_IMAGE,
  ImagePullBackOff: () => CORRECT_IMAGE,
};

/** How a kubelet says that `runAsNonRoot` forbids the image. */
const NO_ROOT = /non-?root/i;

/** How a kubelet says that a Secret, a ConfigMap, a key of it or a path is not there. */
const IS_MISSING = /\bnot found\b|\bcouldn't find key\b|\bnon-existent\b|\bdoes not exist\b/;

/** A Job that takes its place misses it too. */
function createMissing(message: string): Action | undefined {
  return IS_MISSING.test(message) ? { do: "CreateMissing" } : undefined;
}

function firstRemedy(cause: Cause | undefined): Action | undefined {
  return cause?.job === undefined ? undefined : ownValue(FIRST, cause.reason)?.(cause.job, cause.message);
}

function forStuckJob(cause: Cause | undefined): Action[] {
  if (cause?.job === undefined) return [];
  const first = firstRemedy(cause);
  return [...first ? [first] : [], { do: "DeleteJob", job: cause.job }];
}
