import { ApiError } from "../kube/api_error.ts";
import type { KubeClient } from "../kube/client.ts";
import { type Pod, PODS } from "../kube/resource.ts";

/** Has the API server let go of a Pod that is to be deleted, as nothing of it runs any more. */
export async function finishDeletion(pod: Pod, client: KubeClient, signal: AbortSignal): Promise<void> {
  const { name, namespace, uid } = pod.metadata;
  const options = { gracePeriodSeconds: 0, preconditions: { uid }, lane: "status", signal } as const;
  try {
    await client.delete(PODS, { name, namespace }, options);
  } catch (error) {
    if (!(error instanceof ApiError && (error.isNotFound || error.isConflict))) throw error;
  }
}
