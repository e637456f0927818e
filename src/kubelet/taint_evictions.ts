import type { Taint } from "kubernetes-types/core/v1";
import { ApiError } from "../kube/api_error.ts";
import type { KubeClient } from "../kube/client.ts";
import { type Node, type Pod, PODS } from "../kube/resource.ts";
import type { Clock } from "../runtime/clock.ts";
import { type EpochMs, formatTime } from "../schedule/epoch_ms.ts";
import { loggerFor } from "../telemetry/logging.ts";
import { toleratedMs } from "./taints.ts";

const logger = loggerFor("kubelet");

export interface TaintEvictionOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly event: (pod: Pod, type: "Normal", reason: string, message: string) => void;
}

const RETRY_MS = 5_000;

/**
 * Deletes the Pods that do not tolerate a `NoExecute` taint of their node, as Kubernetes' taint-eviction-controller does.
 * How long a taint has been there is counted from when this process first saw it.
 */
export class TaintEvictions {
  readonly #options: TaintEvictionOptions;
  /** By the taint's text. */
  #taints = new Map<string, { readonly taint: Taint; readonly since: EpochMs }>();
  readonly #pending = new Map<string, Disposable>();
  #isClosed = false;

  constructor(options: TaintEvictionOptions) {
    this.#options = options;
  }

  /** @param pods all that the node has */
  nodeChanged(node: Node | undefined, pods: Iterable<Pod>): void {
    const now = this.#options.clock.now();
    const taints = (node?.spec?.taints ?? []).filter(({ effect }) => effect === "NoExecute");
    const hadSome = this.#taints.size > 0;
    this.#taints = new Map(taints.map((taint) => {
      const text = JSON.stringify(taint);
      return [text, this.#taints.get(text) ?? { taint, since: now }];
    }));
    if (hadSome || taints.length > 0) { for (const pod of pods) this.podChanged(pod); }
  }

  podChanged(pod: Pod): void {
    this.forget(pod.metadata.uid);
    if (this.#taints.size === 0 || pod.metadata.deletionTimestamp !== undefined) return;
    const at = Math.min(...[...this.#taints.values()].map(({ taint, since }) => since + toleratedMs(pod, taint)));
    if (at < Infinity) this.#evictAt(at, pod);
  }

  forget(uid: string): void {
    this.#pending.get(uid)?.[Symbol.dispose]();
    this.#pending.delete(uid);
  }

  /** Evicts nothing from now on, whatever changes or failed. */
  close(): void {
    this.#isClosed = true;
    for (const uid of [...this.#pending.keys()]) this.forget(uid);
  }

  #evictAt(at: EpochMs, pod: Pod): void {
    if (this.#isClosed) return;
    this.#pending.set(pod.metadata.uid, this.#options.clock.schedule(at, () => void this.#evict(pod)));
  }

  async #evict(pod: Pod): Promise<void> {
    const { client, clock, event } = this.#options;
    const { name, namespace, uid } = pod.metadata;
    this.#pending.delete(uid);
    event(pod, "Normal", "TaintManagerEviction", `Marking for deletion Pod ${namespace}/${name}`);
    try {
      const patch = {
        type: "strategic",
        body: { metadata: { uid }, status: { conditions: [disrupted(clock.now())] } },
      };
      await client.patch(PODS, { name, namespace }, patch as { type: "strategic"; body: object }, {
        subresource: "status",
      });
      await client.delete(PODS, { name, namespace }, { preconditions: { uid } });
    } catch (error) {
      if (error instanceof ApiError && (error.isNotFound || error.isConflict)) return;
      logger.warn("Cannot evict pod {key}, trying again: {error}", { key: `${namespace}/${name}`, error });
      this.#evictAt(clock.now() + RETRY_MS, pod);
    }
  }
}

function disrupted(now: EpochMs) {
  return {
    type: "DisruptionTarget",
    status: "True",
    reason: "DeletionByTaintManager",
    message: "Taint manager: deleting due to NoExecute taint",
    lastProbeTime: null,
    lastTransitionTime: formatTime(now),
  };
}
