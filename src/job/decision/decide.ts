import { earliest, type EpochMs } from "../../base/epoch_ms.ts";
import { hasCondition, isFinished } from "../api/conditions.ts";
import type { PodView } from "../api/pod_view.ts";
import { isBeingDeleted } from "../api/spec.ts";
import { nextStatus } from "../status/next_status.ts";
import { type Fate, fateOf, isSafe } from "../status/tracking.ts";
import { recordFailures } from "./backoff.ts";
import { deadlineOf } from "./deadline.ts";
import type { DecisionInput, FailureRecord } from "./input.ts";
import type { Plan } from "./plan.ts";
import { changePods } from "./pod_changes.ts";
import { isPodFailed } from "./pod_replacement_policy.ts";
import { storedCounts } from "./stored_counts.ts";
import { tallyPods } from "./tally.ts";
import { judge } from "./verdict.ts";

/** Returns the next step. Pure: the same input gives the same plan. */
export function decide(input: DecisionInput): Plan {
  const { job, pods, now } = input;
  if (isFinished(job)) {
    const stillActive = pods.filter((view) => view.tracked && view.active);
    if (stillActive.length > 0) return { kind: "stop", pods: stillActive };
    return untrackOrWait(pods.filter((view) => view.tracked));
  }

  const stored = storedCounts(job);
  const tally = tallyPods(job, pods, stored);
  const verdict = judge({ job, pods, tally, now });
  const wake: (EpochMs | undefined)[] = [verdict ? undefined : deadlineOf(job, now)];

  if (!input.podsHeld) {
    // The verdict is stored before it is carried out: what is stopped for it must not look like new failures.
    if (verdict && hasCondition(job, verdict.type) && tally.active.length > 0) {
      return { kind: "stop", pods: tally.active };
    }
    if (!verdict && !isBeingDeleted(job)) {
      const failures = failuresOf(input);
      const change = changePods({ ...input, tally, failures });
      if (change.kind !== "none") return change;
      wake.push(change.until);
    }
  }

  const fates = new Map<PodView, Fate>();
  for (const view of pods) {
    const fate = fateOf(view, { job, stored, tally, verdict });
    if (fate) fates.set(view, fate);
  }
  const change = nextStatus({ job, pods, stored, tally, verdict, fates, now });
  if (change && (change.urgent || now >= (input.statusHeldUntil ?? 0))) {
    return { kind: "store", status: change.status, news: change.news };
  }
  if (change) wake.push(input.statusHeldUntil);

  const done = Array.from(fates).filter(([view, fate]) => isSafe(view, fate, { job, stored })).map(([view]) => view);
  return untrackOrWait(done, earliest(...wake));
}

/** Returns the failures since the last success, with what the Pods show now. */
export function failuresOf({ job, pods, failures }: Pick<DecisionInput, "job" | "pods" | "failures">): FailureRecord {
  // A Pod that is being deleted without our finalizer was removed by this controller.
  return recordFailures(
    failures,
    pods,
    (view) => view.tracked ? isPodFailed(job, view) : view.phase === "Failed" && !view.deleting,
  );
}

function untrackOrWait(pods: readonly PodView[], until?: EpochMs): Plan {
  return pods.length > 0 ? { kind: "untrack", pods } : { kind: "wait", until };
}
