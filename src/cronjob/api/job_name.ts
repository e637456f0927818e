import { stableHash } from "../../schedule/stable_hash.ts";
import { type EpochMs, LAST_INSTANT } from "../../base/epoch_ms.ts";
import type { Flavour } from "./flavour.ts";

/** Kubernetes' limit for the name of a Job, whose Pods carry it as a label. */
export const MAX_JOB_NAME_LENGTH = 63;

/** `<name>-<units since 1970>`: ten digits at most. */
export function scheduledJobName(cronJob: string, { nameUnitSeconds }: Flavour, scheduledTime: EpochMs): string {
  return `${cronJob}-${Math.floor(scheduledTime / (nameUnitSeconds * 1000))}`;
}

/** `<name>-m<hash of the trigger>`: as long as the name of a scheduled run at most. */
export function triggeredJobName(cronJob: { readonly name: string; readonly uid: string }, trigger: string): string {
  return `${cronJob.name}-m${shortHash(`${cronJob.uid}/${trigger}`)}`;
}

/**
 * Returns the name of a run of the past where the scheduled run's own name is not free: `<name>-<units since 1970>-r<hash
 * of the request>`. Of a long name so much is left out that the whole stays within 63 characters.
 */
export function backfillJobName(
  cronJob: { readonly name: string; readonly uid: string },
  flavour: Flavour,
  { id, scheduledTime }: { readonly id: string; readonly scheduledTime: EpochMs },
): string {
  const slot = scheduledJobName("", flavour, scheduledTime);
  const suffix = `${slot}-r${shortHash(`${cronJob.uid}/backfill/${id}`)}`;
  const start = cronJob.name.slice(0, MAX_JOB_NAME_LENGTH - suffix.length).replace(/[-.]+$/, "");
  return `${start}${suffix}`;
}

/** Returns when the unit of time begins that the name of a scheduled run says; undefined for any other name. */
export function timeInJobName(jobName: string, cronJob: string, { nameUnitSeconds }: Flavour): EpochMs | undefined {
  if (!jobName.startsWith(`${cronJob}-`)) return undefined;
  const digits = jobName.slice(cronJob.length + 1);
  const time = /^\d{1,10}$/.test(digits) ? Number(digits) * nameUnitSeconds * 1000 : Infinity;
  return time <= LAST_INSTANT ? time : undefined;
}

/** Seven characters: enough to keep the triggers of one CronJob apart. */
function shortHash(text: string): string {
  return stableHash(text).toString(32).padStart(7, "0");
}
