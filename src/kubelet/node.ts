import type { NodeCondition } from "kubernetes-types/core/v1";
import { ApiError } from "../kube/api_error.ts";
import type { KubeClient } from "../kube/client.ts";
import { NODES } from "../kube/resource.ts";
import type { Clock } from "../runtime/clock.ts";
import { formatTime } from "../schedule/epoch_ms.ts";
import { loggerFor } from "../telemetry/logging.ts";
import { LOCAL_ADDRESS } from "./inputs/env.ts";

const logger = loggerFor("kubelet");

const RETRY_MS = 10_000;

const ARCHITECTURES: Readonly<Record<string, string>> = { x86_64: "amd64", aarch64: "arm64" };

export interface NodeOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly name: string;
  readonly maxPods: number;
  readonly version: string;
}

/** Makes the Node object that stands for this machine, for clients that look for one. Trouble is logged and tried again. */
export async function registerNode(options: NodeOptions, signal: AbortSignal): Promise<void> {
  const { clock, name } = options;
  while (!signal.aborted) {
    try {
      return await reportNode(options, READY);
    } catch (error) {
      logger.warn("Cannot report node {node}, trying again: {error}", { node: name, error });
      await clock.sleep(RETRY_MS, signal).catch(() => {});
    }
  }
}

/** Says in the Node that nothing runs here any more. */
export async function leaveNode(options: NodeOptions): Promise<void> {
  await reportNode(options, LEFT);
}

type Readiness = Pick<NodeCondition, "status" | "reason" | "message">;

const READY: Readiness = { status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" };
const LEFT: Readiness = { status: "False", reason: "KubeletNotReady", message: "node is shutting down" };

async function reportNode(options: NodeOptions, readiness: Readiness): Promise<void> {
  const { client, name } = options;
  const { metadata, status } = nodeOf(options, readiness);
  const patch = { type: "strategic", body: { status } } as const;
  const write = () => client.patch(NODES, { name }, patch, { subresource: "status", lane: "housekeeping" });
  try {
    await write();
  } catch (error) {
    if (!(error instanceof ApiError && error.isNotFound) || readiness === LEFT) throw error;
    await client.create(NODES, { apiVersion: "v1", kind: "Node", metadata, spec: {} });
    await write();
  }
}

function nodeOf({ clock, name, maxPods, version }: NodeOptions, readiness: Readiness) {
  const now = formatTime(clock.now());
  const architecture = ARCHITECTURES[Deno.build.arch] ?? Deno.build.arch;
  const os = Deno.build.os;
  const amounts = {
    cpu: String(navigator.hardwareConcurrency),
    memory: `${Math.floor(Deno.systemMemoryInfo().total / 1024)}Ki`,
    pods: String(maxPods),
  };
  const ready: NodeCondition = { type: "Ready", ...readiness, lastHeartbeatTime: now, lastTransitionTime: now };
  return {
    metadata: {
      name,
      labels: { "kubernetes.io/hostname": name, "kubernetes.io/os": os, "kubernetes.io/arch": architecture },
    },
    status: {
      capacity: amounts,
      allocatable: amounts,
      addresses: [{ type: "InternalIP", address: LOCAL_ADDRESS }, { type: "Hostname", address: name }],
      conditions: [ready],
      nodeInfo: {
        kubeletVersion: version,
        kubeProxyVersion: "",
        containerRuntimeVersion: `process://${version.replace(/^v/, "")}`,
        osImage: os,
        operatingSystem: os,
        architecture,
        kernelVersion: Deno.osRelease(),
        machineID: "",
        systemUUID: "",
        bootID: "",
      },
    },
  };
}

/** Returns a name that Kubernetes takes for this machine's Node: its host name in lower case. */
export function defaultNodeName(): string {
  const name = Deno.hostname().toLowerCase().replaceAll(/[^a-z0-9.-]/g, "-").replaceAll(/^[.-]+|[.-]+$/g, "");
  return name || "localhost";
}
