import { readCronJob, withType } from "../../../src/cronjob/api/read_cron_job.ts";
import type { CronJob } from "../../../src/cronjob/api/cron_job.ts";
import { BATCH } from "../../../src/cronjob/api/flavour.ts";
import type { CronJobObject } from "../../../src/cronjob/api/types.ts";
import { followChildren } from "../../../src/cronjob/child_cache.ts";
import { JOBS } from "../../../src/kube/resource.ts";
import type { Channel, Delivery } from "../../../src/notifications/channel.ts";
import type { RunNotification } from "../../../src/notifications/notification.ts";
import { RunNotifier, type RunNotifierOptions } from "../../../src/notifications/run_notifier.ts";
import { Informer } from "../../../src/runtime/informer.ts";
import { formatTime } from "../../../src/base/epoch_ms.ts";
import { FakeApi } from "../../runtime/support/fake_api.ts";
import { cronJobOf } from "../../support/cron_job.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { completedAt, failedAt } from "../../support/ended_job.ts";
import { jobOf } from "../../support/job.ts";

export const NOTIFIED = "cronjob-controller.dev/notified";

/** A channel that keeps what it is to send. */
export class KeptChannel implements Channel {
  readonly name = "webhook";
  readonly told: RunNotification[] = [];
  /** Called before each: may throw, or take its time. */
  before: (notification: RunNotification) => Delivery | void | Promise<Delivery | void> = () => {};

  async deliver(notification: RunNotification): Promise<Delivery> {
    const delivery = await this.before(notification) ?? "sent";
    this.told.push(notification);
    return delivery;
  }

  /** `failed 2 (3 in a row)`, in the order that they were sent. */
  get inShort(): string[] {
    return this.told.map(({ kind, failures, failuresInARow }) =>
      kind === "failed" ? `failed ${failures} (${failuresInARow} in a row)` : `recovered after ${failuresInARow}`
    );
  }
}

/** Puts a CronJob there that runs each minute. */
export function putCronJob(api: FakeApi, name: string): CronJobObject {
  return api.put(BATCH.resource, cronJobOf(BATCH, { name, namespace: "shop", spec: { schedule: "* * * * *" } }));
}

/** A process that notifies, on an API server in memory that outlives it. */
export class Notifying implements AsyncDisposable {
  readonly outcomes: string[] = [];
  readonly #stop = new AbortController();
  readonly #ended: Promise<unknown>;

  private constructor(
    readonly api: FakeApi,
    readonly clock: FakeClock,
    readonly channel: KeptChannel,
    options: Partial<RunNotifierOptions>,
  ) {
    const jobs = followChildren({ client: api, clock, flavours: [BATCH] });
    const cronJobs = new Informer<CronJobObject, never, CronJob>({
      client: api,
      clock,
      resource: BATCH.resource,
      transform: (object) => readCronJob(BATCH, withType(BATCH, object)),
    });
    const notifier = new RunNotifier({
      client: api,
      clock,
      jobs,
      followed: [{ flavour: BATCH, cronJobs, health: [], isOurs: ({ metadata }) => metadata.name !== "foreign" }],
      channel,
      intervalMs: 600_000,
      observer: {
        notified: (channel, outcome, count = 1) => void this.outcomes.push(`${channel} ${outcome} ${count}`),
      },
      ...options,
    });
    this.#ended = Promise.all([jobs, cronJobs, notifier].map((part) => part.run(this.#stop.signal)));
  }

  static async start(
    { api, clock, channel = new KeptChannel(), ...options }: Partial<RunNotifierOptions> & {
      api?: FakeApi;
      clock?: FakeClock;
      channel?: KeptChannel;
    } = {},
  ): Promise<Notifying> {
    const ticking = clock ?? new FakeClock();
    const notifying = new Notifying(api ?? new FakeApi(() => ticking.now()), ticking, channel, options);
    await ticking.advance(1_000);
    return notifying;
  }

  cronJob(name = "report"): CronJobObject {
    return putCronJob(this.api, name);
  }

  /** A Job that has ended just now. */
  async end(cronJob: CronJobObject, name: string, type: "Complete" | "Failed"): Promise<void> {
    this.put(cronJob, name, type);
    await this.clock.advance(10);
  }

  /** The same, before anyone has seen it. */
  put(cronJob: CronJobObject, name: string, type: "Complete" | "Failed"): void {
    const status = (type === "Complete" ? completedAt : failedAt)(formatTime(this.clock.now()));
    this.api.put(JOBS, jobOf({ name, namespace: cronJob.metadata.namespace!, owner: cronJob, status }));
  }

  /** What is recorded of a CronJob. */
  record(name = "report"): string | undefined {
    const all = this.api.all(BATCH.resource, "shop") as CronJobObject[];
    return all.find(({ metadata }) => metadata.name === name)?.metadata.annotations?.[NOTIFIED];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.clock.advance(20_000);
    await this.#ended;
  }
}
