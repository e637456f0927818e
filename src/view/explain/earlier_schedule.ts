import { EXCLUDE, SCHEDULE, SCHEDULES } from "../../cronjob/api/annotations.ts";
import { annotationWrittenAt, specWrittenAt } from "../../cronjob/api/spec_writes.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import type { Look } from "../look.ts";

/**
 * Returns when the schedule was last written, or the CronJob adopted or given back, which writes `spec.suspend`, if that
 * was after this time: then another schedule may have been followed at the time. Of an annotation that was taken away there
 * is no record.
 */
export function scheduleWrittenSince({ input: { cronJob } }: Look, time: EpochMs): EpochMs | undefined {
  const { createdAt = -Infinity, scheduleWrittenAt, flavour, object } = cronJob;
  const annotated = flavour.extrasIn === "annotations" ? [SCHEDULE, SCHEDULES, EXCLUDE] : [];
  const written = [
    scheduleWrittenAt,
    ...annotated.map((name) => annotationWrittenAt(object, name)),
    ...flavour.adoptable ? [specWrittenAt(object, ["suspend"])] : [],
  ];
  const last = Math.max(...written.map((at = -Infinity) => at));
  return last > time && time > createdAt ? last : undefined;
}
