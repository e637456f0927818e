import { AssertionError } from "@std/assert";
import { BATCH, type Flavour, FLAVOURS, PRODUCTION, TUTORIAL } from "../../../src/cronjob/api/flavour.ts";
import { followChildren } from "../../../src/cronjob/child_cache.ts";
import { CronJobController } from "../../../src/cronjob/controller.ts";
import type { RunEvent } from "../../../src/cronjob/reporter.ts";
import { DEFINED_FLAVOURS, definitionOf } from "../../../src/cronjob/api/crd.ts";
import type { NeverTwice } from "../../../src/cronjob/decision/input.ts";
import { NameKeeper } from "../../../src/cronjob/name_keeper.ts";
import type { KubeClient } from "../../../src/kube/client.ts";
import type { EndOf } from "../../../src/cronjob/knowledge/knowledge.ts";
import type { WaitOf } from "../../../src/cronjob/writes.ts";
import type { CronJobObserver } from "../../../src/cronjob/observer.ts";
import type { CronJobObject, CronJobSpec, CronJobStatus } from "../../../src/cronjob/api/types.ts";
import { HttpKubeClient } from "../../../src/kube/http_client.ts";
import { type Event, EVENTS, type Job, JOBS } from "../../../src/kube/resource.ts";
import { EventRecorder } from "../../../src/runtime/event_recorder.ts";
import type { Leading } from "../../../src/runtime/take_over.ts";
import { formatTime, parseTime } from "../../../src/base/epoch_ms.ts";
import type { KindSettings } from "../../../src/apiserver/registry.ts";
import { startTestApiServer, type TestApiServer } from "../../support/api_server.ts";
import { ShiftedClock } from "./shifted_clock.ts";
import { cronJobOf } from "../../support/cron_job.ts";
import { CUSTOM_RESOURCE_DEFINITIONS } from "../../support/crds.ts";
import { completedAt, failedAt } from "../../support/ended_job.ts";

const NAMESPACE = "default";

/** Our own API server, and the controllers of all flavours on it, at a date of the test's choice. */
export class Running implements AsyncDisposable {
  readonly runs: RunEvent[] = [];
  /** What the controllers asked of the server when started with `counted`, such as `create jobs`. */
  readonly requests: string[] = [];
  /** Names of the CronJobs that the controllers have decided about. */
  readonly #known = new Set<string>();
  readonly #clients = new AsyncDisposableStack();
  #end = new AbortController();
  #running: Promise<unknown> = Promise.resolve();

  private constructor(readonly server: TestApiServer, readonly clock: ShiftedClock) {}

  static async start(
    at: string,
    options: { controller?: boolean; checks?: KindSettings["checks"] } = {},
  ): Promise<Running> {
    const clock = new ShiftedClock(at);
    const server = await startTestApiServer({ clock, checks: options.checks });
    const running = new Running(server, clock);
    for (const flavour of DEFINED_FLAVOURS) {
      await server.client.create(CUSTOM_RESOURCE_DEFINITIONS, definitionOf(flavour));
    }
    if (options.controller ?? true) await running.startControllers();
    return running;
  }

  get client() {
    return this.server.client;
  }

  async startControllers(
    options: {
      managedOnly?: boolean;
      leading?: Leading;
      annotateNextRun?: boolean | undefined;
      neverTwice?: NeverTwice;
      /** For how long names stay taken. @default for no time */
      holdMs?: number;
      waitOf?: WaitOf;
      endOf?: EndOf;
      /** @default the administrator's */
      client?: KubeClient;
      observer?: CronJobObserver;
      counted?: boolean;
    } = {},
  ): Promise<void> {
    const { clock } = this;
    const client = options.counted ? this.#countingClient() : options.client ?? this.client;
    this.#end = new AbortController();
    const recorder = new EventRecorder({ client, clock, component: "cronjob-controller" });
    const onRun = (run: RunEvent) => void this.runs.push(run);
    const observer: CronJobObserver = {
      jobCreated: (job) => options.observer?.jobCreated?.(job),
      run: (cronJob, run) => options.observer?.run?.(cronJob, run),
      missed: (cronJob, missed) => options.observer?.missed?.(cronJob, missed),
      gone: (cronJob) => options.observer?.gone?.(cronJob),
      looked: (cronJob, state) => {
        this.#known.add(cronJob.name);
        options.observer?.looked?.(cronJob, state);
      },
    };
    const jobs = followChildren({ client, clock, flavours: FLAVOURS });
    const controllers = FLAVOURS.map((flavour) =>
      new CronJobController({ clock, flavour, jobs, recorder, onRun, ...options, client, observer })
    );
    const keeper = new NameKeeper({
      client,
      clock,
      jobs,
      controllers,
      leading: options.leading,
      holdMs: options.holdMs ?? 0,
    });
    // As the program's manager does: what is said at the end is still written.
    const recorderEnd = new AbortController();
    const recording = recorder.run(recorderEnd.signal);
    const working = Promise.all([...controllers, keeper].map((part) => part.run(this.#end.signal)));
    this.#running = working.finally(() => recorderEnd.abort()).then(() => recording);
    await Promise.all(controllers.map((controller) => controller.ready()));
  }

  #countingClient() {
    const { url, caCertificate, token } = this.server.server;
    const onRequest = ({ verb, resource }: { verb: string; resource: string }) =>
      void this.requests.push(`${verb} ${resource}`);
    const client = HttpKubeClient.to({ server: url, caCertificates: [caCertificate], token }, {
      observer: { onRequest },
    });
    this.#clients.use(client);
    return client;
  }

  async stopControllers(): Promise<void> {
    this.#end.abort();
    await this.#running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopControllers();
    await this.#clients.disposeAsync();
    await this.server[Symbol.asyncDispose]();
  }

  create(
    api: Flavour,
    spec: Partial<CronJobSpec>,
    metadata: { name?: string; namespace?: string; annotations?: Record<string, string> | undefined } = {},
  ): Promise<CronJobObject> {
    return this.client.create(api.resource, cronJobOf(api, { name: "c", ...metadata, spec }));
  }

  get(api: Flavour, name = "c"): Promise<CronJobObject> {
    return this.client.get(api.resource, { namespace: NAMESPACE, name });
  }

  async patch(api: Flavour, body: unknown, name = "c"): Promise<void> {
    await this.client.patch(api.resource, { namespace: NAMESPACE, name }, { type: "merge", body });
  }

  async setStatus(api: Flavour, status: CronJobStatus, name = "c"): Promise<void> {
    await this.client.patch(api.resource, { namespace: NAMESPACE, name }, { type: "merge", body: { status } }, {
      subresource: "status",
    });
  }

  async jobs(): Promise<Job[]> {
    return (await this.client.list(JOBS, { namespace: NAMESPACE })).items;
  }

  /** The first Job, once there is one. */
  firstJob(): Promise<Job> {
    return this.until("a Job", async () => (await this.jobs())[0]);
  }

  /** The scheduled times of all Jobs that there are. */
  async slots(api: Flavour): Promise<string[]> {
    const times = (await this.jobs()).map(({ metadata }) =>
      parseTime(metadata.annotations?.[api.scheduledTimeAnnotation])
    );
    return times.filter((time) => time !== undefined).sort((a, b) => a - b).map(formatTime);
  }

  async events(reason?: string): Promise<Event[]> {
    const { items } = await this.client.list(EVENTS, { namespace: NAMESPACE });
    return items.filter((event) => reason === undefined || event.reason === reason);
  }

  /** What a Job controller would write. */
  async finish(job: Job, condition: "Complete" | "Failed" = "Complete"): Promise<void> {
    const { name, creationTimestamp } = job.metadata;
    const time = formatTime(this.clock.now());
    const status = condition === "Complete"
      ? completedAt(time, creationTimestamp)
      : failedAt(time, creationTimestamp, "exit 3");
    const patch = { type: "merge", body: { status } } as const;
    await this.client.patch(JOBS, { namespace: NAMESPACE, name }, patch, { subresource: "status" });
  }

  /** Waits until the controllers know these CronJobs, and so everything that was written before them. */
  async known(...names: string[]): Promise<void> {
    await this.until(`${names} known`, () => Promise.resolve(names.every((name) => this.#known.has(name))));
  }

  /** Waits until `find` finds something; fails after a while, with what was there instead. */
  async until<T>(what: string, find: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
    for (let tries = 0; tries < 4_800; tries++) {
      const found = await find();
      if (found) return found;
      await this.clock.sleep(25);
    }
    const { status } = await this.get(TUTORIAL).catch(() => this.get(BATCH));
    const runs = JSON.stringify(this.runs);
    throw new AssertionError({ message: `Never seen: ${what}. Runs: ${runs}. Status: ${JSON.stringify(status)}` });
  }
}

export { BATCH, type Flavour, FLAVOURS, PRODUCTION, TUTORIAL };
