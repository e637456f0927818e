import { ApiError } from "../kube/api_error.ts";
import type { KubeClient } from "../kube/client.ts";
import { NODES, type Pod, PODS } from "../kube/resource.ts";
import type { Clock } from "../base/clock.ts";
import { type EpochMs, formatTime } from "../base/epoch_ms.ts";
import { LOCAL_ADDRESS } from "./inputs/env.ts";
import { persist } from "./persist.ts";

/** The release of Kubernetes whose kubelet this one takes after. */
const KUBELET_VERSION = "v1.36.0";

export interface NodeOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly name: string;
}

/** Makes the Node object that stands for this machine, for clients that look for one. Trouble is logged and tried again. */
export async function registerNode(options: NodeOptions, signal: AbortSignal): Promise<void> {
  const { client, clock, name } = options;
  const { metadata, status } = nodeOf(options);
  const patch = { type: "strategic", body: { status } } as const;
  const write = () => client.patch(NODES, { name }, patch, { subresource: "status", lane: "housekeeping" });
  const report = async () => {
    if (await isDone(write())) return;
    await client.create(NODES, { apiVersion: "v1", kind: "Node", metadata, spec: {} });
    await write();
  };
  await persist(`report node ${name}`, report, { clock, signal });
}

function nodeOf({ clock, name }: NodeOptions) {
  const now = formatTime(clock.now());
  const ready = { type: "Ready", status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" };
  return {
    metadata: { name, labels: { "kubernetes.io/hostname": name } },
    status: {
      allocatable: { cpu: String(navigator.hardwareConcurrency) },
      addresses: [{ type: "InternalIP", address: LOCAL_ADDRESS }, { type: "Hostname", address: name }],
      conditions: [{ ...ready, lastHeartbeatTime: now, lastTransitionTime: now }],
      nodeInfo: { kubeletVersion: KUBELET_VERSION },
    },
  };
}

/** Returns a name that Kubernetes takes for this machine's Node: its host name in lower case. */
export function defaultNodeName(): string {
  const name = Deno.hostname().toLowerCase().replaceAll(/[^a-z0-9.-]/g, "-").replaceAll(/^[.-]+|[.-]+$/g, "");
  return name || "localhost";
}

const DEFAULT_SCHEDULER = "default-scheduler";

/** Returns what in a Pod keeps this node from ever taking it, with the remedy. Undefined where nothing does. */
export function misplacementOf({ spec }: Pod, node: string): string | undefined {
  const { nodeName, schedulerName = DEFAULT_SCHEDULER } = spec!;
  if (nodeName && nodeName !== node) {
    return `spec.nodeName "${nodeName}" is not this node, "${node}": leave the field out`;
  }
  if (nodeName || schedulerName === DEFAULT_SCHEDULER) return undefined;
  return `spec.schedulerName "${schedulerName}" is not here: leave the field out`;
}

/** Returns whether a scheduling gate keeps a Pod from being taken yet. */
export function isGated({ spec }: Pod): boolean {
  return ((spec as { readonly schedulingGates?: readonly unknown[] }).schedulingGates ?? []).length > 0;
}

type Placement = Readonly<{ nodeName?: string; message?: string; now: EpochMs; signal?: AbortSignal }>;

/**
 * Writes which node has a Pod, or why none has it yet: the message. The server takes `spec.nodeName` along with the status,
 * once.
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
  return await isDone(client.patch(PODS, { name, namespace }, { type: "strategic", body }, options));
}

/** Has the API server let go of a Pod that is to be deleted, as nothing of it runs any more. */
export async function finishDeletion(pod: Pod, client: KubeClient, signal: AbortSignal): Promise<void> {
  const { name, namespace, uid } = pod.metadata;
  const options = { gracePeriodSeconds: 0, preconditions: { uid }, lane: "status", signal } as const;
  await isDone(client.delete(PODS, { name, namespace }, options));
}

/** Resolves to false where the object of a request is gone, or is another one or another version by now. */
async function isDone(request: Promise<unknown>): Promise<boolean> {
  try {
    await request;
    return true;
  } catch (error) {
    if (error instanceof ApiError && (error.isNotFound || error.isConflict)) return false;
    throw error;
  }
}
