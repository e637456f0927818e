import { parseSchedule, type Schedule } from "../schedule/schedule.ts";
import type { ClockChangePolicy } from "../schedule/clock_change_policy.ts";
import type { Manifest } from "./manifests_in.ts";

export const TUTORIAL_API_VERSION = "batch.tutorial.kubebuilder.io/v1";
export const BATCH_API_VERSION = "batch/v1";
/** For `batch/v1`, whose schedule the API server keeps free of `H`. */
export const SCHEDULE_ANNOTATION = "cronjob-controller.dev/schedule";

/** Whether the manifest is a CronJob of one of the two APIs. */
export function isCronJob({ object }: Manifest): boolean {
  return object.kind === "CronJob" && [TUTORIAL_API_VERSION, BATCH_API_VERSION].includes(object.apiVersion);
}

/** `namespace/name`, with the namespace that kubectl would take. */
export function cronJobKey({ object }: Manifest): string {
  return `${object.metadata?.namespace || "default"}/${object.metadata?.name ?? ""}`;
}

/** The field that the schedule stands in. */
export function schedulePath({ object }: Manifest): string {
  const annotated = object.apiVersion === BATCH_API_VERSION &&
    typeof object.metadata?.annotations?.[SCHEDULE_ANNOTATION] === "string";
  return annotated ? `metadata.annotations[${SCHEDULE_ANNOTATION}]` : "spec.schedule";
}

/**
 * The schedule by which the controller would run the CronJob.
 *
 * @throws {ScheduleError}
 */
export function cronJobSchedule(manifest: Manifest): Schedule {
  const { apiVersion, metadata, spec } = manifest.object;
  const timeZone = typeof spec?.timeZone === "string" ? spec.timeZone : undefined;
  const annotated = schedulePath(manifest) !== "spec.schedule";
  const text = annotated ? metadata.annotations[SCHEDULE_ANNOTATION] : spec?.schedule;
  return parseSchedule(String(text ?? ""), {
    timeZone,
    hashKey: annotated || apiVersion === TUTORIAL_API_VERSION ? cronJobKey(manifest) : undefined,
    clockChangePolicy: apiVersion === TUTORIAL_API_VERSION ? clockChangePolicyOf(spec) : undefined,
  });
}

/** Values that the CRD's schema does not know are left to it. */
// deno-lint-ignore no-explicit-any
function clockChangePolicyOf(spec: any): Partial<ClockChangePolicy> {
  const { gap, overlap } = spec?.clockChangePolicy ?? {};
  return {
    ...(["Skip", "RunAfter"].includes(gap) ? { gap } : {}),
    ...(["Both", "First", "Second"].includes(overlap) ? { overlap } : {}),
  };
}
