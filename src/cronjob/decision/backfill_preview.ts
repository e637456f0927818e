import type { EpochMs } from "../../base/epoch_ms.ts";
import type { Backfill } from "../api/backfill.ts";
import { mayStillStart } from "./backfill.ts";
import { knownRuns, lastInstant, pastSchedule, planSlot, type SlotPlan, slotsOf } from "./backfill_slots.ts";
import type { Findings } from "./findings.ts";

/** The plan of a back-fill that begins now for one scheduled time. */
export interface PreviewedSlot {
  readonly plan: SlotPlan;
  /** Whether it waits, as the schedule itself may still start it. */
  readonly isLeftToSchedule: boolean;
}

/** Previews a back-fill by the very functions that carry it out; `limit` is of scheduled times. */
export function previewBackfill(
  { input, jobs, start, due, block }: Findings,
  backfill: Backfill,
  limit: number,
): PreviewedSlot[] {
  const { cronJob, now } = input;
  const known = knownRuns(input, jobs);
  const slots: PreviewedSlot[] = [];
  if (cronJob.schedule.kind === "problem") return slots;
  const until: EpochMs = lastInstant(cronJob, backfill, now);
  const schedule = pastSchedule(cronJob.schedule, start, backfill.from);
  for (const scheduledTime of slotsOf(schedule, backfill, { until })) {
    if (slots.length === limit) break;
    const plan = planSlot(cronJob, backfill, scheduledTime, known);
    const isLeftToSchedule = plan.kind === "start" && mayStillStart(scheduledTime, start, due, block);
    slots.push({ plan, isLeftToSchedule });
  }
  return slots;
}
