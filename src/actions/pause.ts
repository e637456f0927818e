import { PAUSE } from "../cronjob/api/annotations.ts";
import type { CronJob } from "../cronjob/api/cron_job.ts";
import { type PauseNote, writePauseNote } from "../cronjob/api/pause.ts";
import type { EpochMs } from "../base/epoch_ms.ts";
import { fullTime } from "../schedule/full_time.ts";
import { zoneOf } from "../cronjob/api/zone.ts";
import type { ActionPlan } from "./action.ts";
import { holdInWords, holdsOn } from "./holds.ts";
import { asRun, type Controllers, readsAnnotations, UNSEEN } from "../view/runner.ts";

export const PAUSE_MANAGER = "cronjob-controller-pause";

export interface PauseRequest extends Pick<PauseNote, "id" | "by" | "reason" | "until"> {
  readonly now: EpochMs;
  /** The known controllers of CronJobs. @default none */
  readonly controllers?: Controllers;
}

/** Plans a pause by the annotation or the field that the runner obeys. A paused CronJob stays as it is. */
export function planPause(found: CronJob, { now, controllers = UNSEEN, ...request }: PauseRequest): ActionPlan {
  const { cronJob, runner } = asRun(found, controllers, now);
  const { stewardship, isBeingDeleted } = cronJob;
  if (isBeingDeleted) return { kind: "left", message: "left as it is: it is being deleted" };
  if (stewardship.closed) return { kind: "left", message: `left as it is: ${stewardship.closed.message}` };
  const note = { ...request, since: now, resumedBy: undefined };
  const [hold] = holdsOn(cronJob, now).filter(({ kind }) => kind !== "halt");
  if (hold) return { kind: "unchanged", message: `is paused already, left as it is: ${holdInWords(hold)}` };
  if (!readsAnnotations(runner)) return planSuspension(cronJob, note);
  const how = cronJob.flavour.adoptable && !controllers.isEmbedded ? ` (annotation ${PAUSE})` : "";
  const later = runner.by === "none" ? `; ${runner.why}` : "";
  return {
    kind: "edit",
    edit: { annotations: { [PAUSE]: writePauseNote({ ...note, suspends: false }) } },
    message: `paused ${untilInWords(cronJob, request.until)}${how}${later}`,
  };
}

function planSuspension({ metadata }: CronJob, note: Omit<PauseNote, "suspends">): ActionPlan {
  if (note.until !== undefined) {
    const message = "kube-controller-manager runs it, which knows no pause that ends by itself: " +
      `\`cronjob-controller adopt ${metadata.name} -n ${metadata.namespace}\` makes it possible, or leave --until out`;
    return { kind: "refused", message };
  }
  return {
    kind: "edit",
    edit: { annotations: { [PAUSE]: writePauseNote({ ...note, suspends: true }) }, spec: { suspend: true } },
    message: "suspended (spec.suspend, as kube-controller-manager runs it) until it is resumed",
  };
}

function untilInWords(cronJob: CronJob, until: EpochMs | undefined): string {
  return until === undefined ? "until it is resumed" : `until ${fullTime(until, zoneOf(cronJob))}`;
}
