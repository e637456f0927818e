import type { DeepReadonly } from "../../kube/object.ts";
import type { Job } from "../../kube/resource.ts";
import { completionsOf, isSuspended, parallelismOf } from "../api/spec.ts";
import type { Tally } from "./tally.ts";

/**
 * Returns how many Pods a Job should have running: `parallelism`, yet never more than completions are missing.
 *
 * https://kubernetes.io/docs/concepts/workloads/controllers/job/#parallel-jobs
 */
export function wantedPods(job: DeepReadonly<Job>, tally: Tally): number {
  if (isSuspended(job)) return 0;
  const completions = completionsOf(job);
  if (completions === undefined) {
    // One success means that the work is done: running Pods may finish, and none is started.
    return tally.succeeded > 0 ? tally.active.length : parallelismOf(job);
  }
  return Math.min(parallelismOf(job), Math.max(0, completions - tally.succeeded));
}
