import type { EpochMs } from "../../base/epoch_ms.ts";
import { NAME_HOLD } from "../api/annotations.ts";
import type { CronJob } from "../api/cron_job.ts";
import type { Child } from "../api/job.ts";
import type { Settings } from "../api/settings.ts";
import { readLastSchedule } from "./recorded_times.ts";
import type { NeverTwice } from "./input.ts";
import type { RunRequest } from "./run_request.ts";
import { isRecorded } from "./unrecorded.ts";

/*
 * `neverTwice`: the name of a Job stays taken until its time cannot start again, by anyone.
 *
 * A Job that is deleted at once would leave its name free. Two things could use it: the controller that comes after a
 * crash and finds the time in no status, and a creation that a former leader has sent and that is still under way. So the
 * Job carries a finalizer of ours until the status holds its time, and until every such creation has arrived or failed.
 */

/** How long a creation may take, at the client and at the server. */
export const CREATION_DEADLINE_MS = 30_000;
const SLACK_MS = 5_000;
/**
 * No Job whose name claims a time further ahead, both of our clock and of its creation, is believed: anyone could have a name
 * stay taken for years. A Job that the API server itself made years ahead keeps its name until the status holds its time.
 */
const MOST_AHEAD_MS = 24 * 60 * 60_000;
/** A status that could not be written is looked at again after so long. */
const RECHECK_MS = 5_000;

/** Returns for how long after the creation of a Job that of another process may still be under way. */
export function holdMsOf(lease: { readonly leaseDurationMs: number; readonly renewDeadlineMs: number } | undefined) {
  const leaseMs = lease ? Math.max(lease.leaseDurationMs, lease.renewDeadlineMs) : 0;
  return leaseMs + CREATION_DEADLINE_MS + SLACK_MS;
}

/** Returns the finalizers of the Job of a run; undefined for none. Who asks by hand gets what is asked for. */
export function finalizersFor({ settings }: CronJob, request: RunRequest, neverTwice: NeverTwice | undefined) {
  return request.trigger === "Schedule" && isNeverTwice(settings, neverTwice) ? [NAME_HOLD] : undefined;
}

/** Returns whether `neverTwice` holds for a CronJob with these settings. */
export function isNeverTwice(settings: Pick<Settings, "neverTwice">, neverTwice: NeverTwice | undefined): boolean {
  return neverTwice !== undefined && (settings.neverTwice ?? neverTwice.byDefault);
}

/**
 * Returns when to look again at a Job that carries our finalizer, in milliseconds; 0: the finalizer may go now.
 *
 * `cronJob` is absent if there is none whose schedule could start the time again. `heldMs` counts from when this process
 * first saw the Job.
 */
export function holdMsLeft(
  child: Child,
  cronJob: CronJob | undefined,
  { now, heldMs, holdMs }: { now: EpochMs; heldMs: number; holdMs: number },
): number {
  if (heldMs < holdMs) return holdMs - heldMs;
  return cronJob && awaitsRecord(child, cronJob, now) ? RECHECK_MS : 0;
}

function awaitsRecord({ scheduledTime: time, createdAt = -Infinity }: Child, cronJob: CronJob, now: EpochMs): boolean {
  if (cronJob.isBeingDeleted || !cronJob.stewardship.keepsStatus) return false;
  // A clock that was ahead may have started a time that is still to come.
  if (time === undefined || time > Math.max(now, createdAt) + MOST_AHEAD_MS) return false;
  return !isRecorded(cronJob, time, readLastSchedule({ cronJob, now }).time);
}
