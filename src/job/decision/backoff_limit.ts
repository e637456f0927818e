import type { DeepReadonly } from "../../kube/object.ts";
import type { Job } from "../../kube/resource.ts";
import { type PodView, restartsOf } from "../api/pod_view.ts";
import { backoffLimitOf } from "../api/spec.ts";

/**
 * Returns whether a Job has failed too often: by failed Pods or, where Pods restart their containers themselves, by the
 * restarts of those that run.
 *
 * https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-backoff-failure-policy
 */
export function exceedsBackoffLimit(job: DeepReadonly<Job>, pods: readonly PodView[], failed: number): boolean {
  const limit = backoffLimitOf(job);
  if (failed > limit) return true;
  if (job.spec?.template.spec?.restartPolicy !== "OnFailure") return false;
  let restarts = 0;
  for (const { phase, pod } of pods) {
    if (phase === "Running" || phase === "Pending") restarts += restartsOf(pod);
  }
  return limit === 0 ? restarts > 0 : restarts >= limit;
}
