import { ignoreNotFound } from "../kube/api_error.ts";
import type { KubeClient } from "../kube/client.ts";
import { controllerOf, keyOf, makeKey, type ObjectKey } from "../kube/object.ts";
import { JOBS } from "../kube/resource.ts";
import type { Clock } from "../base/clock.ts";
import { Controller } from "../runtime/controller.ts";
import type { Runnable } from "../runtime/runnable.ts";
import type { Change } from "../runtime/store.ts";
import type { Leading } from "../runtime/take_over.ts";
import type { CronJob } from "./api/cron_job.ts";
import { type Child, isOnlyHeld } from "./api/job.ts";
import { freeingPatch, holdsName } from "./api/name_hold.ts";
import type { ChildCache } from "./child_cache.ts";
import type { CronJobController } from "./controller.ts";
import { holdMsLeft } from "./decision/name_hold.ts";
import { isServed } from "./served_flavours.ts";

export interface NameKeeperOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  /** Shared with the controllers. The keeper follows it also while there are none, and so it stays up to date until one starts. */
  readonly jobs: ChildCache;
  /** The controllers that there are now: an API may come and go. */
  readonly controllers: readonly CronJobController[];
  /** Absent: it leads from the start. */
  readonly leading?: Leading | undefined;
  /** As `holdMsOf` returns it. */
  readonly holdMs: number;
  /** How long work under way may go on after the end was asked for. @default {5_000} */
  readonly drainMs?: number;
}

/** Between two looks at an API that this process does not run. */
const LATER_MS = 60_000;
/** The same after a look that failed. */
const AGAIN_MS = 2_000;

/** The last look at an API, which all its Jobs share. Times are monotonic. */
interface ApiLook {
  readonly at: number;
  /** Rejects where there was no answer. */
  readonly isAbsent: Promise<boolean>;
  /** Whether it was absent at the look before, too. */
  readonly isGone: Promise<boolean>;
  hasFailed: boolean;
}

/**
 * Takes the finalizer of `neverTwice` from Jobs, once it may go. It does so whatever the CronJob says by now, and also for
 * Jobs whose CronJob, owner reference or API is gone. No Job waits for what is to be known of another.
 *
 * Jobs of an API that this process does not run are left to the process that does, as long as the cluster has the API.
 */
export class NameKeeper implements Runnable {
  readonly name = "name keeper";
  readonly #options: NameKeeperOptions;
  /** Since when this process knows of a Job with the finalizer, on the monotonic clock; by UID. */
  readonly #since = new Map<string, number>();
  /** By API, such as `batch/v1`. */
  readonly #looks = new Map<string, ApiLook>();
  readonly #controller: Controller;

  constructor(options: NameKeeperOptions) {
    this.#options = options;
    const { clock, jobs, leading, drainMs } = options;
    this.#controller = new Controller({
      name: "never_twice",
      clock,
      drainMs,
      waitFor: [jobs, ...leading ? [leading] : []],
      reconcile: (key, signal) => this.#reconcile(key, signal),
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    using _changes = this.#options.jobs.onChange((change) => this.#jobChanged(change));
    await Promise.all([this.#options.jobs.run(signal), this.#controller.run(signal)]);
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
    if (since === undefined) return;
    const known = await this.#cronJobOf(child!, signal);
    if (!known) return this.#controller.enqueueAfter(key, LATER_MS);
    const { clock, holdMs } = this.#options;
    const heldMs = clock.monotonic() - since;
    const leftMs = holdMsLeft(child!, known.cronJob, { now: clock.now(), heldMs, holdMs });
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

  /** Returns the CronJob whose schedule a Job is of, if it is still there, and ours; undefined where that is not known. */
  async #cronJobOf(child: Child, signal: AbortSignal): Promise<{ readonly cronJob?: CronJob | undefined } | undefined> {
    const { owner, metadata: { namespace } } = child;
    const api = owner ? owner.flavour.apiVersion : this.#othersApiOf(child);
    if (api === undefined) return {};
    const controller = this.#options.controllers.find(({ flavour }) => flavour === owner?.flavour);
    // A cache that cannot be followed keeps CronJobs of an API that is gone.
    const isTakingOver = controller?.stage.current === "watching";
    if (isTakingOver) controller.stage.ready().then(() => this.#controller.enqueue(keyOf(child)));
    if (!controller || isTakingOver || controller.cronJobs.error !== undefined) {
      return await this.#isGone(api, signal) ? {} : undefined;
    }
    const cronJob = controller.cronJobs.store.get(makeKey(namespace, owner!.name));
    return cronJob?.metadata.uid === owner!.uid && controller.isOurs(cronJob) ? { cronJob } : {};
  }

  /** Returns the API of a CronJob that may own a Job for another process. This process knows the owners of its own APIs. */
  #othersApiOf(child: Child): string | undefined {
    const { metadata: { ownerReferences = [] } } = child;
    const controller = controllerOf(child);
    const own = this.#options.controllers.map(({ flavour }) => flavour.apiVersion);
    return (controller ? [controller] : ownerReferences)
      .find(({ kind, apiVersion }) => kind === "CronJob" && !own.includes(apiVersion))?.apiVersion;
  }

  /** Returns whether an API was absent at two looks in a row: one API server of several may not have heard of it yet. */
  async #isGone(api: string, signal: AbortSignal): Promise<boolean> {
    const { client, clock } = this.#options;
    const now = clock.monotonic();
    let look = this.#looks.get(api);
    if (!look || now - look.at >= (look.hasFailed ? AGAIN_MS : LATER_MS)) {
      // The API may have come and gone since an older look. A look without an answer says nothing.
      const before = look && now - look.at <= 2 * LATER_MS ? look.isAbsent.catch(() => false) : false;
      const isAbsent = isServed(client, api, signal).then((isServed) => !isServed);
      const isGone = isAbsent.then((isAbsent) => isAbsent && before);
      look = { at: now, isAbsent, isGone, hasFailed: false };
      this.#looks.set(api, look);
      isAbsent.catch(() => look!.hasFailed = true);
    }
    return await look.isGone;
  }
}
