import type { DeepReadonly } from "../../kube/object.ts";
import type { Job } from "../../kube/resource.ts";
import type { PodView } from "../api/pod_view.ts";

/**
 * Returns whether a Pod on its way out is replaced only once it has ended.
 *
 * https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-replacement-policy
 */
export function replacesOnlyFailed(job: DeepReadonly<Job>): boolean {
  // A Pod failure policy looks at how a Pod ended, so it has to wait for that too.
  return job.spec?.podReplacementPolicy === "Failed" || job.spec?.podFailurePolicy !== undefined;
}

/** Returns whether a Pod counts as failed. Under `TerminatingOrFailed` one on its way out does, whatever becomes of it. */
export function isPodFailed(job: DeepReadonly<Job>, view: PodView): boolean {
  if (view.phase === "Failed") return true;
  return !replacesOnlyFailed(job) && view.deleting && view.phase !== "Succeeded";
}
