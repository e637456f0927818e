import type { ObjectKey } from "../kube/object.ts";
import type { EpochMs } from "../base/epoch_ms.ts";

/** The work of this process: to watch only; to start runs that are due, as far as no Job can hold them back; or all of it. */
export type Stage = "watching" | "starting" | "reconciling";

/**
 * How far this process has come in taking over from another leader. Until all CronJobs are reconciled, it also knows when each
 * of them will have to be.
 *
 * ```
 * watching --(CronJobs listed anew)--> starting --(Jobs listed anew)--> reconciling
 * ```
 */
export class TakeOverStage {
  #stage: Stage = "watching";
  #foreseen = new Map<ObjectKey, EpochMs>();
  readonly #begun = Promise.withResolvers<void>();

  get current(): Stage {
    return this.#stage;
  }

  /** Resolves when this process may write. */
  ready(): Promise<void> {
    return this.#begun.promise;
  }

  /** Notes when a CronJob will have to be reconciled; undefined for never. */
  foresee(key: ObjectKey, at: EpochMs | undefined): void {
    if (at === undefined) this.#foreseen.delete(key);
    else this.#foreseen.set(key, at);
  }

  /** Returns when each CronJob will have to be reconciled. */
  beginStarting(): ReadonlyMap<ObjectKey, EpochMs> {
    this.#stage = "starting";
    this.#begun.resolve();
    return this.#foreseen;
  }

  /** Returns the same for the last time: from now on the work queue knows it. */
  beginReconciling(): ReadonlyMap<ObjectKey, EpochMs> {
    this.#stage = "reconciling";
    this.#begun.resolve();
    const foreseen = this.#foreseen;
    this.#foreseen = new Map();
    return foreseen;
  }
}
