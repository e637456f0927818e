import type { CronJob } from "../../../src/cronjob/api/cron_job.ts";
import { readCronJob, withType } from "../../../src/cronjob/api/read_cron_job.ts";
import { type Child, readJob } from "../../../src/cronjob/api/job.ts";
import { BACKFILL } from "../../../src/cronjob/api/annotations.ts";
import type { BackfillSpec } from "../../../src/cronjob/api/spec_fields.ts";
import type { CronJobObject, CronJobSpec } from "../../../src/cronjob/api/types.ts";
import type { NeverTwice } from "../../../src/cronjob/decision/input.ts";
import type { EndOf } from "../../../src/cronjob/knowledge/knowledge.ts";
import { Reconciler } from "../../../src/cronjob/reconciler.ts";
import { CronJobReporter } from "../../../src/cronjob/reporter.ts";
import { BATCH, type Flavour } from "../../../src/cronjob/api/flavour.ts";
import type { Job } from "../../../src/kube/resource.ts";
import { onAbort } from "../../../src/base/abort.ts";
import { formatTime, parseTime } from "../../../src/base/epoch_ms.ts";
import { type Edit, type Fate, LaggingCache, SimulatedServer } from "./simulated_server.ts";
import { at, clockOf } from "./world.ts";
import { storedCronJob } from "./stored_cron_job.ts";

const KEY = "default/c";

export interface StartingGiven {
  /** @default {BATCH} */
  readonly flavour?: Flavour;
  readonly spec?: Partial<CronJobSpec>;
  readonly annotations?: Record<string, string>;
  /** @default 10:00:00 */
  readonly created?: string;
  /** When the reconciliation takes place that arms the next run. @default 10:00:30 */
  readonly armed?: string;
  readonly isOurs?: (cronJob: { readonly metadata: CronJob["metadata"] }) => boolean;
  /** How the Pods of a failed Job ended. @default it cannot be read */
  readonly endOf?: EndOf;
  /** @default no Job keeps its name taken */
  readonly neverTwice?: NeverTwice;
  /** Whether the API server's clock is never set. */
  readonly serverIsRight?: boolean;
}

/** One CronJob whose reconciler is called by hand, with caches that are as far behind as the test lets them be. */
export class Starting {
  readonly server: SimulatedServer;
  readonly flavour: Flavour;
  /** Reasons of Events, with the Job or time that they are about where they name one. */
  readonly events: string[] = [];
  /** How many runs were counted as refused, by what became of them. */
  readonly counted: Record<string, number> = {};
  /** What becomes of the next requests; those after them fare well. */
  fates: Fate[] = [];
  reconciler!: Reconciler;
  cronJobs!: LaggingCache<CronJobObject, CronJob>;
  jobs!: LaggingCache<Job, Child>;
  /** Whether news came that asks for a reconciliation. */
  isDirty = false;
  /** Since when it works; undefined where it is not sure that it may. */
  inChargeSince: number | undefined;
  #now: number;
  #jumpedMs = 0;
  readonly #sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();
  readonly #isOurs: StartingGiven["isOurs"];
  readonly #endOf: StartingGiven["endOf"];
  readonly #neverTwice: StartingGiven["neverTwice"];

  constructor(
    {
      flavour = BATCH,
      spec,
      annotations,
      created = "10:00",
      armed = "10:00:30",
      isOurs,
      endOf,
      neverTwice,
      serverIsRight,
    }: StartingGiven,
  ) {
    this.flavour = flavour;
    this.#now = this.inChargeSince = at(armed);
    this.server = new SimulatedServer(() => this.#now - (serverIsRight ? this.#jumpedMs : 0));
    const template = { spec: { containers: [{ name: "main", image: "first" }] } };
    this.server.put(
      "cronjobs",
      storedCronJob(flavour, {
        createdAt: at(created),
        annotations,
        spec: { jobTemplate: { spec: { template } }, ...spec },
      }),
    );
    this.#isOurs = isOurs;
    this.#endOf = endOf;
    this.#neverTwice = neverTwice;
    this.restart();
  }

  /** A new process: it knows what the server has, and nothing else. */
  restart(): void {
    const { flavour } = this;
    const isOurs = this.#isOurs;
    const { changes, cronJobs, jobs } = this.server;
    this.jobs = new LaggingCache(changes.jobs, jobs.values(), {
      read: (job: Job) => readJob([flavour], job),
      onChange: ({ type, object }) => {
        if (!this.reconciler.noteJob(object, type === "deleted")) this.isDirty = true;
      },
    });
    this.cronJobs = new LaggingCache(changes.cronjobs, cronJobs.values(), {
      read: (cronJob: CronJobObject) => readCronJob(flavour, withType(flavour, cronJob)),
      onChange: ({ type, object }) => {
        if (type === "deleted") this.reconciler.forget(object);
        else if (!this.reconciler.noteCronJob(object)) this.isDirty = true;
      },
    });
    this.reconciler = new Reconciler({
      flavour,
      client: this.server.client(() => this.fates.shift() ?? "ok"),
      clock: {
        now: () => this.#now,
        monotonic: () => this.#now - this.#jumpedMs,
        sleep: (delayMs: number, signal?: AbortSignal) => this.#sleep(delayMs, signal),
      } as never,
      reporter: new CronJobReporter({
        recorder: { record: ({ reason, message }) => void this.events.push(`${reason}: ${message}`) },
        observer: {
          run: (_cronJob, { outcome }) => this.#count(outcome, 1),
          missed: (_cronJob, { reason, count }) => this.#count(reason, count),
        },
        exists: () => true,
      }),
      cronJobs: this.cronJobs,
      jobs: this.jobs,
      isOurs,
      endOf: this.#endOf,
      neverTwice: this.#neverTwice,
      inChargeSince: () => this.inChargeSince,
    });
  }

  #count(what: string, count: number): void {
    this.counted[what] = (this.counted[what] ?? 0) + count;
  }

  now(): number {
    return this.#now;
  }

  /** Time passes, and nothing happens but what waits for it. */
  pass(ms: number): void {
    this.#now += ms;
    for (const { until, wake } of this.#sleepers) if (until <= this.#now - this.#jumpedMs) wake();
  }

  async #sleep(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
    const woken = Promise.withResolvers<void>();
    const sleeper = { until: this.#now - this.#jumpedMs + delayMs, wake: woken.resolve };
    this.#sleepers.add(sleeper);
    using _listening = onAbort(signal, () => woken.reject(signal!.reason));
    await woken.promise.finally(() => this.#sleepers.delete(sleeper));
  }

  /** A user asks for runs of the past, where the flavour has that. */
  ask(backfill: BackfillSpec): void {
    if (this.flavour.extrasIn === "spec") this.edit({ spec: { backfill } });
    else this.edit({ metadata: { annotations: { [BACKFILL]: JSON.stringify(backfill) } } });
  }

  /** A user sets the wall clock, while no time passes. */
  setClock(time: string): void {
    this.#jumpedMs += timeOf(time) - this.#now;
    this.#now = timeOf(time);
  }

  /** Time passes up to then, and each minute, or as often as given, all that there is to do is done. */
  async live(until: string, everyMs = 60_000): Promise<void> {
    const end = timeOf(until);
    while (this.#now < end) {
      this.#now = Math.min(end, (Math.floor(this.#now / everyMs) + 1) * everyMs);
      await this.fire();
      await this.comeToRest();
    }
  }

  /** Ends every Job. */
  finishAll(): void {
    const now = formatTime(this.#now);
    const conditions = [{ type: "Complete", status: "True" as const, lastTransitionTime: now }];
    for (const job of [...this.server.jobs.values()]) {
      this.server.put("jobs", { ...job, status: { startTime: now, completionTime: now, conditions } });
    }
  }

  /** A user deletes all Jobs, as their time to live has passed. */
  removeJobs(): void {
    for (const key of [...this.server.jobs.keys()]) this.server.remove("jobs", key);
  }

  /** Sets the wall clock: `10:01`, `10:00:59.999`, or an instant. */
  set(time: string | number): void {
    this.#now = typeof time === "number" ? time : timeOf(time);
  }

  get cronJob(): CronJobObject {
    return this.server.cronJobs.get(KEY)!;
  }

  edit(edit: Edit): void {
    this.server.edit(KEY, edit);
  }

  remove(): void {
    this.server.remove("cronjobs", KEY);
  }

  /** Starts the run of this time, and ends it a minute later. */
  async run(time: string, type: "Complete" | "Failed"): Promise<void> {
    this.set(time);
    await this.fire();
    await this.comeToRest();
    this.pass(60_000);
    this.finish(time, type);
    await this.comeToRest();
  }

  /** Ends the Job of this scheduled time. */
  finish(time: string, type: "Complete" | "Failed" = "Complete"): void {
    this.finishJob([...this.server.jobs.values()].find((job) => this.#slotOf(job) === time)!, type);
  }

  finishJob(job: Job, type: "Complete" | "Failed" = "Complete"): void {
    const now = formatTime(this.#now);
    this.server.put("jobs", {
      ...job,
      status: { startTime: now, completionTime: now, conditions: [{ type, status: "True", lastTransitionTime: now }] },
    });
  }

  deliverAll(): void {
    this.jobs.deliver();
    this.cronJobs.deliver();
  }

  /** The instant has come. Returns the scheduled times that start. */
  async fire(options?: { jobsAreListed?: boolean }): Promise<string[]> {
    const before = this.server.created.length;
    await this.reconciler.startDue(KEY, new AbortController().signal, options);
    return this.slots().slice(before);
  }

  /** Reconciles until nothing more is to be done at once. Returns when to come back. */
  async settle(): Promise<string> {
    for (let rounds = 0; rounds < 100; rounds++) {
      const { requeueAt, again } = await this.reconciler.reconcile(KEY, new AbortController().signal);
      if (!again) return requeueAt === undefined ? "never" : clockOf(requeueAt);
    }
    throw new Error("The reconciler turns in circles");
  }

  /** Everything that happened arrives, and is settled. */
  async comeToRest(): Promise<void> {
    this.deliverAll();
    await this.settle();
    this.deliverAll();
  }

  /** Scheduled times, or names where there are none, of all Jobs that were ever created, in order. */
  slots(): string[] {
    return this.server.created.map(({ job }) => this.#slotOf(job) ?? job.metadata.name);
  }

  #slotOf({ metadata }: Job): string | undefined {
    const time = parseTime(metadata.annotations?.[this.flavour.scheduledTimeAnnotation]);
    return time === undefined ? undefined : clockOf(time);
  }
}

/** As {@linkcode at}, with milliseconds. */
export function timeOf(time: string): number {
  const [whole = "", ms = "0"] = time.split(".");
  return at(whole) + Number(ms.padEnd(3, "0"));
}
