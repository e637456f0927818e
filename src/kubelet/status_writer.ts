import type { PodStatus } from "kubernetes-types/core/v1";
import { ApiError } from "../kube/api_error.ts";
import type { KubeClient } from "../kube/client.ts";
import { keyOf } from "../kube/object.ts";
import { type Pod, PODS } from "../kube/resource.ts";
import type { Clock } from "../base/clock.ts";
import { loggerFor } from "../telemetry/logging.ts";
import { persist } from "./persist.ts";

const logger = loggerFor("kubelet");

/** A status that another may soon follow waits this long for it: a Pod of a moment's work costs one write. */
const SETTLE_MS = 100;

/** Writes one Pod's status: the newest, one write at a time, none that changes nothing; failures are tried again. */
export class StatusWriter {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #pod: Pod;
  #written: string | undefined;
  /** The status that was last asked for. */
  last: PodStatus | undefined;
  /** The status to write; undefined once it was written or refused. */
  #wanted: PodStatus | undefined;
  #timer: Disposable | undefined;
  #work: Promise<void> | undefined;
  readonly #stop = new AbortController();

  constructor(pod: Pod, { client, clock }: { readonly client: KubeClient; readonly clock: Clock }) {
    this.#pod = pod;
    this.#client = client;
    this.#clock = clock;
  }

  /** Has a status written. @param urgent whether to write at once, as no other will soon follow */
  want(status: PodStatus, urgent: boolean): void {
    this.last = status;
    this.#wanted = status;
    if (urgent) this.#begin();
    else this.#timer ??= this.#clock.schedule(this.#clock.now() + SETTLE_MS, () => this.#begin());
  }

  /** Resolves once what is wanted is written or refused, or can't be written as the Pod is gone. */
  async flush(): Promise<void> {
    this.#begin();
    while (this.#work) await this.#work;
  }

  /** Ends all writes, as the Pod is gone. */
  close(): void {
    this.#timer?.[Symbol.dispose]();
    this.#stop.abort();
  }

  #begin(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    const options = { clock: this.#clock, signal: this.#stop.signal };
    if (!this.#wanted || options.signal.aborted) return;
    this.#work ??= persist(`write the status of pod ${keyOf(this.#pod)}`, () => this.#writeNewest(), options)
      .finally(() => {
        this.#work = undefined;
        // Another status may have been asked for since the last look.
        this.#begin();
      });
  }

  async #writeNewest(): Promise<void> {
    while (this.#wanted) {
      const status = this.#wanted;
      const text = JSON.stringify(status);
      if (text !== this.#written && await this.#write(status)) this.#written = text;
      if (this.#wanted === status) this.#wanted = undefined;
    }
  }

  /** @returns false if it was refused: it may be asked for again */
  async #write(status: PodStatus): Promise<boolean> {
    const { name, namespace, uid } = this.#pod.metadata;
    // By the uid the server refuses the patch for a later Pod of the same name.
    const patch = { type: "strategic", body: { metadata: { uid }, status } } as const;
    try {
      await this.#client.patch(PODS, { name, namespace }, patch, { subresource: "status", signal: this.#stop.signal });
      return true;
    } catch (error) {
      if (!(error instanceof ApiError) || error.isInDoubt || error.isTooManyRequests) throw error;
      if (!error.isNotFound && !error.isConflict) {
        logger.error("The status of pod {key} was refused: {error}", { key: keyOf(this.#pod), error });
      }
      return false;
    }
  }
}
