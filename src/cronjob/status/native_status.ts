import type { ObjectReference } from "kubernetes-types/core/v1";
import { type EpochMs, formatTime, parseTime } from "../../schedule/epoch_ms.ts";
import { type Child, isExpected } from "../api/job.ts";
import { completed, missing, type PlannedEvent, unexpected } from "./events.ts";
import type { CronJobStatus } from "../api/types.ts";
import type { World } from "../decision/plan.ts";

/** Kubernetes' part of the status, rebuilt from the children, and what became of those that were active before. */
export interface NativeStatus {
  readonly status: Pick<CronJobStatus, "active" | "lastScheduleTime" | "lastSuccessfulTime">;
  readonly events: readonly PlannedEvent[];
}

export function nativeStatus(
  { api, cronJob, deleted }: World,
  children: readonly Child[],
  lastScheduleTime: EpochMs | undefined,
): NativeStatus {
  const before = cronJob.status?.active ?? [];
  const byUid = new Map(children.map((child) => [child.job.metadata.uid, child]));
  const listed = new Set(before.map(({ uid }) => uid));
  const events: PlannedEvent[] = [];
  const active: ObjectReference[] = [];

  for (const reference of before) {
    const child = byUid.get(reference.uid ?? "");
    if (child?.state === "active") {
      active.push(reference);
      continue;
    }
    if (child) events.push(completed(child));
    else if (!deleted?.has(reference.uid ?? "")) events.push(missing(reference.name ?? "", reference.uid ?? ""));
  }
  for (const child of children) {
    if (child.state !== "active" || listed.has(child.job.metadata.uid)) continue;
    if (!isExpected(child)) events.push(unexpected(child));
    if (api.lists === "all" || isExpected(child)) active.push(referenceTo(child));
  }
  return {
    status: {
      active: active.length > 0 ? active : undefined,
      lastScheduleTime: lastScheduleTime === undefined ? undefined : formatTime(lastScheduleTime),
      lastSuccessfulTime: newest(cronJob.status?.lastSuccessfulTime, children, "succeeded"),
    },
    events,
  };
}

/** The newest end of a run with that outcome; never older than `before`. */
export function newest(
  before: string | null | undefined,
  children: readonly Child[],
  state: Child["state"],
): string | undefined {
  const ends = children.filter((child) => child.state === state).map(({ endTime }) => endTime ?? -Infinity);
  const latest = Math.max(parseTime(before) ?? -Infinity, ...ends);
  return latest === -Infinity ? undefined : formatTime(latest);
}

function referenceTo({ job }: Child): ObjectReference {
  const { name, namespace, uid, resourceVersion } = job.metadata;
  return { apiVersion: job.apiVersion ?? "batch/v1", kind: job.kind ?? "Job", name, namespace, uid, resourceVersion };
}
