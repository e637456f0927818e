import type { JobCondition } from "kubernetes-types/batch/v1";
import type { DeepReadonly } from "../../kube/object.ts";
import type { Job } from "../../kube/resource.ts";
import { type EpochMs, parseTime } from "../../base/epoch_ms.ts";
import { findCondition, hasCondition, makeCondition } from "../api/conditions.ts";
import { isSuspended } from "../api/spec.ts";

/**
 * A suspended Job has no Pods, and loses its start. Resumed, it starts anew, and so does the active deadline; a Job whose
 * end is decided only ends, and an API server refuses another start time for it.
 *
 * https://kubernetes.io/docs/concepts/workloads/controllers/job/#suspending-a-job
 */
export function startTimeOf(job: DeepReadonly<Job>, now: EpochMs, isEnding = false): EpochMs | undefined {
  const stored = parseTime(job.status?.startTime);
  if (isSuspended(job)) return stored;
  return isResuming(job) && !isEnding ? now : stored ?? now;
}

/** `spec.suspend` was taken back, and the status does not say so yet. */
function isResuming(job: DeepReadonly<Job>): boolean {
  return !isSuspended(job) && hasCondition(job, "Suspended");
}

/** Returns the condition that says what changed about the suspension, if anything did. */
export function suspensionChange(job: DeepReadonly<Job>, now: EpochMs): JobCondition | undefined {
  if (isResuming(job)) {
    return makeCondition("Suspended", { status: "False", reason: "JobResumed", message: "Job resumed", now });
  }
  if (isSuspended(job) && findCondition(job, "Suspended")?.status !== "True") {
    return makeCondition("Suspended", { reason: "JobSuspended", message: "Job suspended", now });
  }
  return undefined;
}
