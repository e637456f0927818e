import { PAUSE } from "../cronjob/api/annotations.ts";
import type { CronJob } from "../cronjob/api/cron_job.ts";
import { type PauseNote, writePauseNote } from "../cronjob/api/pause.ts";
import type { EpochMs } from "../schedule/epoch_ms.ts";
import { fullTime } from "../schedule/full_time.ts";
import { zoneOf } from "../cronjob/api/zone.ts";
import type { ActionPlan } from "./action.ts";
import { holdInWords, holdsOn } from "./holds.ts";
import { mayBeKubernetes } from "../view/runner.ts";

export const PAUSE_MANAGER = "cronjob-controller-pause";

export interface PauseRequest {
  readonly id: string;
  readonly by: string | undefined;
  readonly reason: string | undefined;
  /** Undefined: until it is resumed. */
  readonly until: EpochMs | undefined;
  readonly now: EpochMs;
  /** Whether the API server is that of a `standalone`. @default {false} */
  readonly isEmbedded?: boolean;
}

/** Pauses a CronJob in a way that each controller understands. One that is paused already is left as it is. */
export function planPause(cronJob: CronJob, { now, isEmbedded, ...request }: PauseRequest): ActionPlan {
  const { stewardship, isBeingDeleted } = cronJob;
  if (isBeingDeleted) return { kind: "left", message: "left as it is: it is being deleted" };
  if (stewardship.closed) return { kind: "left", message: `left as it is: ${stewardship.closed.message}` };
  const note = { ...request, since: now, resumedBy: undefined };
  const [hold] = holdsOn(cronJob, now).filter(({ kind }) => kind !== "failures");
  if (hold) return { kind: "unchanged", message: `is paused already, left as it is: ${holdInWords(hold)}` };
  return mayBeKubernetes(cronJob, isEmbedded) ? planSuspension(cronJob, note) : {
    kind: "edit",
    edit: { annotations: { [PAUSE]: writePauseNote({ ...note, suspends: false }) } },
    message: `paused ${untilInWords(cronJob, request.until)}`,
  };
}

function planSuspension({ metadata }: CronJob, note: Omit<PauseNote, "suspends">): ActionPlan {
  if (note.until !== undefined) {
    const message = "kube-controller-manager may run it, which knows no pause that ends by itself: " +
      `\`cronjob-controller adopt ${metadata.name} -n ${metadata.namespace}\` makes it possible, or leave --until out`;
    return { kind: "refused", message };
  }
  return {
    kind: "edit",
    edit: { annotations: { [PAUSE]: writePauseNote({ ...note, suspends: true }) }, spec: { suspend: true } },
    message: "suspended (spec.suspend, as kube-controller-manager may run it) until it is resumed",
  };
}

function untilInWords(cronJob: CronJob, until: EpochMs | undefined): string {
  return until === undefined ? "until it is resumed" : `until ${fullTime(until, zoneOf(cronJob))}`;
}
