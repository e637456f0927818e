import type { EpochMs } from "../../base/epoch_ms.ts";
import { finishedAt, type PodView } from "../api/pod_view.ts";
import type { BackoffTimes, FailureRecord } from "./input.ts";

export const DEFAULT_BACKOFF: BackoffTimes = { firstMs: 10_000, maxMs: 600_000 };

export const NO_FAILURES: FailureRecord = { lastSuccessAt: undefined, failures: new Map() };

/**
 * Adds what the Pods show. Pods that were deleted since are remembered from the record, and ended Pods that are still
 * there make the record good again after a restart.
 */
export function recordFailures(
  record: FailureRecord,
  pods: readonly PodView[],
  isFailed: (view: PodView) => boolean,
): FailureRecord {
  let { lastSuccessAt } = record;
  const failed: PodView[] = [];
  for (const view of pods) {
    if (view.phase === "Succeeded") lastSuccessAt = Math.max(lastSuccessAt ?? 0, finishedAt(view.pod));
    else if (isFailed(view) && !record.failures.has(view.uid)) failed.push(view);
  }
  if (failed.length === 0 && lastSuccessAt === record.lastSuccessAt) return record;
  const failures = new Map(record.failures);
  for (const { uid, pod } of failed) failures.set(uid, finishedAt(pod));
  for (const [uid, at] of failures) {
    if (lastSuccessAt !== undefined && at <= lastSuccessAt) failures.delete(uid);
  }
  return { lastSuccessAt, failures };
}

/** Returns until when a new Pod has to wait. */
export function backoffUntil(record: FailureRecord, times: BackoffTimes): EpochMs | undefined {
  if (record.failures.size === 0) return undefined;
  let lastFailureAt = 0;
  for (const at of record.failures.values()) lastFailureAt = Math.max(lastFailureAt, at);
  return lastFailureAt + backoffMs(record.failures.size, times);
}

/** Returns the wait after so many failures in a row: it doubles with each, up to the longest. */
export function backoffMs(failures: number, times: BackoffTimes): number {
  return failures < 1 ? 0 : Math.min(times.maxMs, times.firstMs * 2 ** (failures - 1));
}
