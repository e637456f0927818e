import { BACKFILL } from "../cronjob/api/annotations.ts";
import { type Backfill, backfillInSpec, readBackfill, writeCancellation } from "../cronjob/api/backfill.ts";
import type { CronJob } from "../cronjob/api/cron_job.ts";
import type { BackfillSpec } from "../cronjob/api/spec_fields.ts";
import { find } from "../cronjob/decision/find.ts";
import { type EpochMs, formatTime } from "../base/epoch_ms.ts";
import { fullTime } from "../schedule/full_time.ts";
import { zoneOf } from "../cronjob/api/zone.ts";
import type { ActionPlan } from "./action.ts";
import { type Controllers, readsAnnotations, runnerOf, UNSEEN } from "../view/runner.ts";

export const BACKFILL_MANAGER = "cronjob-controller-backfill";

/** Plans the request for a back-fill, which the controller carries out. A back-fill that is under way is not replaced. */
export function planBackfill(
  cronJob: CronJob,
  backfill: Backfill,
  now: EpochMs,
  controllers = UNSEEN,
): ActionPlan {
  const reason = whyNoBackfill(cronJob, backfill, now, controllers);
  if (reason !== undefined) return { kind: "refused", message: reason };
  const zone = zoneOf(cronJob);
  return {
    kind: "edit",
    edit: { annotations: { [BACKFILL]: textOf(backfill) } },
    message: `asked to run what lies from ${fullTime(backfill.from, zone)} to ${fullTime(backfill.to, zone)} ` +
      `(back-fill ${backfill.id})`,
  };
}

/** Returns why nothing would come of a back-fill; undefined where it would be carried out. */
export function whyNoBackfill(
  cronJob: CronJob,
  backfill: Backfill,
  now: EpochMs,
  controllers: Controllers,
): string | undefined {
  const { schedule, flavour, object, metadata } = cronJob;
  const { name, namespace } = metadata;
  if (!readsAnnotations(runnerOf(cronJob, controllers, now))) {
    return "kube-controller-manager runs it, which knows no back-fills: " +
      `\`cronjob-controller adopt ${name} -n ${namespace}\` makes it possible`;
  }
  const { block } = find({ cronJob, jobs: [], now });
  if (block?.isTotal) return block.message;
  if (schedule.kind === "problem") return schedule.message;
  // Read as the controller will read it, a request shows its faults before it is sent.
  const annotations = { ...metadata.annotations, [BACKFILL]: textOf(backfill) };
  const reading = readBackfill(flavour, { ...object, metadata: { ...object.metadata, annotations } });
  if (reading.kind === "problem") return reading.message;
  const id = lastingBackfillId(cronJob);
  return id === undefined ? undefined : `back-fill ${id} goes on: wait for its end, or give --cancel first`;
}

/** Returns the back-fill that goes on, or that no controller has begun yet. */
export function lastingBackfillId({ backfill: reading, recordedBackfill: recorded }: CronJob): string | undefined {
  if (reading.kind !== "backfill") return undefined;
  const { id } = reading.backfill;
  return id !== recorded?.id || recorded.state === "Running" ? id : undefined;
}

/** Plans the end of the back-fill that goes on, by taking its request away. Its active Jobs go on. */
export function planCancel(cronJob: CronJob): ActionPlan {
  if (lastingBackfillId(cronJob) === undefined) return { kind: "unchanged", message: "has no back-fill that goes on" };
  if (cronJob.metadata.annotations?.[BACKFILL] === undefined) {
    return { kind: "refused", message: "spec.backfill asks for its back-fill: take it away there" };
  }
  // Without the annotation the controller would take the back-fill of the spec for a new one.
  const inSpec = backfillInSpec(cronJob.flavour, cronJob.object);
  return {
    kind: "edit",
    edit: { annotations: { [BACKFILL]: inSpec ? writeCancellation(inSpec) : null } },
    message: "back-fill cancelled; what it has started goes on",
  };
}

function textOf(backfill: Backfill): string {
  const { id, from, to, ...rest } = backfill;
  const spec: BackfillSpec = { id, from: formatTime(from), to: formatTime(to), ...rest };
  return JSON.stringify(spec);
}

/** Returns the first whole second from an instant on: scheduled times are whole seconds, and so is what is written. */
export function inSeconds(instant: EpochMs): EpochMs {
  return Math.ceil(instant / 1_000) * 1_000;
}
