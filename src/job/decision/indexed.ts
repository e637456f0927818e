import type { DeepReadonly } from "../../kube/object.ts";
import type { Job } from "../../kube/resource.ts";
import { IndexSet } from "../api/index_set.ts";
import type { PodView } from "../api/pod_view.ts";
import { indexesOf, isIndexed } from "../api/spec.ts";
import { byRemovalOrder } from "./pod_removal_order.ts";
import { replacesOnlyFailed } from "./pod_replacement_policy.ts";
import type { StoredCounts } from "./stored_counts.ts";

/** Returns whether the Pod can count: in an Indexed Job it has to have an index that the Job (still) has. */
export function hasValidIndex(job: DeepReadonly<Job>, view: PodView): boolean {
  return !isIndexed(job) || (view.index !== undefined && view.index < indexesOf(job));
}

/** Returns the succeeded indexes that the status knows, and those of Pods that succeeded since. */
export function succeededIndexesOf(
  job: DeepReadonly<Job>,
  pods: readonly PodView[],
  { failed: failedPods, failedIndexes, completedIndexes }: StoredCounts,
): IndexSet {
  // A counted failure stays one: of a Pod that was counted while it terminated, and of an index whose next Pod failed it.
  const succeeded: number[] = [];
  for (const view of pods) {
    if (!view.tracked || view.phase !== "Succeeded" || !hasValidIndex(job, view)) continue;
    if (!failedPods.has(view.uid) && !failedIndexes.has(view.index!)) succeeded.push(view.index!);
  }
  return completedIndexes.union(succeeded);
}

/** Returns the active Pods of an Indexed Job whose index is missing, out of range, or that of a Pod that is kept. */
export function misplacedPods(job: DeepReadonly<Job>, active: readonly PodView[]): PodView[] {
  if (!isIndexed(job)) return [];
  const misplaced: PodView[] = [];
  const byIndex = new Map<number, PodView>();
  for (const view of active) {
    if (!hasValidIndex(job, view)) {
      misplaced.push(view);
      continue;
    }
    const other = byIndex.get(view.index!);
    const keep = other && byRemovalOrder(other, view) > 0 ? other : view;
    if (other) misplaced.push(keep === view ? other : view);
    byIndex.set(view.index!, keep);
  }
  return misplaced;
}

/**
 * Returns the lowest indexes that need a Pod, at most `count`. An index has one that has an active Pod or, where only failed
 * Pods are replaced, a terminating one.
 */
export function pendingIndexes(
  job: DeepReadonly<Job>,
  pods: readonly PodView[],
  ended: { succeeded: IndexSet; failed: IndexSet | undefined },
  count: number,
): number[] {
  const onlyFailed = replacesOnlyFailed(job);
  const taken = pods.filter((view) => view.active || (onlyFailed && view.terminating))
    .map(({ index }) => index)
    .filter((index) => index !== undefined);
  return ended.succeeded.union(ended.failed ?? IndexSet.EMPTY).union(taken).firstMissing(
    count,
    indexesOf(job),
  );
}
