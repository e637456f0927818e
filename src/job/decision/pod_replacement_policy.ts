import type { DeepReadonly } from "../../kube/object.ts";
import type { Job } from "../../kube/resource.ts";
import type { PodView } from "../api/pod_view.ts";

/**
 * Returns whether a terminating Pod is replaced only once it has ended.
 *
 * https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-replacement-policy
 */
export function replacesOnlyFailed(job: DeepReadonly<Job>): boolean {
  // A Pod failure policy judges how a Pod ended, so the replacement waits for that too.
  return job.spec?.podReplacementPolicy === "Failed" || job.spec?.podFailurePolicy !== undefined;
}

/** Returns whether a Pod counts as failed. Under `TerminatingOrFailed` a terminating one does, unless it succeeds. */
export function isPodFailed(job: DeepReadonly<Job>, view: PodView): boolean {
  if (view.phase === "Failed") return true;
  return !replacesOnlyFailed(job) && view.deleting && view.phase !== "Succeeded";
}
