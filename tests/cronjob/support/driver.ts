import type { CronJob } from "../../../src/cronjob/api/cron_job.ts";
import { readCronJob, withType } from "../../../src/cronjob/api/read_cron_job.ts";
import type { Flavour } from "../../../src/cronjob/api/flavour.ts";
import { type Child, readJob } from "../../../src/cronjob/api/job.ts";
import type { CronJobObject } from "../../../src/cronjob/api/types.ts";
import { Reconciler, type ReconcilerOptions } from "../../../src/cronjob/reconciler.ts";
import { CronJobReporter } from "../../../src/cronjob/reporter.ts";
import type { KubeClient } from "../../../src/kube/client.ts";
import type { Job } from "../../../src/kube/resource.ts";
import type { EventRecord } from "../../../src/runtime/event_recorder.ts";
import type { EpochMs } from "../../../src/base/epoch_ms.ts";
import { Crash, type Fate } from "../../support/fateful_client.ts";
import { LaggingCache } from "../../support/lagging_cache.ts";
import type { SimulatedServer } from "./simulated_server.ts";

export interface DriverOptions {
  readonly flavour: Flavour;
  readonly server: SimulatedServer;
  /** The one CronJob of the history: `namespace/name`. */
  readonly key: string;
  readonly now: () => EpochMs;
  /** @default {now} */
  readonly monotonic?: () => number;
  /** Whether changes reach the caches at once unless an action holds them back. */
  readonly prompt: boolean;
  /** Whether Jobs are ended whose Pods never start. */
  readonly isOurs?: ((cronJob: { readonly metadata: CronJob["metadata"] }) => boolean) | undefined;
  readonly onEvent?: (event: EventRecord) => void;
  /** Called before each request. */
  readonly beforeRequest?: (() => Promise<void>) | undefined;
  /** Called after each reconciliation that came to its end and met no trouble. */
  readonly onReconciled?: () => void;
  /** Further options of the reconciler. */
  readonly reconciler?: Partial<ReconcilerOptions>;
}

/**
 * What surrounds a reconciler in a controller, in small and step by step: caches that lag, a work queue of one key, and a
 * process that dies and comes back.
 */
export class ReconcilerDriver {
  /** What becomes of the next requests; those after them fare well. */
  fates: Fate[] = [];
  cronJobs!: LaggingCache<CronJobObject, CronJob>;
  jobs!: LaggingCache<Job, Child>;
  reconciler!: Reconciler;
  /** Whether a burst lasts: what is due starts, and nothing is settled. */
  isBurst = false;
  /** Whether news came that asks for a reconciliation. */
  isDirty = true;
  /** When the process began to run the CronJob, on the monotonic clock; undefined where it is not sure that it may. */
  inChargeSince: number | undefined;
  readonly #options: DriverOptions;
  #wakeAt: EpochMs | undefined;
  #failures = 0;
  /** Which process sends: one that has died sends no more. */
  #lives = 0;

  constructor(options: DriverOptions) {
    this.#options = options;
    this.boot();
  }

  /** When the key comes back if nothing changes before. */
  get wakeAt(): EpochMs | undefined {
    return this.#wakeAt;
  }

  /** A new process: its lists are of now, Jobs first; nothing else is known to it. */
  boot(): void {
    const { server, flavour } = this.#options;
    this.jobs = new LaggingCache(server.collection("jobs"), {
      read: (job: Job) => readJob([flavour], job),
      onChange: (job, isGone) => {
        if (!this.reconciler.noteJob(job, isGone)) this.isDirty = true;
      },
    });
    this.cronJobs = new LaggingCache(server.collection("cronjobs"), {
      read: (cronJob: CronJobObject) => readCronJob(flavour, withType(flavour, cronJob)),
      onChange: (object, isGone) => {
        if (isGone || this.#options.isOurs?.(object) === false) this.reconciler.forget(object);
        if (!isGone && !this.reconciler.noteCronJob(object)) this.isDirty = true;
      },
    });
    this.reconciler = this.#newReconciler();
    this.#begin();
  }

  /**
   * A process that stood by, with caches that are as far behind, takes over: it lists the CronJobs, starts what is due, and
   * only then lists the Jobs. `meanwhile` happens after the former leader's end.
   */
  async takeOver(meanwhile: () => void, fates: readonly Fate[]): Promise<void> {
    const { key } = this.#options;
    this.inChargeSince = undefined;
    this.reconciler = this.#newReconciler();
    this.reconciler.foresee(this.cronJobs.get(key)!);
    meanwhile();
    this.fates = [];
    this.cronJobs.deliver();
    this.reconciler.foresee(this.cronJobs.get(key)!);
    this.fates = [...fates];
    try {
      await this.reconciler.startDue(key, new AbortController().signal, { jobsAreListed: false });
    } catch (error) {
      if (error instanceof Crash) return this.boot();
    }
    this.jobs.deliver();
    this.#begin();
  }

  deliverAll(): void {
    this.jobs.deliver();
    this.cronJobs.deliver();
  }

  /** Asks for a reconciliation. */
  wake(): void {
    this.isDirty = true;
  }

  /** The instant has come that the last reconciliation asked for: what is due starts, then the rest is done. */
  async wakeUp(): Promise<void> {
    this.#wakeAt = undefined;
    await this.#guarded(async (signal) => {
      await this.reconciler.startDue(this.#options.key, signal);
      this.isDirty = true;
    });
    await this.work();
  }

  /** The work queue: a key that is dirty is reconciled, one that failed is tried again after a while. */
  async work(): Promise<void> {
    for (let rounds = 0; this.isDirty && !this.isBurst; rounds++) {
      if (rounds > 2_000) throw new Error("The controller turns in circles");
      this.isDirty = false;
      await this.#guarded(async (signal) => {
        const { requeueAt, again } = await this.reconciler.reconcile(this.#options.key, signal);
        this.#wakeAt = requeueAt;
        this.isDirty ||= again ?? false;
        this.#failures = 0;
        // One that is to go on may meet trouble yet.
        if (!again) this.#options.onReconciled?.();
      });
      if (this.#options.prompt) this.deliverAll();
    }
  }

  async #guarded(act: (signal: AbortSignal) => Promise<void>): Promise<void> {
    try {
      await act(new AbortController().signal);
    } catch (error) {
      if (error instanceof Crash) this.boot();
      else this.#wakeAt = this.#options.now() + Math.min(20 * 2 ** this.#failures++, 10_000);
    }
  }

  #begin(): void {
    const { now, monotonic = now } = this.#options;
    this.inChargeSince = monotonic();
    this.isDirty = true;
    this.#wakeAt = undefined;
    this.#failures = 0;
  }

  #newReconciler(): Reconciler {
    const { flavour, now, monotonic = now, isOurs, onEvent } = this.#options;
    const recorder = { record: (event: EventRecord) => onEvent?.(event) };
    return new Reconciler({
      flavour,
      client: this.#client(),
      clock: { now, monotonic } as never,
      reporter: new CronJobReporter({ recorder, exists: () => true }),
      cronJobs: this.cronJobs,
      jobs: this.jobs,
      isOurs,
      // No fault may look like an API server that has forgotten records: nothing would start.
      neverTwice: { byDefault: true },
      inChargeSince: () => this.inChargeSince,
      ...this.#options.reconciler,
    });
  }

  #client(): KubeClient {
    const life = ++this.#lives;
    const { server, prompt, beforeRequest } = this.#options;
    const fateOf = () => {
      if (life !== this.#lives) return "crashBefore";
      if (prompt) this.deliverAll();
      const fate = this.fates.shift() ?? "ok";
      if (fate.startsWith("crash")) this.#lives++;
      return fate;
    };
    return server.client(beforeRequest ? () => beforeRequest().then(fateOf) : fateOf);
  }
}
