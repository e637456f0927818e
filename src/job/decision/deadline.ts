import type { DeepReadonly } from "../../kube/object.ts";
import type { Job } from "../../kube/resource.ts";
import type { EpochMs } from "../../base/epoch_ms.ts";
import { isSuspended } from "../api/spec.ts";
import { startTimeOf } from "./suspend.ts";

/**
 * Returns when `activeDeadlineSeconds` ends the Job. A suspended Job has no deadline: the time starts anew when it is
 * resumed.
 *
 * https://kubernetes.io/docs/concepts/workloads/controllers/job/#job-termination-and-cleanup
 */
export function deadlineOf(job: DeepReadonly<Job>, now: EpochMs): EpochMs | undefined {
  const seconds = job.spec?.activeDeadlineSeconds;
  const start = startTimeOf(job, now);
  if (seconds === undefined || start === undefined || isSuspended(job)) return undefined;
  return start + seconds * 1000;
}
