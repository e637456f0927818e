import type { NodeCondition } from "kubernetes-types/core/v1";
import { ApiError } from "../kube/api_error.ts";
import type { KubeClient } from "../kube/client.ts";
import { NODES } from "../kube/resource.ts";
import type { Clock } from "../runtime/clock.ts";
import { type EpochMs, formatTime } from "../schedule/epoch_ms.ts";
import { loggerFor } from "../telemetry/logging.ts";
import { LOCAL_ADDRESS } from "./inputs/env.ts";

const logger = loggerFor("kubelet");

/** As often as Kubernetes' kubelet reports a node of which nothing changed. */
const REPORT_MS = 5 * 60_000;

const RETRY_MS = 10_000;

const ARCHITECTURES: Readonly<Record<string, string>> = { x86_64: "amd64", aarch64: "arm64" };

export interface NodeOptions {
  client: KubeClient;
  clock: Clock;
  name: string;
  maxPods: number;
  version: string;
}

/** Keeps the Node object that stands for this machine: made at the start, reported now and then, not ready at the end. */
export class NodeRegistration {
  readonly #options: NodeOptions;
  #since: EpochMs | undefined;

  constructor(options: NodeOptions) {
    this.#options = options;
  }

  /** Until `signal` is aborted. Trouble is logged and tried again: Pods run without a Node, too. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, name } = this.#options;
    while (!signal.aborted) {
      let delayMs = REPORT_MS;
      try {
        await this.#report(true);
      } catch (error) {
        logger.warn("Cannot report node {node}, trying again: {error}", { node: name, error });
        delayMs = RETRY_MS;
      }
      await clock.sleep(delayMs, signal).catch(() => {});
    }
  }

  /** Says that nothing runs here any more. */
  async leave(): Promise<void> {
    await this.#report(false);
  }

  async #report(ready: boolean): Promise<void> {
    const { client, name } = this.#options;
    const { metadata, status } = this.#node(ready);
    const patch = { type: "strategic", body: { status } } as const;
    try {
      await client.patch(NODES, { name }, patch, { subresource: "status", lane: "housekeeping" });
    } catch (error) {
      if (!(error instanceof ApiError && error.isNotFound) || !ready) throw error;
      await client.create(NODES, { apiVersion: "v1", kind: "Node", metadata, spec: {} });
      await client.patch(NODES, { name }, patch, { subresource: "status", lane: "housekeeping" });
    }
  }

  #node(ready: boolean) {
    const { clock, name, maxPods, version } = this.#options;
    const now = clock.now();
    if (ready) this.#since ??= now;
    const architecture = ARCHITECTURES[Deno.build.arch] ?? Deno.build.arch;
    const os = Deno.build.os;
    const amounts = {
      cpu: String(navigator.hardwareConcurrency),
      memory: `${Math.floor(Deno.systemMemoryInfo().total / 1024)}Ki`,
      pods: String(maxPods),
    };
    const readyCondition = ready
      ? { status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" }
      : { status: "False", reason: "KubeletNotReady", message: "node is shutting down" };
    const condition = (type: string, about: { status: string; reason: string; message: string }): NodeCondition => ({
      type,
      ...about,
      lastHeartbeatTime: formatTime(now),
      lastTransitionTime: formatTime(ready ? this.#since! : now),
    });
    const labels = { "kubernetes.io/hostname": name, "kubernetes.io/os": os, "kubernetes.io/arch": architecture };
    return {
      metadata: { name, labels },
      status: {
        capacity: amounts,
        allocatable: amounts,
        addresses: [{ type: "InternalIP", address: LOCAL_ADDRESS }, { type: "Hostname", address: name }],
        conditions: [condition("Ready", readyCondition)],
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
}

/** Returns a name that Kubernetes takes for this machine's Node: its host name in lower case. */
export function defaultNodeName(): string {
  const name = Deno.hostname().toLowerCase().replaceAll(/[^a-z0-9.-]/g, "-").replaceAll(/^[.-]+|[.-]+$/g, "");
  return name || "localhost";
}
