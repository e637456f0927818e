import type { DeepReadonly } from "../../kube/object.ts";
import type { Job } from "../../kube/resource.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import type { PodView } from "../api/pod_view.ts";
import { completionsOf, hasLimitPerIndex, isIndexed } from "../api/spec.ts";
import { backoffUntil } from "./backoff.ts";
import { replacementDueAt } from "./backoff_limit_per_index.ts";
import { misplacedPods, pendingIndexes } from "./indexed.ts";
import type { DecisionInput } from "./input.ts";
import { wantedPods } from "./parallelism.ts";
import type { CreatePlan, NewPod, RemovePlan } from "./plan.ts";
import { byRemovalOrder } from "./pod_removal_order.ts";
import { replacesOnlyFailed } from "./pod_replacement_policy.ts";
import type { Tally } from "./tally.ts";

/** Deletions go before creations, never both at once. */
export type PodChanges = RemovePlan | CreatePlan | { readonly kind: "none"; readonly until?: EpochMs };

/** The most Pods that one step creates or deletes, so that one big Job does not hold up the others. */
const MAX_CHANGES = 500;

/** Returns the change that brings the Pods of a Job that goes on to the wanted number. */
export function changePods(
  { job, pods, tally, failures, backoff, now }: DecisionInput & { readonly tally: Tally },
): PodChanges {
  const wanted = wantedPods(job, tally);
  const surplus = surplusPods(job, tally.active, wanted);
  if (surplus.length > 0) {
    const afterCompletion = tally.succeeded >= (completionsOf(job) ?? Infinity);
    return { kind: "remove", pods: surplus.slice(0, MAX_CHANGES), afterCompletion };
  }

  const waitedFor = replacesOnlyFailed(job) ? tally.terminating : 0;
  const missing = Math.min(MAX_CHANGES, wanted - tally.active.length - waitedFor);
  if (missing <= 0) return { kind: "none" };

  const ended = { succeeded: tally.succeededIndexes, failed: tally.failedIndexes };
  if (hasLimitPerIndex(job)) return createPerIndex(missing);
  const until = backoffUntil(failures, backoff);
  if (until !== undefined && now < until) return { kind: "none", until };
  if (!isIndexed(job)) return create(Array.from({ length: missing }, () => ({})));
  const indexes = pendingIndexes(job, pods, ended, missing);
  return indexes.length > 0 ? create(indexes.map((index) => ({ index }))) : { kind: "none" };

  function create(pods: readonly NewPod[]): PodChanges {
    return { kind: "create", pods, again: tally.failed > 0 || tally.terminating > 0 };
  }

  /** Each index has a back-off of its own. */
  function createPerIndex(count: number): PodChanges {
    const due: NewPod[] = [];
    let until = Infinity;
    for (const index of pendingIndexes(job, pods, ended, Infinity)) {
      const follows = tally.awaitingReplacement.get(index);
      const dueAt = follows ? replacementDueAt(follows, backoff) : now;
      if (dueAt > now) until = Math.min(until, dueAt);
      else due.push({ index, follows });
      if (due.length === count) break;
    }
    if (due.length > 0) return create(due);
    return until < Infinity ? { kind: "none", until } : { kind: "none" };
  }
}

function surplusPods(job: DeepReadonly<Job>, active: readonly PodView[], wanted: number): readonly PodView[] {
  // An active Pod without the finalizer is one whose removal had begun when we were interrupted: it would never be counted.
  const begun = active.filter((view) => !view.tracked);
  const surplus = new Set([...begun, ...misplacedPods(job, active)]);
  const others = active.filter((view) => !surplus.has(view));
  const more = others.length - wanted;
  if (more > 0) { for (const view of others.sort(byRemovalOrder).slice(0, more)) surplus.add(view); }
  return [...surplus];
}
