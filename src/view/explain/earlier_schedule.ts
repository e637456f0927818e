import { EXCLUDE, SCHEDULE, SCHEDULES } from "../../cronjob/api/annotations.ts";
import type { CronJob } from "../../cronjob/api/cron_job.ts";
import type { ConditionType } from "../../cronjob/api/reasons.ts";
import { annotationWrittenAt, specWrittenAt } from "../../cronjob/api/spec_writes.ts";
import type { Condition } from "../../cronjob/api/types.ts";
import { heldSince } from "../../cronjob/decision/judge.ts";
import { type EpochMs, latest, parseTime } from "../../base/epoch_ms.ts";
import type { DeepReadonly } from "../../kube/object.ts";
import type { Look } from "../look.ts";

/**
 * Returns when the schedule was last written, or the CronJob adopted or released (which writes `spec.suspend`), if that was
 * after `time`: another schedule may have been followed then. No record is left of an annotation that was removed.
 */
export function scheduleWrittenSince({ input: { cronJob } }: Look, time: EpochMs): EpochMs | undefined {
  const { createdAt = -Infinity, scheduleWrittenAt, flavour, object } = cronJob;
  const written = [
    scheduleWrittenAt,
    scheduleAnnotatedAt(cronJob),
    ...flavour.adoptable ? [specWrittenAt(object, ["suspend"])] : [],
  ];
  const last = Math.max(...written.map((at = -Infinity) => at));
  return last > time && time > createdAt ? last : undefined;
}

/** Returns when an annotation that says what is followed was last written, as far as there is a record of it. */
export function scheduleAnnotatedAt({ flavour, object }: CronJob): EpochMs | undefined {
  if (flavour.extrasIn !== "annotations") return undefined;
  return latest(...[SCHEDULE, SCHEDULES, EXCLUDE].map((name) => annotationWrittenAt(object, name)));
}

/**
 * Returns since when controllers follow the schedule as it is now: before, another one may have held, or a suspension. The
 * conditions show that. The status of `batch/v1` has none: the last edit of the spec, or of an annotated schedule, counts.
 */
export function followedSince({ input: { cronJob }, findings }: Look): EpochMs {
  const { flavour, status, specWrittenAt, createdAt = -Infinity, metadata: { generation = 1 } } = cronJob;
  if (!flavour.openStatus) {
    return Math.max(
      generation === 1 ? createdAt : specWrittenAt ?? Infinity,
      scheduleAnnotatedAt(cronJob) ?? -Infinity,
    );
  }
  const followed = (status.conditions ?? []).filter((condition) =>
    isCondition(condition, "Ready", "True") || isCondition(condition, "Suspended", "False")
  );
  const times = followed.map(({ lastTransitionTime }) => parseTime(lastTransitionTime) ?? -Infinity);
  return Math.max(...times, heldSince(findings), createdAt);
}

function isCondition(condition: DeepReadonly<Condition>, type: ConditionType, status: Condition["status"]): boolean {
  return condition.type === type && condition.status === status;
}
