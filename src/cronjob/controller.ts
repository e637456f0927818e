import { keyOf, type ObjectKey, splitKey } from "../kube/object.ts";
import { readyOrAborted } from "../base/abort.ts";
import type { Cache } from "../runtime/cache.ts";
import { after, WALL_CLOCK_CHECK_MS } from "../base/clock.ts";
import { Controller, type ReconcileOptions, type ReconcileResult } from "../runtime/controller.ts";
import { BURST_FROM } from "../runtime/due_starts.ts";
import { informerChecks, queueChecks } from "../runtime/health.ts";
import type { HealthCheck } from "../runtime/health_check.ts";
import { Informer } from "../runtime/informer.ts";
import type { Runnable } from "../runtime/runnable.ts";
import type { Change } from "../runtime/store.ts";
import { type StandByOptions, takeOver } from "../runtime/take_over.ts";
import { loggerFor } from "../telemetry/logging.ts";
import { type CronJob, cronJobKey } from "./api/cron_job.ts";
import { readCronJob, withType } from "./api/read_cron_job.ts";
import type { Flavour } from "./api/flavour.ts";
import type { Child } from "./api/job.ts";
import { stubOf, withoutInnerOwners } from "./api/spec_writes.ts";
import { isManaged } from "./api/stewardship.ts";
import type { CronJobObject } from "./api/types.ts";
import type { ChildCache } from "./child_cache.ts";
import { Reconciler, type ReconcilerOptions } from "./reconciler.ts";
import { CronJobReporter, type CronJobReporterOptions } from "./reporter.ts";
import { TakeOverStage } from "./take_over_stage.ts";

const logger = loggerFor("cronjob");

export interface CronJobControllerOptions extends
  Pick<
    ReconcilerOptions,
    "client" | "clock" | "flavour" | "annotateNextRun" | "defaultPendingTimeoutMs" | "neverTwice" | "waitOf" | "endOf"
  >,
  Omit<CronJobReporterOptions, "exists">,
  StandByOptions {
  /** Shared with the other controllers of this process, of which each runs it. */
  jobs: ChildCache;
  /** @default all */
  namespaces?: readonly string[] | undefined;
  /**
   * CronJobs settled at a time. Runs that are due start before that, whatever this says: how many requests leave at once
   * is the client's business.
   * @default {50}
   */
  concurrentSyncs?: number | undefined;
  /** Of a flavour that can be adopted, only those that are: nothing else is so much as kept in memory. @default {false} */
  managedOnly?: boolean | undefined;
  /** How long a burst of starts may hold back all other writing. @default {5_000} */
  settleAfterMs?: number | undefined;
}

/** How long before many runs are due connections are opened for them: at least once between two looks at the clock. */
const PREPARE_MS = 2 * WALL_CLOCK_CHECK_MS;
/** More than any client has in flight. */
const MOST_PREPARED = 1_000;

/** How long the end may take to record what was started. */
const LAST_RECORDS_MS = 2_000;

/** Runs the CronJobs of one flavour: keeps a cache of them, follows that of Jobs, and reconciles each that changes or is due. */
export class CronJobController implements Runnable {
  readonly name: string;
  readonly flavour: Flavour;
  readonly #options: CronJobControllerOptions;
  readonly #isOurs: (cronJob: { readonly metadata: CronJob["metadata"] }) => boolean;
  readonly #jobs: ChildCache;
  readonly #followingJobs: Disposable;
  readonly #cronJobs: Informer<CronJobObject, never, CronJob>;
  readonly #reporter: CronJobReporter;
  readonly #reconciler: Reconciler;
  readonly #stage = new TakeOverStage();
  readonly #controller: Controller;
  /** On the monotonic clock. */
  #reconcilingSince: number | undefined;

  constructor(options: CronJobControllerOptions) {
    const { client, clock, flavour, namespaces } = options;
    this.#options = options;
    this.flavour = flavour;
    this.#isOurs = options.managedOnly && flavour.adoptable ? isManaged : () => true;
    this.#jobs = options.jobs;
    this.#cronJobs = new Informer({
      client,
      clock,
      resource: flavour.resource,
      namespaces,
      transform: (object) =>
        readCronJob(flavour, withType(flavour, this.#isOurs(object) ? withoutInnerOwners(object) : stubOf(object))),
    });
    this.#reporter = new CronJobReporter({ ...options, exists: (cronJob) => this.#exists(cronJob) });
    this.#reconciler = new Reconciler({
      ...options,
      reporter: this.#reporter,
      cronJobs: this.#cronJobs.store,
      jobs: this.#jobs.store,
      isOurs: this.#isOurs,
      inChargeSince: () => options.leading?.isLeader === false ? undefined : this.#reconcilingSince,
      onClockSetBack: () => this.#clockSetBack(),
      onCreated: (name) => this.#jobs.expectNews({ metadata: name }),
      onConflict: (cronJob) => this.#cronJobs.expectChange(cronJob),
    });
    this.#controller = new Controller({
      name: flavour.controllerName,
      clock,
      whenFree: (key, waiter, signal) => client.whenFree("run", splitKey(key).namespace, waiter, signal),
      isSlow: (namespace) => client.isSlow("run", namespace),
      startDue: (key, signal, place) =>
        this.#reconciler.startDue(key, signal, { jobsAreListed: this.#stage.current === "reconciling", place }),
      reconcile: (key, signal, more) => this.#reconcile(key, signal, more),
      isAwaited: (key) => this.#reconciler.isAwaited(key),
      concurrency: options.concurrentSyncs ?? 50,
      settleAfterMs: options.settleAfterMs,
      hold: this.#jobs.hold,
      backoff: { initialMs: 20, maxMs: 10_000 },
      waitFor: [this.#stage],
      observer: options.controllerObserver,
      drainMs: options.drainMs,
    });
    this.name = this.#controller.name;
    this.#cronJobs.onChange((change) => this.#cronJobChanged(change));
    this.#followingJobs = this.#jobs.onChange((change) => this.#jobChanged(change));
  }

  get health(): readonly HealthCheck[] {
    return [...informerChecks(this.#cronJobs), ...informerChecks(this.#jobs), ...queueChecks(this.#controller)];
  }

  /** The CronJobs that there are, for observers. */
  get cronJobs(): Cache<CronJob> {
    return this.#cronJobs;
  }

  /** Whether it runs this CronJob. */
  isOurs(cronJob: CronJob): boolean {
    return this.#isOurs(cronJob);
  }

  /** Resolves once it knows all CronJobs. */
  ready(): Promise<void> {
    return this.#cronJobs.ready();
  }

  /** How far it has come in taking over from a former leader. */
  get stage(): Pick<TakeOverStage, "current" | "ready"> {
    return this.#stage;
  }

  async run(signal: AbortSignal): Promise<void> {
    // Jobs first: a list of CronJobs that is older than that of the Jobs could lack the last run of a Job cleaned up since.
    const followCronJobs = async () => {
      if (await readyOrAborted([this.#jobs], signal)) await this.#cronJobs.run(signal);
    };
    const work = () => this.#controller.run(signal).then(() => this.#recordStarted());
    await Promise.all([
      this.#jobs.run(signal),
      followCronJobs(),
      this.#begin(signal),
      work(),
      this.#watchClock(signal),
    ]);
    this.#followingJobs[Symbol.dispose]();
    // Metrics show no CronJob that is not followed any more.
    for (const cronJob of this.#cronJobs.store.values()) this.#forget(cronJob);
  }

  /** Records at the end what was started and is not settled yet, so that only a process that dies leaves runs unrecorded. */
  async #recordStarted(): Promise<void> {
    const { clock, leading } = this.#options;
    const tooLate = new AbortController();
    // A process that does not lead reports its own starts, and leaves the rest to the leader.
    if (this.#stage.current !== "reconciling" || leading?.isLeader === false) tooLate.abort();
    using _timer = after(clock, LAST_RECORDS_MS, () => tooLate.abort());
    await this.#reconciler.recordStarted(tooLate.signal);
  }

  /** As often as timers compare themselves with the wall clock. */
  async #watchClock(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#reconciler.lookAtClock();
      this.#prepareBurst();
      await this.#options.clock.sleep(WALL_CLOCK_CHECK_MS, signal).catch(() => {/* it ends */});
    }
  }

  /** Has connections opened for many runs that are due soon. */
  #prepareBurst(): void {
    const { client, clock } = this.#options;
    const runs = this.#controller.queue.countUntil(clock.now() + PREPARE_MS, MOST_PREPARED);
    if (runs >= BURST_FROM) client.prepare(runs);
  }

  /** Keys that wait for an instant that was far away by a clock too far ahead are looked at anew. */
  #clockSetBack(): void {
    if (this.#stage.current !== "reconciling") return;
    const count = this.#cronJobs.store.size;
    logger.warn("The clock was set back: looking at all {count} CronJobs again", { count });
    for (const cronJob of this.#cronJobs.store.values()) {
      if (this.#isOurs(cronJob)) this.#controller.enqueue(cronJobKey(cronJob));
    }
  }

  /** Takes over from a former leader, or, without leader election, begins once the caches are filled. */
  async #begin(signal: AbortSignal): Promise<void> {
    const { leading, flavour } = this.#options;
    const onFresh = (cache: unknown) => cache === this.#cronJobs && this.#beginStarting();
    const caches = [this.#cronJobs, this.#jobs];
    if (!await takeOver<typeof caches[number]>(caches, { leading, signal, onFresh })) return;
    if (leading) this.#logTakeOver(flavour.apiVersion);
    this.#beginReconciling();
  }

  #logTakeOver(apiVersion: string): void {
    const total = this.#cronJobs.store.size;
    const { managedOnly, flavour } = this.#options;
    if (!managedOnly || !flavour.adoptable) {
      return logger.info("Took over {count} CronJobs of {apiVersion}", { count: total, apiVersion });
    }
    const count = [...this.#cronJobs.store.values()].filter(this.#isOurs).length;
    logger.info("Took over the {count} adopted CronJobs of {apiVersion}; {total} are there", {
      count,
      apiVersion,
      total,
    });
  }

  #beginStarting(): void {
    for (const [key, at] of this.#stage.beginStarting()) this.#controller.enqueueAt(key, at);
  }

  /** Reconciles all, those first that are due. */
  #beginReconciling(): void {
    const foreseen = this.#stage.beginReconciling();
    this.#reconcilingSince = this.#options.clock.monotonic();
    const now = this.#options.clock.now();
    for (const cronJob of this.#cronJobs.store.values()) {
      const key = cronJobKey(cronJob);
      const at = foreseen.get(key);
      if (at !== undefined && at <= now) this.#controller.enqueueAt(key, at);
      else if (this.#isOurs(cronJob)) this.#controller.enqueue(key);
      else this.#reporter.unadopted(cronJob);
    }
  }

  async #reconcile(key: ObjectKey, signal: AbortSignal, options: ReconcileOptions): Promise<ReconcileResult> {
    if (this.#stage.current === "reconciling") return await this.#reconciler.reconcile(key, signal, options);
    return { requeueAt: this.#reconciler.nextInstant(key) };
  }

  #cronJobChanged({ type, object, previous }: Change<CronJob>): void {
    const key = cronJobKey(object);
    if (type === "deleted") {
      this.#stage.foresee(key, undefined);
      return this.#forget(object);
    }
    const isOurs = this.#isOurs(object);
    const isOther = previous?.metadata.uid !== object.metadata.uid;
    if (previous && (isOther || (!isOurs && this.#isOurs(previous)))) this.#forget(previous);
    if (!isOurs) {
      if (this.#stage.current === "reconciling") this.#reporter.unadopted(object);
      return this.#stage.foresee(key, undefined);
    }
    const isNews = !this.#reconciler.noteCronJob(object);
    if (this.#stage.current === "reconciling") {
      if (isNews) this.#controller.enqueue(key);
      return;
    }
    const at = this.#reconciler.foresee(object);
    this.#stage.foresee(key, at);
    if (this.#stage.current === "starting" && at !== undefined) this.#controller.enqueueAt(key, at);
  }

  #jobChanged({ type, object, previous }: Change<Child>): void {
    const isNews = !this.#reconciler.noteJob(object, type === "deleted", previous);
    if (this.#stage.current !== "reconciling") return;
    const [now, before] = [object.owner, previous?.owner];
    const former = before?.uid === now?.uid && before?.flavour === now?.flavour ? undefined : before;
    if (isNews) this.#enqueueOwner(object);
    if (former) this.#enqueueOwner(previous!);
  }

  #enqueueOwner({ owner, metadata: { namespace } }: Child): void {
    if (owner?.flavour !== this.#options.flavour) return;
    const key = keyOf({ metadata: { name: owner.name, namespace } });
    const cronJob = this.#cronJobs.store.get(key);
    if (!cronJob || this.#isOurs(cronJob)) this.#controller.enqueue(key);
  }

  #exists(cronJob: CronJob): boolean {
    const cached = this.#cronJobs.store.get(cronJobKey(cronJob));
    return cached?.metadata.uid === cronJob.metadata.uid && this.#isOurs(cached);
  }

  #forget(cronJob: CronJob): void {
    this.#reconciler.forget(cronJob);
    this.#reporter.forget(cronJob);
  }
}
