import { ApiError } from "../kube/api_error.ts";
import type { KubeClient } from "../kube/client.ts";
import { pathOf, type Pod, PODS } from "../kube/resource.ts";
import type { Clock } from "../runtime/clock.ts";
import { formatTime } from "../schedule/epoch_ms.ts";
import { loggerFor } from "../telemetry/logging.ts";

const logger = loggerFor("kubelet");

export interface SchedulerOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly nodeName: string;
  readonly event: (pod: Pod, type: "Warning", reason: string, message: string) => void;
}

/** Does the part of Kubernetes' scheduler in a cluster of one node. */
export class Scheduler {
  readonly #options: SchedulerOptions;
  /** Whether the server binds Pods to nodes; unknown until tried. */
  #binds = true;
  /** What was said of each Pod that waits, by its uid. */
  readonly #told = new Map<string, string>();

  constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  /**
   * Puts the node's name into the Pod, if the server knows how.
   *
   * @returns false if the Pod is gone or another scheduler's
   */
  async bind(pod: Pod, signal: AbortSignal): Promise<boolean> {
    const { client, nodeName } = this.#options;
    if (pod.spec?.nodeName) return pod.spec.nodeName === nodeName;
    if (!this.#binds) return true;
    const { name, namespace, uid } = pod.metadata;
    const binding = {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name, namespace, uid },
      target: { apiVersion: "v1", kind: "Node", name: nodeName },
    };
    try {
      const response = await client.raw(pathOf(PODS, pod.metadata, "binding"), {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(binding),
        lane: "run",
        signal,
      });
      await response.body?.cancel();
      return true;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const unknown = error.code === 405 || (error.isNotFound && error.status?.details?.name !== name);
      if (unknown) {
        this.#binds = false;
        return true;
      }
      if (error.isNotFound || error.isConflict) return false;
      throw error;
    }
  }

  /** Says by an Event, and in the Pod's status, what it waits for; once as long as that is the same. */
  tellObstacle(pod: Pod, obstacle: string): void {
    const { event } = this.#options;
    const { uid } = pod.metadata;
    const message = `0/1 nodes are available: 1 ${obstacle}`;
    if (this.#told.get(uid) === message) return;
    this.#told.set(uid, message);
    event(pod, "Warning", "FailedScheduling", message);
    if (!pod.spec?.nodeName) void this.#writeCondition(pod, message);
  }

  /** It waits no longer, or is gone. */
  forget(uid: string): void {
    this.#told.delete(uid);
  }

  async #writeCondition(pod: Pod, message: string): Promise<void> {
    const { client, clock } = this.#options;
    const { name, namespace, uid, resourceVersion } = pod.metadata;
    const condition = {
      type: "PodScheduled",
      status: "False",
      reason: "Unschedulable",
      message,
      lastProbeTime: null,
      lastTransitionTime: formatTime(clock.now()),
    };
    // By the version, so that it never says so of a Pod that has been bound meanwhile.
    const body = { metadata: { uid, resourceVersion }, status: { conditions: [condition] } };
    try {
      await client.patch(PODS, { name, namespace }, { type: "strategic", body }, { subresource: "status" });
    } catch (error) {
      if (error instanceof ApiError && (error.isNotFound || error.isConflict)) return;
      logger.warn("Cannot say why pod {key} waits: {error}", { key: `${namespace}/${name}`, error });
    }
  }
}
