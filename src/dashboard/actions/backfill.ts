import { inSeconds } from "../../actions/backfill.ts";
import type { Backfill, Reprocess } from "../../cronjob/api/backfill.ts";
import type { CronJob } from "../../cronjob/api/cron_job.ts";
import { previewBackfill, type PreviewedSlot } from "../../cronjob/decision/backfill_preview.ts";
import { find } from "../../cronjob/decision/find.ts";
import type { KubeClient } from "../../kube/client.ts";
import { listPages } from "../../kube/paging.ts";
import { JOBS } from "../../kube/resource.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import { JobIndex } from "../../view/jobs_of.ts";
import type { ReadTime } from "../commands.ts";
import { RequestError } from "../http/answers.ts";
import type { Body } from "../http/body.ts";
import type { ActionResult, PreviewSlot } from "../wire.ts";

/** Scheduled times; more are for the command line. */
const MAX_SLOTS = 1_000;
const MAX_ACTIVE = 100;
const REPROCESS: readonly Reprocess[] = ["missing", "failed"];

/** @throws {RequestError} where it makes no sense */
export function backfillOf(
  body: Body,
  { id, now, zone, readTime }: {
    readonly id: string;
    readonly now: EpochMs;
    readonly zone: string;
    readonly readTime: ReadTime;
  },
): Backfill {
  const read = (name: string) => inSeconds(readTime(body.need(name), name, { now, zone, towards: "past" }));
  const [from, to] = [read("from"), read("to")];
  if (from >= now) throw new RequestError(400, "BadRequest", "from must lie in the past");
  if (to <= from) throw new RequestError(400, "BadRequest", "to must lie after from");
  return {
    id,
    from,
    to,
    reprocess: body.oneOf("reprocess", REPROCESS, "missing"),
    maxActive: body.wholeNumber("maxActive", 1, MAX_ACTIVE),
    reverse: false,
    maxSlots: MAX_SLOTS,
  };
}

/** Returns what the controller would do about each scheduled time, by the functions that it decides with. */
export async function previewOf(
  client: KubeClient,
  cronJob: CronJob,
  backfill: Backfill,
  now: EpochMs,
): Promise<Omit<ActionResult, "target">> {
  const index = new JobIndex();
  for await (const page of listPages(client, JOBS, { namespace: cronJob.metadata.namespace })) index.add(page);
  const found = previewBackfill(find({ cronJob, jobs: index.of(cronJob), now }), backfill, MAX_SLOTS + 1);
  if (found.length > MAX_SLOTS) {
    const message = `these are more than ${MAX_SLOTS} scheduled times: give a shorter range, or use the command line`;
    return { result: "failed", message };
  }
  const slots = found.map(slotOf);
  const starts = slots.filter(({ will }) => will === "start").length;
  return { result: "unchanged", message: `would start ${starts} of ${slots.length} scheduled times`, slots };
}

function slotOf({ plan, isLeftToSchedule }: PreviewedSlot): PreviewSlot {
  const { scheduledTime } = plan;
  switch (plan.kind) {
    case "start":
      return { scheduledTime, will: isLeftToSchedule ? "wait" : "start", detail: plan.jobName };
    case "skip":
      return { scheduledTime, will: "skip", detail: plan.outcome };
    case "gone":
      return { scheduledTime, will: "skip", detail: "there is no name left for its Job" };
  }
}
