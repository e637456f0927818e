import type { JobCondition, JobStatus } from "kubernetes-types/batch/v1";
import type { DeepReadonly } from "../../kube/object.ts";
import { type EpochMs, formatTime } from "../../base/epoch_ms.ts";
import { makeCondition, withCondition } from "../api/conditions.ts";
import { containersEndedAt, type PodView } from "../api/pod_view.ts";
import { isBeingDeleted, isIndexed } from "../api/spec.ts";
import type { DecisionInput } from "../decision/input.ts";
import type { StatusNews } from "../decision/plan.ts";
import { startTimeOf, suspensionChange } from "../decision/suspend.ts";
import { type Fate, nextCounts, type Situation } from "./tracking.ts";

export interface StatusChange {
  readonly status: JobStatus;
  readonly news: readonly StatusNews[];
  /** False: nothing but numbers changes, and they may wait for the next write. */
  readonly urgent: boolean;
}

/** Returns the status that the Job should have; undefined if it has it. */
export function nextStatus(
  { job, pods, stored: storedCounts, tally, verdict, fates, now }:
    & Situation
    & Pick<DecisionInput, "pods" | "now">
    & { readonly fates: ReadonlyMap<PodView, Fate> },
): StatusChange | undefined {
  const stored = job.status ?? {};
  const finished = verdict !== undefined && tally.active.length === 0 && tally.terminating === 0;
  const counts = nextCounts(job, pods, { stored: storedCounts, fates, atOnce: finished });
  // A Job that ends while suspended never started, yet the API requires a start time of each Job that has ended.
  let startTime = startTimeOf(job, now, verdict !== undefined) ?? (finished ? now : undefined);
  const news: StatusNews[] = [];

  let conditions: readonly DeepReadonly<JobCondition>[] = stored.conditions ?? [];
  if (verdict) {
    conditions = withCondition(conditions, makeCondition(verdict.type, { ...verdict, now }));
  } else if (!isBeingDeleted(job)) {
    const suspension = suspensionChange(job, now);
    if (suspension) {
      conditions = withCondition(conditions, suspension);
      const isSuspended = suspension.status === "True";
      news.push(isSuspended ? "Suspended" : "Resumed");
      if (isSuspended) startTime = undefined;
    }
  }
  if (finished) {
    const type = verdict.type === "SuccessCriteriaMet" ? "Complete" : "Failed";
    conditions = withCondition(conditions, makeCondition(type, { ...verdict, now }));
    news.push(type);
  }

  const status = {
    ...stored,
    active: tally.active.length || undefined,
    ready: tally.ready,
    terminating: tally.terminating,
    succeeded: counts.succeeded || undefined,
    failed: counts.failed || undefined,
    startTime: startTime === undefined ? undefined : formatTime(startTime),
    completionTime: news.includes("Complete") ? formatTime(completedAt(pods, startTime, now)) : stored.completionTime,
    conditions: conditions.length > 0 ? conditions : undefined,
    completedIndexes: isIndexed(job) ? counts.completedIndexes.toString() || undefined : stored.completedIndexes,
    failedIndexes: tally.failedIndexes?.toString(),
    uncountedTerminatedPods: withoutEmpty(counts.uncounted),
  } as JobStatus;
  for (const [field, value] of Object.entries(status)) {
    if (value === undefined) delete (status as Record<string, unknown>)[field];
  }

  const urgent = URGENT_FIELDS.some((field) => !same(stored[field], status[field])) ||
    adds(stored.uncountedTerminatedPods?.succeeded, counts.uncounted.succeeded) ||
    adds(stored.uncountedTerminatedPods?.failed, counts.uncounted.failed);
  if (!urgent && NUMBER_FIELDS.every((field) => (stored[field] ?? 0) === (status[field] ?? 0))) return undefined;
  return { status, news, urgent };
}

/**
 * Returns when the last Pod succeeded, which may be seen only a while later; now where its containers do not say, as
 * upstream has it.
 */
function completedAt(pods: readonly PodView[], startTime: EpochMs | undefined, now: EpochMs): EpochMs {
  const ends = pods.filter(({ phase }) => phase === "Succeeded").map(({ pod }) => containersEndedAt(pod) ?? now);
  return Math.max(ends.length === 0 ? now : Math.min(now, Math.max(...ends)), startTime ?? -Infinity);
}

const URGENT_FIELDS = ["startTime", "completionTime", "conditions", "completedIndexes", "failedIndexes"] as const;
const NUMBER_FIELDS = ["active", "ready", "terminating", "succeeded", "failed"] as const;

function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

function adds(before: readonly string[] = [], after: readonly string[]): boolean {
  const known = new Set(before);
  return after.some((uid) => !known.has(uid));
}

function withoutEmpty(lists: { succeeded: readonly string[]; failed: readonly string[] }) {
  return {
    ...(lists.succeeded.length > 0 && { succeeded: lists.succeeded }),
    ...(lists.failed.length > 0 && { failed: lists.failed }),
  };
}
