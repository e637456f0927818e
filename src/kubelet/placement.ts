import { ApiError } from "../kube/api_error.ts";
import type { KubeClient } from "../kube/client.ts";
import { type Pod, PODS } from "../kube/resource.ts";
import { type EpochMs, formatTime } from "../schedule/epoch_ms.ts";

const DEFAULT_SCHEDULER = "default-scheduler";

/** Returns what in a Pod keeps this node from ever taking it, with the remedy. Undefined where nothing does. */
export function misplacementOf({ spec }: Pod, node: string): string | undefined {
  const { nodeName, schedulerName = DEFAULT_SCHEDULER } = spec!;
  if (nodeName) {
    return nodeName === node
      ? undefined
      : `spec.nodeName "${nodeName}" is not this node, "${node}": leave the field out`;
  }
  if (schedulerName === DEFAULT_SCHEDULER) return undefined;
  return `spec.schedulerName "${schedulerName}" is not here: leave the field out`;
}

/** Returns whether a Pod is not to be taken yet. */
export function isGated({ spec }: Pod): boolean {
  return ((spec as { readonly schedulingGates?: readonly unknown[] }).schedulingGates ?? []).length > 0;
}

interface Placement {
  /** Makes the Pod that node's. Absent: it waits. */
  readonly nodeName?: string;
  /** Why it waits. */
  readonly message?: string;
  readonly now: EpochMs;
  readonly signal?: AbortSignal;
}

/**
 * Writes which node has a Pod, or why none has it yet. The server takes `spec.nodeName` along with the status, once.
 *
 * @returns false if the Pod is gone, or is not this version of it any more
 */
export async function writePlacement(client: KubeClient, pod: Pod, placement: Placement): Promise<boolean> {
  const { nodeName, message = null, now, signal } = placement;
  const { name, namespace, uid, resourceVersion } = pod.metadata;
  const condition = {
    type: "PodScheduled",
    ...nodeName ? { status: "True", reason: null } : { status: "False", reason: "Unschedulable" },
    message,
    lastProbeTime: null,
    lastTransitionTime: formatTime(now),
  };
  const body = { metadata: { uid, resourceVersion }, spec: { nodeName }, status: { conditions: [condition] } };
  const options = { subresource: "status", lane: "run", signal } as const;
  try {
    await client.patch(PODS, { name, namespace }, { type: "strategic", body }, options);
    return true;
  } catch (error) {
    if (error instanceof ApiError && (error.isNotFound || error.isConflict)) return false;
    throw error;
  }
}

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
