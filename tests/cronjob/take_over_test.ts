import { assertEquals } from "@std/assert";
import { TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { type ChildCache, followChildren } from "../../src/cronjob/child_cache.ts";
import { CronJobController } from "../../src/cronjob/controller.ts";
import type { CronJobSpec } from "../../src/cronjob/api/types.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { JOBS, type Resource } from "../../src/kube/resource.ts";
import { formatTime } from "../../src/base/epoch_ms.ts";
import { startTestApiServer, type TestApiServer } from "../support/api_server.ts";
import { cronJobOf } from "../support/cron_job.ts";
import { eventually } from "../support/program.ts";
import { test } from "../support/test.ts";
import { ShiftedClock } from "./support/shifted_clock.ts";
import { CRONJOB_CRD, CUSTOM_RESOURCE_DEFINITIONS } from "../support/crds.ts";
import { jobOf } from "../support/job.ts";

const NAMESPACE = "default";
const NOON = Date.parse("2027-01-01T12:00:00Z");

/** A controller that stands by until it is to lead, with its requests, and a hand on its lists of Jobs. */
class StandingBy implements AsyncDisposable {
  readonly clock = new ShiftedClock(formatTime(NOON - 600_000));
  /** Writes, and lists, in the order in which they were asked for. */
  readonly requests: string[] = [];
  readonly jobs: ChildCache;
  readonly lead = Promise.withResolvers<void>();
  /** What lists of Jobs wait for. */
  jobsListed: Promise<void> = Promise.resolve();
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  readonly ready: Promise<void>;

  constructor(api: TestApiServer) {
    const client = this.#noting(api.client);
    const { clock } = this;
    const jobs = this.jobs = followChildren({ client, clock, flavours: [TUTORIAL] });
    const controller = new CronJobController({
      client,
      clock,
      flavour: TUTORIAL,
      jobs,
      recorder: { record: () => {} },
      leading: { ready: () => this.lead.promise },
    });
    this.#running = controller.run(this.#stop.signal);
    this.ready = controller.ready();
  }

  #noting(client: KubeClient): KubeClient {
    return new Proxy(client, {
      get: (target, method) => {
        const value = Reflect.get(target, method, target);
        if (typeof value !== "function") return value;
        return (resource: Resource, ...args: unknown[]) => {
          if (method !== "watch" && method !== "get" && method !== "whenFree" && method !== "isSlow") {
            this.requests.push(`${method === "createText" ? "create" : String(method)} ${resource.plural}`);
          }
          const call = () => value.call(target, resource, ...args);
          return method === "list" && resource.plural === "jobs" ? this.jobsListed.then(call) : call();
        };
      },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}

async function start(spec: Partial<CronJobSpec>) {
  const api = await startTestApiServer();
  await api.client.create(CUSTOM_RESOURCE_DEFINITIONS, CRONJOB_CRD);
  const given = { name: "c", namespace: NAMESPACE, spec: { schedule: "0 12 * * *", ...spec } };
  const cronJob = await api.client.create(TUTORIAL.resource, cronJobOf(TUTORIAL, given));
  // It ran yesterday.
  const status = { lastScheduleTime: formatTime(NOON - 86_400_000) };
  const merge = { type: "merge", body: { status } } as const;
  await api.client.patch(TUTORIAL.resource, cronJob.metadata, merge, { subresource: "status" });
  const standby = new StandingBy(api);
  await standby.ready;
  return { api, cronJob, standby };
}

test("A controller that stands by writes nothing; when it leads, a due Job starts while the Jobs are being listed", async () => {
  const { api, standby } = await start({});
  await using _api = api;
  await using _standby = standby;
  standby.clock.set(formatTime(NOON + 1_000));
  await new Promise((resolve) => setTimeout(resolve, 100));
  assertEquals(standby.requests.splice(0), ["list jobs", "list cronjobs"]);

  const listed = Promise.withResolvers<void>();
  standby.jobsListed = listed.promise;
  standby.lead.resolve();
  await eventually("the due Job", async () => (await api.client.list(JOBS)).items.length === 1);
  assertEquals(standby.requests.splice(0).sort(), ["create jobs", "list cronjobs", "list jobs"]);
  listed.resolve();
  await eventually("the status", async () => {
    const { status } = await api.client.get(TUTORIAL.resource, { name: "c", namespace: NAMESPACE });
    return status?.lastScheduleTime === formatTime(NOON) && status.active?.length === 1;
  });
  assertEquals(standby.requests.filter((request) => request.startsWith("create")), []);
});

test("A run that another one could hold back waits for the list of Jobs", async () => {
  const { api, standby } = await start({ concurrencyPolicy: "Forbid" });
  await using _api = api;
  await using _standby = standby;
  standby.clock.set(formatTime(NOON + 1_000));
  const listed = Promise.withResolvers<void>();
  standby.jobsListed = listed.promise;
  standby.lead.resolve();
  await eventually("the lists", () => Promise.resolve(standby.requests.length === 4));
  await new Promise((resolve) => setTimeout(resolve, 100));
  assertEquals(standby.requests, ["list jobs", "list cronjobs", "list cronjobs", "list jobs"]);
  listed.resolve();
  await eventually("the due Job", async () => (await api.client.list(JOBS)).items.length === 1);
});

test("A run whose Job was seen and deleted, and that no status records, does not start again", async () => {
  const { api, cronJob, standby } = await start({});
  await using _api = api;
  await using _standby = standby;
  // As a former leader left it that crashed before it wrote the status.
  const annotations = { [TUTORIAL.scheduledTimeAnnotation]: formatTime(NOON) };
  const job = await api.client.create(JOBS, jobOf({ name: `c-${NOON / 1_000}`, annotations, owner: cronJob }));
  await eventually("it is seen", () => Promise.resolve(standby.jobs.store.size === 1));
  await api.client.delete(JOBS, job.metadata, { propagationPolicy: "Background" });
  await eventually("it is gone", async () => (await api.client.list(JOBS)).items.length === 0);
  standby.clock.set(formatTime(NOON + 1_000));
  standby.lead.resolve();
  await eventually("the status", async () => {
    const { status } = await api.client.get(TUTORIAL.resource, { name: "c", namespace: NAMESPACE });
    return status?.lastScheduleTime === formatTime(NOON);
  });
  assertEquals(standby.requests.filter((request) => request.startsWith("create")), []);
});

test("A controller that is asked to end while it catches up finishes one Job, and leaves the others to the next", async () => {
  const { api, standby } = await start({
    schedule: "@every 1m",
    catchUp: { policy: "All", maxRuns: 200, maxParallel: 200 },
  });
  await using _api = api;
  standby.clock.set(formatTime(NOON));
  standby.lead.resolve();
  await eventually(
    "some Jobs",
    () => Promise.resolve(standby.requests.filter((line) => line === "create jobs").length > 5),
  );
  await standby[Symbol.asyncDispose]();
  const asked = standby.requests.filter((line) => line === "create jobs").length;
  assertEquals((await api.client.list(JOBS)).items.length, asked);

  const next = new StandingBy(api);
  await using _next = next;
  next.clock.set(formatTime(NOON));
  next.lead.resolve();
  await eventually("all Jobs", async () => (await api.client.list(JOBS)).items.length === 200);
});
