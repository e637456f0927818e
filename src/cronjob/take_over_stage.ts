import type { ObjectKey } from "../kube/object.ts";
import type { EpochMs } from "../base/epoch_ms.ts";

/** The work of this process: to watch only; to start runs that are due and can wait for nothing; or all of it. */
export type Stage = "watching" | "starting" | "reconciling";

/**
 * How far this process has come in taking over from another leader, and when each CronJob will have to be reconciled, as
 * long as not all of them are.
 *
 * ```
 * watching --(CronJobs listed anew)--> starting --(Jobs listed anew)--> reconciling
 * ```
 */
export class TakeOverStage {
  #stage: Stage = "watching";
  readonly #foreseen = new Map<ObjectKey, EpochMs>();
  readonly #begun = Promise.withResolvers<void>();

  get current(): Stage {
    return this.#stage;
  }

  /** Resolves when this process may write. */
  ready(): Promise<void> {
    return this.#begun.promise;
  }

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

  /** Returns the same, which from now on the work queue knows. */
  beginReconciling(): ReadonlyMap<ObjectKey, EpochMs> {
    this.#stage = "reconciling";
    this.#begun.resolve();
    const foreseen = new Map(this.#foreseen);
    this.#foreseen.clear();
    return foreseen;
  }
}
