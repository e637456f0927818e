import { ApiError } from "../kube/api_error.ts";
import type { KubeClient } from "../kube/client.ts";
import { controllerOf, type DeepReadonly, type OwnerReference } from "../kube/object.ts";
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
  if (owner && await exists(owner)) return;
  try {
    await client.patch(PODS, { name, namespace }, patch, { lane: "housekeeping", signal });
  } catch (error) {
    if (!(error instanceof ApiError && error.isNotFound)) throw error;
  }

  async function exists({ name, uid }: DeepReadonly<OwnerReference>): Promise<boolean> {
    try {
      return (await client.get(JOBS, { name, namespace }, { signal })).metadata.uid === uid;
    } catch (error) {
      if (error instanceof ApiError && error.isNotFound) return false;
      throw error;
    }
  }
}
