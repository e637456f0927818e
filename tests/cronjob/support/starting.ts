import type { CronJob } from "../../../src/cronjob/api/cron_job.ts";
import { BACKFILL } from "../../../src/cronjob/api/annotations.ts";
import type { BackfillSpec } from "../../../src/cronjob/api/spec_fields.ts";
import type { CronJobObject, CronJobSpec } from "../../../src/cronjob/api/types.ts";
import type { NeverTwice } from "../../../src/cronjob/decision/input.ts";
import type { EndOf } from "../../../src/cronjob/knowledge/knowledge.ts";
import { CronJobReporter } from "../../../src/cronjob/reporter.ts";
import { BATCH, type Flavour } from "../../../src/cronjob/api/flavour.ts";
import type { Job } from "../../../src/kube/resource.ts";
import { formatTime, parseTime } from "../../../src/base/epoch_ms.ts";
import { ReconcilerDriver } from "./driver.ts";
import { QuickClock } from "../../support/quick_clock.ts";
import { type Edit, SimulatedServer } from "./simulated_server.ts";
import { at, clockOf } from "./world.ts";
import { storedCronJob } from "./stored_cron_job.ts";
import type { Loose } from "../../../src/base/loose.ts";

const KEY = "default/c";

export interface StartingGiven {
  /** @default {BATCH} */
  readonly flavour?: Flavour;
  readonly spec?: Loose<Partial<CronJobSpec>>;
  readonly annotations?: Record<string, string> | undefined;
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
export class Starting extends ReconcilerDriver {
  readonly server: SimulatedServer;
  readonly flavour: Flavour;
  /** Reasons of Events, with the Job or time that they are about where they name one. */
  readonly events: string[];
  /** How many runs were counted as refused, by what became of them. */
  readonly counted: Record<string, number>;
  readonly #clock: QuickClock;

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
    const clock = new QuickClock(at(armed));
    const now = () => clock.now();
    const monotonic = () => at(armed) + clock.monotonic();
    const sleep = (delayMs: number, signal?: AbortSignal) => clock.sleep(delayMs, signal);
    const server = new SimulatedServer(serverIsRight ? monotonic : now);
    const template = { spec: { containers: [{ name: "main", image: "first" }] } };
    const givenSpec = { jobTemplate: { spec: { template } }, ...spec };
    server.put("cronjobs", storedCronJob(flavour, { createdAt: at(created), annotations, spec: givenSpec }));
    const events: string[] = [];
    const counted: Record<string, number> = {};
    const count = (what: string, count: number) => void (counted[what] = (counted[what] ?? 0) + count);
    const reporter = new CronJobReporter({
      recorder: { record: ({ reason, message }) => void events.push(`${reason}: ${message}`) },
      observer: {
        run: (_cronJob, { outcome }) => count(outcome, 1),
        missed: (_cronJob, { reason, count: missed }) => count(reason, missed),
      },
      exists: () => true,
    });
    const reconciler = { clock: { now, monotonic, sleep } as never, reporter, endOf, neverTwice };
    super({ flavour, server, key: KEY, now, monotonic, prompt: false, isOurs, reconciler });
    this.server = server;
    this.flavour = flavour;
    this.events = events;
    this.counted = counted;
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  /** Time passes, and nothing happens but what waits for it. */
  pass(ms: number): void {
    this.#clock.pause(ms);
    this.#clock.runDue();
  }

  /** A user asks for runs of the past, where the flavour has that. */
  ask(backfill: BackfillSpec): void {
    if (this.flavour.extrasIn === "spec") this.edit({ spec: { backfill } });
    else this.edit({ metadata: { annotations: { [BACKFILL]: JSON.stringify(backfill) } } });
  }

  /** A user sets the wall clock, while no time passes. */
  setClock(time: string): void {
    this.#clock.setWall(timeOf(time));
  }

  /** Time passes up to then, and each minute, or as often as given, all that there is to do is done. */
  async live(until: string, everyMs = 60_000): Promise<void> {
    const end = timeOf(until);
    while (this.now() < end) {
      this.set(Math.min(end, (Math.floor(this.now() / everyMs) + 1) * everyMs));
      await this.fire();
      await this.comeToRest();
    }
  }

  /** Ends every Job. */
  finishAll(): void {
    for (const job of [...this.server.jobs.values()]) this.finishJob(job);
  }

  /** A user deletes all Jobs, as their time to live has passed. */
  removeJobs(): void {
    for (const key of [...this.server.jobs.keys()]) this.server.remove("jobs", key);
  }

  /** Sets the wall clock: `10:01`, `10:00:59.999`, or an instant. */
  set(time: string | number): void {
    this.#clock.pause((typeof time === "number" ? time : timeOf(time)) - this.now());
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
    // It takes no time: the first to end is the first that started.
    const status = { startTime: formatTime(this.now()) };
    this.server.finish({ ...job, status }, type === "Complete", this.now());
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
