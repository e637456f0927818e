import { EXCLUDE, SCHEDULE, SCHEDULES } from "../../cronjob/api/annotations.ts";
import type { ConditionType } from "../../cronjob/api/reasons.ts";
import { annotationWrittenAt, specWrittenAt } from "../../cronjob/api/spec_writes.ts";
import type { Condition } from "../../cronjob/api/types.ts";
import { heldSince } from "../../cronjob/decision/judge.ts";
import { type EpochMs, parseTime } from "../../base/epoch_ms.ts";
import type { DeepReadonly } from "../../kube/object.ts";
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

/**
 * From when on the schedule was surely followed as it is now, whenever a controller worked: before that it may have been
 * another one, or have been suspended. A status shows that; without one it may have changed anything by the last edit.
 */
export function followedSince({ input: { cronJob }, findings }: Look): EpochMs {
  const { flavour, status, specWrittenAt, createdAt = -Infinity, metadata: { generation = 1 } } = cronJob;
  if (!flavour.openStatus) return generation === 1 ? createdAt : specWrittenAt ?? Infinity;
  const followed = (status.conditions ?? []).filter((condition) =>
    isCondition(condition, "Ready", "True") || isCondition(condition, "Suspended", "False")
  );
  const times = followed.map(({ lastTransitionTime }) => parseTime(lastTransitionTime) ?? -Infinity);
  return Math.max(...times, heldSince(findings), createdAt);
}

function isCondition(condition: DeepReadonly<Condition>, type: ConditionType, status: Condition["status"]): boolean {
  return condition.type === type && condition.status === status;
}
