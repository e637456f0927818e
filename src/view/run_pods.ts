import type { KubeClient, ListOptions } from "../kube/client.ts";
import type { Child } from "../cronjob/api/job.ts";
import type { PodEnd } from "../cronjob/api/types.ts";
import { controllerOf, type DeepReadonly } from "../kube/object.ts";
import { type Job, type Pod, PODS } from "../kube/resource.ts";
import { type EpochMs, parseTime } from "../base/epoch_ms.ts";
import { readPod } from "./pod_facts.ts";

/** Of a Pod of a Job: the Job's name. Before Kubernetes 1.27 Pods have no other label of it. */
export const JOB_NAME_LABEL = "job-name";

/** Returns the Pods of a Job, in the order in which they were made. */
export async function podsOfRun(
  client: KubeClient,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name: string },
  options: Pick<ListOptions, "signal" | "onLeave"> = {},
): Promise<Pod[]> {
  const { items } = await client.list(PODS, { ...options, namespace, labelSelector: `${JOB_NAME_LABEL}=${name}` });
  return items.sort((a, b) => createdAt(a) - createdAt(b));
}

function createdAt({ metadata }: Pod): EpochMs {
  return parseTime(metadata.creationTimestamp) ?? 0;
}

/**
 * Returns how the Pods of a finished Job ended, by the last that failed, or succeeded as the Job did; undefined while one of them
 * has not ended.
 */
export async function endOfRun(
  client: KubeClient,
  { metadata, state }: Pick<Child, "metadata" | "state">,
  options?: Pick<ListOptions, "signal" | "onLeave">,
): Promise<PodEnd | undefined> {
  const pods = (await podsOfRun(client, metadata, options)).filter((pod) => controllerOf(pod)?.uid === metadata.uid);
  if (!pods.every(({ status }) => status?.phase === "Failed" || status?.phase === "Succeeded")) return undefined;
  const ends = pods.flatMap((pod) => readPod(pod)[state === "succeeded" ? "success" : "failure"] ?? []);
  const { container, exitCode, reason, message } = ends.at(-1) ?? {};
  const end = { container, exitCode, reason, message };
  return Object.fromEntries(Object.entries(end).filter(([, value]) => value !== undefined));
}

/** Returns whether a run has ended: its Job says so, or is gone. */
export function isOver(job: DeepReadonly<Job> | undefined): boolean {
  if (job === undefined) return true;
  return job.status?.conditions?.some(({ type, status }) =>
    (type === "Complete" || type === "Failed") && status === "True"
  ) ?? false;
}
