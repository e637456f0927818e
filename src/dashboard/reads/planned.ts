import { type EpochMs, LAST_INSTANT } from "../../base/epoch_ms.ts";
import { scheduleOfLook } from "../../view/explain/asked_time.ts";
import type { Look } from "../../view/look.ts";
import { nextRunOf } from "../../view/next_run.ts";

/** Scheduled times as things stand: from the next run on, or from when a pause that ends by itself is over. */
export function* plannedTimes(look: Look, span: { from?: EpochMs; to?: EpochMs } = {}): Generator<EpochMs, undefined> {
  const next = nextRunOf(look);
  const schedule = scheduleOfLook(look);
  if (next?.kind !== "known" || !schedule) return;
  const { from = -Infinity, to = LAST_INSTANT } = span;
  const { endTime = Infinity } = look.input.cronJob.settings;
  yield* schedule.between(Math.max(next.scheduledTime, from) - 1, Math.min(to, endTime));
}
