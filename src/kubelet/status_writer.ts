import type { PodStatus } from "kubernetes-types/core/v1";
import { ApiError } from "../kube/api_error.ts";
import type { KubeClient } from "../kube/client.ts";
import { type Pod, PODS } from "../kube/resource.ts";
import { retryAfterMsOf } from "../kube/retry.ts";
import type { Clock } from "../base/clock.ts";
import { loggerFor } from "../telemetry/logging.ts";

const logger = loggerFor("kubelet");

/** A status that another may soon follow waits this long for it: a Pod of a moment's work costs one write. */
const SETTLE_MS = 100;

const RETRY = { firstMs: 500, maxMs: 30_000 };

/** Writes one Pod's status: the newest, one write at a time, none that changes nothing; failures are tried again. */
export class StatusWriter {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #pod: Pod;
  #wanted: PodStatus | undefined;
  #written = "";
  #last: PodStatus | undefined;
  #timer: Disposable | undefined;
  #work: Promise<void> | undefined;
  readonly #stop = new AbortController();

  constructor(pod: Pod, options: { client: KubeClient; clock: Clock }) {
    this.#pod = pod;
    this.#client = options.client;
    this.#clock = options.clock;
  }

  /** What was last asked for. */
  get last(): PodStatus | undefined {
    return this.#last;
  }

  /** @param urgent nothing will follow soon: don't wait */
  want(status: PodStatus, urgent: boolean): void {
    this.#last = status;
    this.#wanted = status;
    if (urgent) this.#begin();
    else this.#timer ??= this.#clock.schedule(this.#clock.now() + SETTLE_MS, () => this.#begin());
  }

  /** Resolves once what is wanted is written, or can't be as the Pod is gone. */
  async flush(): Promise<void> {
    if (this.#wanted) this.#begin();
    await this.#work;
  }

  /** The Pod is gone: nothing is written any more. */
  close(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#wanted = undefined;
    this.#stop.abort();
  }

  #begin(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#work ??= this.#run().finally(() => this.#work = undefined);
  }

  async #run(): Promise<void> {
    const { name, namespace, uid } = this.#pod.metadata;
    const { signal } = this.#stop;
    for (let delayMs = RETRY.firstMs; this.#wanted && !signal.aborted;) {
      const status = this.#wanted;
      const text = JSON.stringify(status);
      if (text !== this.#written) {
        try {
          // The uid makes sure that a successor of the same name isn't meant.
          const patch = { type: "strategic", body: { metadata: { uid }, status } } as const;
          await this.#client.patch(PODS, { name, namespace }, patch, { subresource: "status", signal });
          this.#written = text;
        } catch (error) {
          if (signal.aborted) return;
          const refused = error instanceof ApiError && !error.isInDoubt && !error.isTooManyRequests;
          if (!refused) {
            logger.warn("Cannot write the status of pod {key}, trying again: {error}", {
              key: `${namespace}/${name}`,
              error,
            });
            await this.#clock.sleep(Math.max(delayMs, retryAfterMsOf(error)), signal).catch(() => {});
            delayMs = Math.min(2 * delayMs, RETRY.maxMs);
            continue;
          }
          if (!error.isNotFound && !error.isConflict) {
            logger.error("The status of pod {key} was refused: {error}", {
              key: `${namespace}/${name}`,
              error,
            });
          }
        }
      }
      if (this.#wanted === status) this.#wanted = undefined;
    }
  }
}
