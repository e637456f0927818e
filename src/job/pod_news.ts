import { controllerOf } from "../kube/object.ts";
import type { Pod } from "../kube/resource.ts";
import type { Change } from "../runtime/store.ts";
import { restartsOf, viewPod } from "./api/pod_view.ts";

/**
 * Returns what a change of a Pod means to its Job: `urgent` may call for something at once, `numbers` changes only what
 * the status shows, and undefined is nothing to the Job.
 */
export function newsOf({ type, object, previous }: Change<Pod>): "urgent" | "numbers" | undefined {
  if (type !== "modified") return "urgent";
  const before = viewPod(previous);
  const after = viewPod(object);
  if (
    before.active !== after.active || before.terminating !== after.terminating || before.phase !== after.phase &&
      (after.phase === "Succeeded" || after.phase === "Failed") ||
    restartsOf(previous) !== restartsOf(object) ||
    controllerOf(previous)?.uid !== controllerOf(object)?.uid ||
    JSON.stringify(previous.metadata.labels) !== JSON.stringify(object.metadata.labels)
  ) return "urgent";
  return before.ready !== after.ready || before.tracked !== after.tracked ? "numbers" : undefined;
}
