import type { ObjectReference } from "kubernetes-types/core/v1";
import { type EpochMs, formatTime } from "../../base/epoch_ms.ts";
import { type Child, isExpected, isStray } from "../api/job.ts";
import type { CronJobStatus } from "../api/types.ts";
import type { DecisionInput } from "../decision/input.ts";
import { completed, missing, ownerLost, type PlannedEvent, startedByHand, unexpected } from "./events.ts";
import type { Loose } from "../../base/loose.ts";

/** Kubernetes' part of the status, rebuilt from the children, and what became of those that were active before. */
export interface NativeStatus {
  readonly status: Loose<Pick<CronJobStatus, "active" | "lastScheduleTime" | "lastSuccessfulTime">>;
  readonly events: readonly PlannedEvent[];
}

/**
 * Returns what status and Events say of Jobs. `children` are all that are known, those that the cache does not show
 * yet included.
 */
export function nativeStatus(
  { cronJob, deleted }: DecisionInput,
  children: readonly Child[],
  lastScheduleTime: EpochMs | undefined,
): NativeStatus {
  const before = cronJob.status.active ?? [];
  const byUid = new Map(children.map((child) => [child.metadata.uid, child]));
  const listed = new Set(before.map(({ uid }) => uid));
  const events: PlannedEvent[] = [];
  const active: ObjectReference[] = [];

  for (const reference of before) {
    const child = byUid.get(reference.uid ?? "");
    if (child?.state === "active") {
      active.push(reference);
      if (isStray(child, cronJob)) events.push(ownerLost(child));
      continue;
    }
    if (child) events.push(completed(child));
    else if (!deleted?.has(reference.uid ?? "")) events.push(missing(reference.name ?? "", reference.uid ?? ""));
  }
  for (const child of children) {
    if (child.state !== "active" || listed.has(child.metadata.uid)) continue;
    if (!isExpected(child)) events.push(unexpected(child));
    else if (child.manual && child.triggeredBy === undefined) events.push(startedByHand(child));
    if (cronJob.flavour.lists === "all" || isExpected(child)) active.push(referenceTo(child));
  }
  return {
    status: {
      active: active.length > 0 ? active : undefined,
      lastScheduleTime: lastScheduleTime === undefined ? undefined : formatTime(lastScheduleTime),
      lastSuccessfulTime: newest(cronJob.recorded.lastSuccessfulTime, children, "succeeded"),
    },
    events,
  };
}

/** Returns the newest end of a run with that outcome as text; never older than `before`. */
export function newest(
  before: EpochMs | undefined,
  children: readonly Child[],
  state: Child["state"],
): string | undefined {
  const at = newestEnd(before, children, state);
  return at === undefined ? undefined : formatTime(at);
}

/** Returns the newest end of a run with that outcome; never older than `before`. */
export function newestEnd(
  before: EpochMs | undefined,
  children: readonly Child[],
  state: Child["state"],
): EpochMs | undefined {
  const ends = children.filter((child) => child.state === state).map(({ endTime }) => endTime ?? -Infinity);
  const latest = Math.max(before ?? -Infinity, ...ends);
  return latest === -Infinity ? undefined : latest;
}

function referenceTo({ metadata: { name, namespace, uid, resourceVersion } }: Child): ObjectReference {
  return { apiVersion: "batch/v1", kind: "Job", name, ...(namespace && { namespace }), uid, resourceVersion };
}
