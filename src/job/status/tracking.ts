import type { DeepReadonly } from "../../kube/object.ts";
import type { Job } from "../../kube/resource.ts";
import { hasCondition } from "../api/conditions.ts";
import type { IndexSet } from "../api/index_set.ts";
import type { PodView } from "../api/pod_view.ts";
import { isBeingDeleted, isIndexed } from "../api/spec.ts";
import { hasValidIndex } from "../decision/indexed.ts";
import { failureCounts } from "../decision/pod_failure_policy.ts";
import { isPodFailed } from "../decision/pod_replacement_policy.ts";
import type { StoredCounts } from "../decision/stored_counts.ts";
import type { Tally } from "../decision/tally.ts";
import type { Verdict } from "../decision/verdict.ts";

/**
 * Counts each Pod exactly once, whatever dies when.
 *
 * Flow: a Pod is created with the tracking finalizer, so that it stays until it is counted. When it has ended,
 * 1. its UID is stored in `status.uncountedTerminatedPods` (the success of an Indexed Job's Pod: its index in
 *    `completedIndexes`, which needs no UID);
 * 2. its finalizer is removed;
 * 3. its UID leaves the list and its counter rises, in one write.
 * A Job that ends takes a short cut: its counters and its terminal condition are one write, the finalizers go afterwards.
 *
 * Guarantees: a UID in the list whose Pod has no finalizer (or is gone) is still to be counted; a Pod without finalizer
 * that is not in the list has been. A finished Job counts nothing, so a crash after the short cut leaves only finalizers.
 *
 * Assumptions: every status write names the resource version that it was decided on.
 */
export type Fate =
  /** Has ended, and is counted thus. */
  | "succeeded"
  | "failed"
  /** Is let go uncounted. */
  | "ignored";

/** Where a Job stands, and what its status has of that. */
export interface Situation {
  readonly job: DeepReadonly<Job>;
  readonly stored: StoredCounts;
  readonly tally: Tally;
  readonly verdict: Verdict | undefined;
}

/** Returns what becomes of a Pod that has its finalizer; undefined: it keeps it. */
export function fateOf(view: PodView, { job, stored, tally, verdict }: Situation): Fate | undefined {
  if (!view.tracked) return undefined;
  if (stored.failed.has(view.uid)) return "failed";
  if (view.phase === "Succeeded") {
    return hasValidIndex(job, view) && !stored.failedIndexes.has(view.index ?? -1) ? "succeeded" : "ignored";
  }

  const failed = isPodFailed(job, view);
  if (failed && !verdict && !isBeingDeleted(job)) {
    const keptForItsCount = tally.awaitingReplacement.get(view.index ?? -1)?.uid === view.uid;
    if (keptForItsCount) return undefined;
  }
  // When a Job fails, its Pods that have to go fail with it; what is stopped because it has succeeded is no failure.
  const stopped = view.deleting && verdict !== undefined && hasCondition(job, verdict.type);
  const countsAsFailed = verdict?.type === "FailureTarget" ? failed || !view.active : failed && !stopped;
  if (countsAsFailed) return hasValidIndex(job, view) && failureCounts(job, view.pod) ? "failed" : "ignored";
  return (verdict && !view.active) || isBeingDeleted(job) ? "ignored" : undefined;
}

/** Counters and the list of those not in them yet. */
export interface Counts {
  succeeded: number;
  failed: number;
  uncounted: { succeeded: readonly string[]; failed: readonly string[] };
  /** Of an Indexed Job. */
  completedIndexes: IndexSet;
}

/** As many UIDs as the status holds at a time, which bounds its size to 20 kB. */
const MAX_UNCOUNTED = 500;

/** Takes those out of the list whose finalizer is gone, and those in that have ended; `atOnce` counts them all directly. */
export function nextCounts(
  job: DeepReadonly<Job>,
  pods: readonly PodView[],
  { stored, fates, atOnce }: {
    readonly stored: StoredCounts;
    readonly fates: ReadonlyMap<PodView, Fate>;
    readonly atOnce: boolean;
  },
): Counts {
  const tracked = new Set<string>();
  for (const view of pods) if (view.tracked) tracked.add(view.uid);
  const list = {
    succeeded: [...stored.succeeded].filter((uid) => tracked.has(uid)),
    failed: [...stored.failed].filter((uid) => tracked.has(uid)),
  };
  const succeeded = (job.status?.succeeded ?? 0) + stored.succeeded.size - list.succeeded.length;
  const failed = (job.status?.failed ?? 0) + stored.failed.size - list.failed.length;

  const completed: number[] = [];
  let room = atOnce ? Infinity : MAX_UNCOUNTED - list.succeeded.length - list.failed.length;
  for (const [view, fate] of fates) {
    if (fate === "ignored" || stored.succeeded.has(view.uid) || stored.failed.has(view.uid)) continue;
    if (fate === "succeeded" && isIndexed(job)) completed.push(view.index!);
    else if (room-- > 0) list[fate].push(view.uid);
  }
  const completedIndexes = stored.completedIndexes.union(completed);
  const counts = { succeeded: isIndexed(job) ? completedIndexes.size : succeeded, failed, completedIndexes };
  if (!atOnce) return { ...counts, uncounted: list };
  return {
    succeeded: isIndexed(job) ? completedIndexes.size : succeeded + list.succeeded.length,
    failed: failed + list.failed.length,
    uncounted: { succeeded: [], failed: [] },
    completedIndexes,
  };
}

/** Returns whether a Pod's fate is safe in the stored status, so that its finalizer may go. */
export function isSafe(view: PodView, fate: Fate, { job, stored }: Pick<Situation, "job" | "stored">): boolean {
  if (fate === "ignored") return true;
  if (fate === "succeeded" && isIndexed(job)) return stored.completedIndexes.has(view.index!);
  return stored[fate].has(view.uid);
}
