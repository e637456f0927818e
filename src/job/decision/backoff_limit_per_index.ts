import type { DeepReadonly } from "../../kube/object.ts";
import type { Job, Pod } from "../../kube/resource.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import { hasCondition } from "../api/conditions.ts";
import type { IndexSet } from "../api/index_set.ts";
import { INDEX_FAILURE_COUNT_ANNOTATION, INDEX_IGNORED_FAILURE_COUNT_ANNOTATION } from "../api/names.ts";
import { finishedAt, type PodView } from "../api/pod_view.ts";
import { hasLimitPerIndex, indexesOf } from "../api/spec.ts";
import { backoffMs } from "./backoff.ts";
import type { BackoffTimes } from "./input.ts";
import { failureCounts, matchFailurePolicy } from "./pod_failure_policy.ts";
import { isPodFailed } from "./pod_replacement_policy.ts";

/**
 * Each index has a limit of its own. How often it failed is written on its Pods: a replacement carries on the count of
 * the Pod before it, which therefore stays (tracked, uncounted) until its replacement is there.
 *
 * https://kubernetes.io/docs/concepts/workloads/controllers/job/#backoff-limit-per-index
 */

/**
 * Returns the failed indexes that are `stored` in the status, and those that failed for good since and have not `succeeded`. So
 * every index counts whose Pod had failed by itself when the Job was over, whether that was seen before or after the
 * verdict was stored. A Pod that is deleted because the Job is over fails no index, however it ends:
 * kube-controller-manager has let go of it by then.
 */
export function failedIndexesOf(
  job: DeepReadonly<Job>,
  pods: readonly PodView[],
  { stored, succeeded }: { stored: IndexSet; succeeded: IndexSet },
): IndexSet | undefined {
  if (!hasLimitPerIndex(job)) return undefined;
  const indexes = indexesOf(job);
  const failed: number[] = [];
  const isOver = hasCondition(job, "FailureTarget") || hasCondition(job, "SuccessCriteriaMet");
  for (const view of pods) {
    if (isOver && view.deleting) continue;
    if (!view.tracked || view.index === undefined || view.index >= indexes || succeeded.has(view.index)) continue;
    if (endsItsIndex(job, view)) failed.push(view.index);
  }
  return stored.union(failed);
}

function endsItsIndex(job: DeepReadonly<Job>, view: PodView): boolean {
  if (!isPodFailed(job, view)) return false;
  const action = matchFailurePolicy(job, view.pod)?.action;
  if (action === "Ignore") return false;
  return action === "FailIndex" || countedFailures(view.pod) >= (job.spec?.backoffLimitPerIndex ?? Infinity);
}

/** Of each index that waits for a replacement: the failed Pod that the replacement follows. */
export function podsAwaitingReplacement(
  job: DeepReadonly<Job>,
  pods: readonly PodView[],
  ended: { succeeded: IndexSet; failed: IndexSet },
): ReadonlyMap<number, PodView> {
  const active = new Set(pods.filter((view) => view.active).map(({ index }) => index));
  const indexes = indexesOf(job);
  const latest = new Map<number, PodView>();
  for (const view of pods) {
    const { index } = view;
    if (!view.tracked || index === undefined || index >= indexes || !isPodFailed(job, view)) continue;
    if (ended.succeeded.has(index) || ended.failed.has(index) || active.has(index)) continue;
    const other = latest.get(index);
    if (!other || isLater(view.pod, other.pod)) latest.set(index, view);
  }
  return latest;
}

function isLater(pod: DeepReadonly<Pod>, other: DeepReadonly<Pod>): boolean {
  const failures = allFailures(pod) - allFailures(other);
  return failures > 0 || (failures === 0 && finishedAt(pod) >= finishedAt(other));
}

/** Returns until when the replacement of a failed Pod has to wait. */
export function replacementDueAt(failed: PodView, times: BackoffTimes): EpochMs {
  return finishedAt(failed.pod) + backoffMs(allFailures(failed.pod) + 1, times);
}

/** Returns the annotations that carry an index's failures on to the Pod that follows `failed`. */
export function failureCountAnnotations(
  job: DeepReadonly<Job>,
  failed: PodView | undefined,
): Record<string, string> {
  if (!hasLimitPerIndex(job)) return {};
  let counted = 0;
  let ignored = 0;
  if (failed) {
    counted = countedFailures(failed.pod);
    ignored = ignoredFailures(failed.pod);
    if (failureCounts(job, failed.pod)) counted++;
    else ignored++;
  }
  return {
    [INDEX_FAILURE_COUNT_ANNOTATION]: String(counted),
    ...(ignored > 0 && { [INDEX_IGNORED_FAILURE_COUNT_ANNOTATION]: String(ignored) }),
  };
}

function countedFailures(pod: DeepReadonly<Pod>): number {
  return numberIn(pod, INDEX_FAILURE_COUNT_ANNOTATION);
}

function ignoredFailures(pod: DeepReadonly<Pod>): number {
  return numberIn(pod, INDEX_IGNORED_FAILURE_COUNT_ANNOTATION);
}

function allFailures(pod: DeepReadonly<Pod>): number {
  return countedFailures(pod) + ignoredFailures(pod);
}

function numberIn(pod: DeepReadonly<Pod>, annotation: string): number {
  const text = pod.metadata.annotations?.[annotation] ?? "";
  return /^\d+$/.test(text) ? Number(text) : 0;
}
