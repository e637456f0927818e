import type { KubeClient } from "../kube/client.ts";
import type { DeepReadonly } from "../kube/object.ts";
import { type Job, type Pod, PODS } from "../kube/resource.ts";
import { type EpochMs, parseTime } from "../base/epoch_ms.ts";

/** Of a Pod of a Job: the Job's name. */
export const JOB_NAME_LABEL = "batch.kubernetes.io/job-name";

/** Returns the Pods of a Job, in the order in which they were made. */
export async function podsOfRun(
  client: KubeClient,
  { namespace, name }: { readonly namespace: string | undefined; readonly name: string },
): Promise<Pod[]> {
  const { items } = await client.list(PODS, { namespace, labelSelector: `${JOB_NAME_LABEL}=${name}` });
  return items.sort((a, b) => createdAt(a) - createdAt(b));
}

function createdAt({ metadata }: Pod): EpochMs {
  return parseTime(metadata.creationTimestamp) ?? 0;
}

/** Returns whether a run has ended: its Job says so, or is gone. */
export function isOver(job: DeepReadonly<Job> | undefined): boolean {
  if (job === undefined) return true;
  return job.status?.conditions?.some(({ type, status }) =>
    (type === "Complete" || type === "Failed") && status === "True"
  ) ?? false;
}
