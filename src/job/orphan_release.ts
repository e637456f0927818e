import { ignoreNotFound } from "../kube/api_error.ts";
import type { KubeClient } from "../kube/client.ts";
import { controllerOf, type DeepReadonly } from "../kube/object.ts";
import { JOBS, type Pod, PODS } from "../kube/resource.ts";
import { untrackingPatch } from "./decision/claim.ts";

/**
 * Takes the tracking finalizer from a Pod that no Job counts any more, so that it can be deleted. The server is asked first:
 * a cache of Jobs that is behind the one of Pods must not cost a Pod its count.
 */
export async function releaseOrphan(
  pod: DeepReadonly<Pod>,
  { client, signal }: { client: KubeClient; signal: AbortSignal },
): Promise<void> {
  const patch = untrackingPatch(pod);
  if (!patch) return;
  const { name, namespace } = pod.metadata;
  const owner = controllerOf(pod);
  const job = owner && await client.get(JOBS, { name: owner.name, namespace }, { signal }).catch(ignoreNotFound);
  if (job && job.metadata.uid === owner.uid) return;
  await client.patch(PODS, { name, namespace }, patch, { lane: "housekeeping", signal }).catch(ignoreNotFound);
}
