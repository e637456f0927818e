import type { JobStatus } from "kubernetes-types/batch/v1";

/** The status that a Job controller writes for a Job whose only Pod has succeeded. */
export function completedAt(time: string, startTime = time): JobStatus {
  const conditions = ["SuccessCriteriaMet", "Complete"].map((type) => ({
    type,
    status: "True",
    lastTransitionTime: time,
  }));
  return { startTime, completionTime: time, succeeded: 1, conditions };
}

/** The same of a Job whose only Pod has failed. @param how such as `exit 3`; undefined: the Job says nothing of it */
export function failedAt(time: string, startTime = time, how?: string): JobStatus {
  const message = how === undefined ? undefined : `Job has reached the specified backoff limit${how && `: ${how}`}`;
  const why = { reason: "BackoffLimitExceeded", ...(message !== undefined && { message }), lastTransitionTime: time };
  const conditions = ["FailureTarget", "Failed"].map((type) => ({ type, status: "True", ...why }));
  return { startTime, failed: 1, conditions };
}
