import type { DeepReadonly } from "../../kube/object.ts";
import type { Job } from "../../kube/resource.ts";
import { DEFAULT_JOB_CONTROLLER, OUR_JOB_CONTROLLER } from "./names.ts";

/**
 * The Jobs that are ours: `managed` takes only Jobs that name us in `spec.managedBy`; `all` also takes Jobs that name no one,
 * or Kubernetes' own controller.
 */
export type JobMode = "managed" | "all";

/** Returns whether a Job is ours, by https://kubernetes.io/docs/concepts/workloads/controllers/job/#delegation-of-managing-a-job-object-to-external-controller */
export function isOurs(job: DeepReadonly<Job>, mode: JobMode): boolean {
  const manager = job.spec?.managedBy;
  if (manager === OUR_JOB_CONTROLLER) return true;
  return mode === "all" && (manager === undefined || manager === DEFAULT_JOB_CONTROLLER);
}
