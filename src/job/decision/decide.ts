import type { DeepReadonly } from "../../kube/object.ts";
import type { Job } from "../../kube/resource.ts";
import type { EpochMs } from "../../schedule/epoch_ms.ts";
import { type BackoffTimes, type FailureRecord, recordFailures } from "./backoff.ts";
import { hasCondition, isFinished } from "../api/conditions.ts";
import { deadlineOf } from "./deadline.ts";
import { nextStatus, type StatusChange } from "../status/next_status.ts";
import { changePods, type PodChanges } from "./pod_changes.ts";
import { isPodFailed } from "./pod_replacement_policy.ts";
import type { PodView } from "../api/pod_view.ts";
import { isBeingDeleted } from "../api/spec.ts";
import { tallyPods } from "./tally.ts";
import { type Fate, fateOf, isSafe, storedCounts } from "../status/tracking.ts";
import { judge } from "./verdict.ts";

export interface JobWorld {
  /** The newest version that we know of, our own last write included. */
  readonly job: DeepReadonly<Job>;
  /** The Pods that the Job controls, those just created included. */
  readonly pods: readonly PodView[];
  /** The Job's failures since its last success, as known before this look at the Pods. */
  readonly failures: FailureRecord;
  readonly backoff: BackoffTimes;
  readonly now: EpochMs;
  /** Pods are left as they are: some have just been created or deleted, or could not be. */
  readonly podsHeld?: boolean;
  /** Until when a status that changes nothing but numbers is held back, to be written along with the next change. */
  readonly statusHeldUntil?: EpochMs;
}

/**
 * What to do next about a Job. Whoever carries a plan out asks again with the world that came of it, until it says to wait:
 * first Pods are deleted or created, then the status is stored, then finalizers go (which the next status counts).
 */
export type Plan =
  /** Delete Pods that are not wanted any more; they are not counted. */
  | Extract<PodChanges, { kind: "remove" }>
  /** Delete what still runs of a Job that is over; it is counted like the rest. */
  | { readonly kind: "stop"; readonly pods: readonly PodView[] }
  | Extract<PodChanges, { kind: "create" }>
  | { readonly kind: "store" } & StatusChange
  /** Remove the tracking finalizer. */
  | { readonly kind: "untrack"; readonly pods: readonly PodView[] }
  /** Nothing, until something changes or that time has come. */
  | { readonly kind: "wait"; readonly until?: EpochMs };

/** Pure: the same world gives the same plan. */
export function decide(world: JobWorld): Plan {
  const { job, pods, now } = world;
  if (isFinished(job)) {
    const late = pods.filter((view) => view.tracked && view.active);
    if (late.length > 0) return { kind: "stop", pods: late };
    return untrackOrWait(pods.filter((view) => view.tracked));
  }

  const tally = tallyPods(job, pods);
  const verdict = judge({ job, pods, tally, now });
  const wake: (EpochMs | undefined)[] = [verdict ? undefined : deadlineOf(job, now)];

  if (!world.podsHeld) {
    // The verdict is stored before it is carried out: what is stopped for it must not look like new failures.
    if (verdict && hasCondition(job, verdict.type) && tally.active.length > 0) {
      return { kind: "stop", pods: tally.active };
    }
    if (!verdict && !isBeingDeleted(job)) {
      const failures = failuresOf(world);
      const change = changePods({ ...world, tally, failures });
      if (change.kind !== "none") return change;
      wake.push(change.until);
    }
  }

  const stored = storedCounts(job);
  const fates = new Map<PodView, Fate>();
  for (const view of pods) {
    const fate = fateOf(view, { job, stored, tally, verdict });
    if (fate) fates.set(view, fate);
  }
  const change = nextStatus({ job, pods, stored, tally, verdict, fates, now });
  if (change && (change.urgent || now >= (world.statusHeldUntil ?? 0))) return { kind: "store", ...change };
  if (change) wake.push(world.statusHeldUntil);

  const done = Array.from(fates).filter(([view, fate]) => isSafe(view, fate, { job, stored })).map(([view]) => view);
  return untrackOrWait(done, earliest(wake));
}

/** The failures since the last success, with what the Pods tell now. */
export function failuresOf({ job, pods, failures }: Pick<JobWorld, "job" | "pods" | "failures">): FailureRecord {
  // Without finalizer and on its way out: we sent it away ourselves.
  return recordFailures(
    failures,
    pods,
    (view) => view.tracked ? isPodFailed(job, view) : view.phase === "Failed" && !view.deleting,
  );
}

function untrackOrWait(pods: readonly PodView[], until?: EpochMs): Plan {
  return pods.length > 0 ? { kind: "untrack", pods } : { kind: "wait", until };
}

function earliest(times: readonly (EpochMs | undefined)[]): EpochMs | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length > 0 ? Math.min(...known) : undefined;
}
