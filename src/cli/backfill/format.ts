import type { Backfill } from "../../cronjob/api/backfill.ts";
import type { CronJob } from "../../cronjob/api/cron_job.ts";
import type { SlotOutcome } from "../../cronjob/decision/backfill_slots.ts";
import type { PreviewedSlot } from "../../cronjob/decision/backfill_preview.ts";
import { keyOf } from "../../kube/object.ts";
import { formatTime } from "../../base/epoch_ms.ts";
import { timeIn } from "../../schedule/full_time.ts";
import { zoneOf } from "../../cronjob/api/zone.ts";
import { countsText, many } from "../print/counted.ts";
import { formatTable } from "../print/table.ts";

/** The effect that a back-fill would have on a CronJob. */
export interface Preview {
  readonly cronJob: CronJob;
  readonly backfill: Backfill;
  readonly slots: readonly PreviewedSlot[];
}

const OUTCOMES: readonly (readonly [SlotOutcome | "gone", string])[] = [
  ["succeeded", "ran"],
  ["active", "running"],
  ["failed", "failed"],
  ["missing", "missing"],
  ["gone", "without a name for another Job"],
];

/**
 * `25 scheduled times: 19 ran, 3 failed, 3 missing -> starts 2, one at a time; leaves 1 to the schedule`; of several
 * CronJobs, of all together.
 */
export function summaryOf(previews: readonly Preview[]): string {
  const slots = previews.flatMap(({ slots }) => slots);
  const maxActive = previews[0]?.backfill.maxActive ?? 1;
  const isOne = previews.length === 1;
  const counts = countsText(
    OUTCOMES.map(([outcome, words]) =>
      [slots.filter(({ plan }) => (plan.kind === "gone" ? plan.kind : plan.outcome) === outcome).length, words] as const
    ),
  );
  const waiting = slots.filter(({ isLeftToSchedule }) => isLeftToSchedule).length;
  const starting = slots.filter(({ plan }) => plan.kind === "start").length - waiting;
  const all = isOne ? "" : `${previews.length} CronJobs: `;
  const times = `${all}${many(slots.length, "scheduled time")}`;
  const pace = `${maxActive === 1 ? "one" : maxActive}${isOne ? "" : " of each"} at a time`;
  const what = [
    ...starting > 0 ? [`starts ${starting}, ${pace}`] : [],
    ...waiting > 0 ? [`leaves ${waiting} to the schedule`] : [],
  ];
  const counted = counts === "" ? "" : `: ${counts}`;
  return `${times}${counted} -> ${what.length === 0 ? "nothing to start" : what.join("; ")}`;
}

/** Returns what would be started, in that order: of each CronJob, and of several the sum. */
export function formatPreviews(previews: readonly Preview[]): string {
  const [first, ...others] = previews;
  if (first && others.length === 0) return formatPreview(first);
  const each = previews.map((one) => `${keyOf(one.cronJob)}: ${formatPreview(one)}\n`);
  return [...each, `${summaryOf(previews)} (dry run)`].join("\n");
}

function formatPreview(about: Preview): string {
  const zone = zoneOf(about.cronJob);
  const rows = about.slots.flatMap(({ plan, isLeftToSchedule }) => {
    if (plan.kind !== "start") return [];
    return [[timeIn(zone, plan.scheduledTime), plan.outcome, isLeftToSchedule ? LEFT : plan.jobName]];
  });
  const table = rows.length === 0 ? [] : [formatTable([[`TIME (${zone})`, "WAS", "JOB"], ...rows])];
  return [`${summaryOf([about])} (dry run)`, ...table].join("\n");
}

const LEFT = "waits: the schedule itself may still start it";

/** The same for programs: each scheduled time, and what becomes of it. */
export function previewJson({ cronJob: { flavour, metadata }, backfill, slots }: Preview) {
  const { namespace, name } = metadata;
  return {
    apiVersion: flavour.apiVersion,
    namespace,
    name,
    backfill: { ...backfill, from: formatTime(backfill.from), to: formatTime(backfill.to) },
    slots: slots.map(({ plan: { scheduledTime, ...plan }, isLeftToSchedule }) => ({
      scheduledTime: formatTime(scheduledTime),
      ...plan,
      isLeftToSchedule,
    })),
  };
}
