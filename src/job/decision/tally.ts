import type { DeepReadonly } from "../../kube/object.ts";
import type { Job } from "../../kube/resource.ts";
import { IndexSet } from "../api/index_set.ts";
import type { PodView } from "../api/pod_view.ts";
import { isIndexed } from "../api/spec.ts";
import { failedIndexesOf, podsAwaitingReplacement } from "./backoff_limit_per_index.ts";
import { hasValidIndex, succeededIndexesOf } from "./indexed.ts";
import { failureCounts } from "./pod_failure_policy.ts";
import { isPodFailed } from "./pod_replacement_policy.ts";
import type { StoredCounts } from "./stored_counts.ts";

/** Where a Job stands: what its status has counted, and what has ended since. */
export interface Tally {
  readonly active: readonly PodView[];
  readonly ready: number;
  readonly terminating: number;
  readonly succeeded: number;
  /** Without those that the Pod failure policy ignores. */
  readonly failed: number;
  readonly succeededIndexes: IndexSet;
  /** Only with a back-off limit per index. */
  readonly failedIndexes: IndexSet | undefined;
  /** With a back-off limit per index: the failed Pod that an index's next Pod follows. */
  readonly awaitingReplacement: ReadonlyMap<number, PodView>;
}

/** Counts the Pods that have ended and are in no counter of the status yet on top of those counters. */
export function tallyPods(job: DeepReadonly<Job>, pods: readonly PodView[], stored: StoredCounts): Tally {
  let succeeded = (job.status?.succeeded ?? 0) + stored.succeeded.size;
  let failed = (job.status?.failed ?? 0) + stored.failed.size;
  let ready = 0;
  let terminating = 0;
  const active: PodView[] = [];
  for (const view of pods) {
    if (view.active) active.push(view);
    if (view.active && view.ready) ready++;
    if (view.terminating) terminating++;
    if (!view.tracked || stored.failed.has(view.uid) || stored.succeeded.has(view.uid) || !hasValidIndex(job, view)) {
      continue;
    }
    if (view.phase === "Succeeded") succeeded++;
    else if (isPodFailed(job, view) && failureCounts(job, view.pod)) failed++;
  }
  const succeededIndexes = isIndexed(job) ? succeededIndexesOf(job, pods, stored) : IndexSet.EMPTY;
  const failedIndexes = failedIndexesOf(job, pods, { stored: stored.failedIndexes, succeeded: succeededIndexes });
  return {
    active,
    ready,
    terminating,
    succeeded: isIndexed(job) ? succeededIndexes.size : succeeded,
    failed,
    succeededIndexes,
    failedIndexes,
    awaitingReplacement: failedIndexes
      ? podsAwaitingReplacement(job, pods, { succeeded: succeededIndexes, failed: failedIndexes })
      : new Map(),
  };
}
