import { ignoreNotFound } from "../kube/api_error.ts";
import type { KubeClient } from "../kube/client.ts";
import { keyOf, makeKey, type ObjectKey } from "../kube/object.ts";
import { JOBS } from "../kube/resource.ts";
import type { Clock } from "../base/clock.ts";
import { Controller } from "../runtime/controller.ts";
import type { Runnable } from "../runtime/runnable.ts";
import type { Change } from "../runtime/store.ts";
import type { CronJob } from "./api/cron_job.ts";
import { type Child, isOnlyHeld } from "./api/job.ts";
import { freeingPatch, holdsName } from "./api/name_hold.ts";
import type { ChildCache } from "./child_cache.ts";
import type { CronJobController } from "./controller.ts";
import { holdMsLeft } from "./decision/name_hold.ts";

export interface NameKeeperOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** Followed by the controllers. */
  readonly jobs: ChildCache;
  /** The controllers that there are now: an API may come and go. */
  readonly controllers: readonly CronJobController[];
  /** As `holdMsOf` returns it. */
  readonly holdMs: number;
  /** How long work under way may go on after the end was asked for. @default {5_000} */
  readonly drainMs?: number;
}

/** Until it is asked again whether the API of a Job is served. */
const LATER_MS = 60_000;

/**
 * Takes the finalizer of `neverTwice` from Jobs, once it may go. It does so whatever the CronJob says by now, and also for
 * Jobs whose CronJob or owner reference is gone.
 *
 * Jobs of an API that this process does not run are left to the process that does.
 */
export class NameKeeper implements Runnable {
  readonly name = "name keeper";
  readonly #options: NameKeeperOptions;
  /** Since when this process knows of a Job with the finalizer, on the monotonic clock; by UID. */
  readonly #since = new Map<string, number>();
  readonly #controller: Controller;

  constructor(options: NameKeeperOptions) {
    this.#options = options;
    const { clock, controllers, drainMs } = options;
    this.#controller = new Controller({
      name: "never_twice",
      clock,
      drainMs,
      waitFor: controllers.map((controller) => ({ ready: () => controller.takenOver() })),
      reconcile: (key, signal) => this.#reconcile(key, signal),
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    using _changes = this.#options.jobs.onChange((change) => this.#jobChanged(change));
    await this.#controller.run(signal);
  }

  #jobChanged({ type, object, previous }: Change<Child>): void {
    const { uid, deletionTimestamp } = object.metadata;
    if (type === "deleted" || !holdsName(object.metadata)) return void this.#since.delete(uid);
    const isKnown = this.#since.has(uid);
    if (!isKnown) this.#since.set(uid, this.#options.clock.monotonic());
    if (!isKnown || deletionTimestamp !== previous?.metadata.deletionTimestamp) this.#controller.enqueue(keyOf(object));
  }

  async #reconcile(key: ObjectKey, signal: AbortSignal): Promise<void> {
    const child = this.#options.jobs.store.get(key);
    const since = child && this.#since.get(child.metadata.uid);
    if (since === undefined || this.#isOfOthers(child!)) return;
    if (child!.owner && !this.#controllerOf(child!)?.cronJobs.synced) {
      return this.#controller.enqueueAfter(key, LATER_MS);
    }
    const { clock, holdMs } = this.#options;
    const heldMs = clock.monotonic() - since;
    const leftMs = holdMsLeft(child!, this.#cronJobOf(child!), { now: clock.now(), heldMs, holdMs });
    if (leftMs === 0) return await this.#free(child!, signal);
    this.#controller.enqueueAfter(key, leftMs);
    await this.#endPods(child!, signal);
  }

  async #free({ metadata }: Child, signal: AbortSignal): Promise<void> {
    const options = { lane: "housekeeping", signal } as const;
    await this.#options.client.patch(JOBS, metadata, freeingPatch(metadata), options).catch(ignoreNotFound);
  }

  /** The garbage collector takes the Pods of a Job that is gone. Of one that is only held it has to be asked to. */
  async #endPods(child: Child, signal: AbortSignal): Promise<void> {
    const { metadata, state, mayHavePods } = child;
    if (state !== "active" || !mayHavePods || !isOnlyHeld(child)) return;
    const options = { propagationPolicy: "Foreground", preconditions: { uid: metadata.uid }, signal } as const;
    await this.#options.client.delete(JOBS, metadata, options).catch(ignoreNotFound);
  }

  #isOfOthers({ owner, metadata: { ownerReferences = [] } }: Child): boolean {
    return owner === undefined && ownerReferences.some(({ kind }) => kind === "CronJob");
  }

  #controllerOf({ owner }: Child): CronJobController | undefined {
    return owner && this.#options.controllers.find(({ flavour }) => flavour === owner.flavour);
  }

  /** Returns the CronJob whose schedule a Job is of, if it is still there, and ours. */
  #cronJobOf(child: Child): CronJob | undefined {
    const { owner, metadata: { namespace } } = child;
    const controller = this.#controllerOf(child);
    const cronJob = controller?.cronJobs.store.get(makeKey(namespace, owner!.name));
    return cronJob?.metadata.uid === owner?.uid && cronJob && controller!.isOurs(cronJob) ? cronJob : undefined;
  }
}
