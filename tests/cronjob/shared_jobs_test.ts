// Controllers of several flavours, and the Job controller, on one watch and one cache of Jobs.
import { assertEquals } from "@std/assert";
import { jobCachesFor } from "../../src/cli/shared/job_caches.ts";
import { BATCH, type Flavour, FLAVOURS, PRODUCTION, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { CronJobController } from "../../src/cronjob/controller.ts";
import { JobController } from "../../src/job/controller.ts";
import type { KubeObject } from "../../src/kube/object.ts";
import { type Job, JOBS } from "../../src/kube/resource.ts";
import type { Leading } from "../../src/runtime/take_over.ts";
import { FakeApi } from "../runtime/support/fake_api.ts";
import { atLeast } from "../support/expected.ts";
import { FakeClock, settle } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { jobOf } from "../support/job.ts";
import { cronJobOf } from "../support/cron_job.ts";

const recorder = { record() {} };

/** A process that runs all flavours and, where asked for, Jobs. */
class Process implements AsyncDisposable {
  readonly clock = new FakeClock("2026-01-01T00:00:30Z");
  readonly #end = new AbortController();
  #running: Promise<unknown> | undefined;

  constructor(readonly api: FakeApi) {}

  async start({ runsJobs = false, leading }: { runsJobs?: boolean; leading?: Leading } = {}): Promise<void> {
    const { api: client, clock } = this;
    const caches = jobCachesFor({ client, clock, flavours: FLAVOURS, runsJobs });
    const common = { client, clock, recorder, leading };
    const parts = [
      ...caches.ofJobs ? [new JobController({ ...common, jobs: caches.ofJobs, mode: "all" })] : [],
      ...FLAVOURS.map((flavour) => new CronJobController({ ...common, flavour, jobs: caches.ofCronJobs })),
    ];
    this.#running = Promise.all(parts.map((part) => part.run(this.#end.signal)));
    await this.clock.advance(1_000);
  }

  /** Names of Jobs of a namespace. */
  jobs(namespace: string): string[] {
    return this.api.all(JOBS, namespace).map(({ metadata }) => metadata.name).sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.api.intercept = undefined;
    this.#end.abort();
    await this.clock.advance(20_000);
    await this.#running;
  }
}

function putCronJob(api: FakeApi, flavour: Flavour, key: string, spec: Record<string, unknown>): KubeObject {
  const [namespace = "", name = ""] = key.split("/");
  return api.put(flavour.resource, cronJobOf(flavour, { namespace, name, spec: { schedule: "* * * * *", ...spec } }));
}

/** A Job that a user made and that says to be the child of a CronJob. */
function putJob(api: FakeApi, owner: KubeObject): void {
  const annotations = { "cronjob.kubernetes.io/instantiate": "manual" };
  api.put(JOBS, jobOf({ name: "by-hand", namespace: owner.metadata.namespace!, annotations, owner }));
}

for (const runsJobs of [false, true]) {
  test(`Three flavours${runsJobs ? " and the Job controller" : ""} list and watch Jobs once, and once more when they lead`, async () => {
    await using process = new Process(new FakeApi());
    const { api } = process;
    const asked = () => api.requests.splice(0).filter((request) => / jobs /.test(`${request} `)).map(withoutVersion);
    const lead = Promise.withResolvers<void>();
    await process.start({ runsJobs, leading: { ready: () => lead.promise } });
    assertEquals(asked(), ["list jobs", "watch jobs"]);
    lead.resolve();
    await process.clock.advance(1_000);
    assertEquals(asked(), ["list jobs", "watch jobs"]);
  });
}

function withoutVersion(request: string): string {
  return request.split(" ").slice(0, 2).join(" ");
}

test("Each flavour's runs are started and followed to their end on the cache that all share, with the Job controller", async () => {
  await using process = new Process(new FakeApi());
  const { api, clock } = process;
  for (const flavour of FLAVOURS) putCronJob(api, flavour, `${flavour.controllerName}/c`, {});
  await process.start({ runsJobs: true });
  await clock.advance(31_000);
  for (const flavour of FLAVOURS) {
    const namespace = flavour.controllerName;
    const [job] = atLeast(1, api.all(JOBS, namespace) as Job[]);
    assertEquals(process.jobs(namespace), [`c-${Date.parse("2026-01-01T00:01:00Z") / 1000 / flavour.nameUnitSeconds}`]);
    assertEquals(job.status?.active, 1, "The Job controller has made its Pod");
    const ended = { type: "Complete", status: "True", lastTransitionTime: "2026-01-01T00:01:01Z" };
    api.put(JOBS, { ...job, status: { completionTime: "2026-01-01T00:01:01Z", conditions: [ended] } } as never);
  }
  await clock.advance(2_000);
  for (const flavour of FLAVOURS) {
    const [{ status }] = atLeast(1, api.all(flavour.resource) as (KubeObject & { status: Record<string, unknown> })[]);
    assertEquals(
      [status.active, status.lastSuccessfulTime],
      [undefined, "2026-01-01T00:01:01Z"],
      flavour.controllerName,
    );
  }
});

test("What the burst of one flavour leaves unread is read before a run of another starts", async () => {
  await using process = new Process(new FakeApi());
  const { api, clock } = process;
  for (let i = 0; i < 20; i++) putCronJob(api, TUTORIAL, `stuck/c${i}`, {});
  const alone = putCronJob(api, PRODUCTION, "other/c", { schedule: "@every 62s", concurrencyPolicy: "Forbid" });
  await process.start();
  const answer = Promise.withResolvers<void>();
  api.intercept = (verb, resource, name) =>
    verb === "create" && resource.plural === "jobs" && name !== "c-1767225662" ? answer.promise : undefined;
  await clock.advance(30_000);
  putJob(api, alone);
  await settle();
  await clock.advance(2_000);
  assertEquals(process.jobs("other"), ["by-hand"]);
  answer.resolve();
  await clock.advance(1_000);
  assertEquals(process.jobs("stuck").length, 20);
});

test("What the burst of one flavour leaves unread is read before a CronJob of another is reconciled", async () => {
  await using process = new Process(new FakeApi());
  const { api, clock } = process;
  for (let i = 0; i < 20; i++) putCronJob(api, TUTORIAL, `stuck/c${i}`, {});
  const alone = putCronJob(api, PRODUCTION, "other/c", { schedule: "0 0 1 6 *", concurrencyPolicy: "Forbid" });
  await process.start();
  const answer = Promise.withResolvers<void>();
  api.intercept = (verb, resource, name) =>
    verb === "create" && resource.plural === "jobs" && name.startsWith("c") && !name.includes("-m")
      ? answer.promise
      : undefined;
  await clock.advance(30_000);
  putJob(api, alone);
  await clock.advance(2_000);
  const [seen] = atLeast(1, api.all(PRODUCTION.resource, "other"));
  const annotations = { "cronjob-controller.dev/trigger": "1" };
  api.put(PRODUCTION.resource, { ...seen, metadata: { ...seen.metadata, annotations } } as never);
  await clock.advance(1_000);
  assertEquals(process.jobs("other"), ["by-hand"]);
  answer.resolve();
  await clock.advance(1_000);
});

test("A Job that claims the CronJob of another flavour, by its UID and name, belongs to none", async () => {
  await using process = new Process(new FakeApi());
  const { api, clock } = process;
  const cronJob = putCronJob(api, TUTORIAL, "default/c", { concurrencyPolicy: "Forbid" });
  putJob(api, { ...cronJob, apiVersion: BATCH.apiVersion });
  await process.start();
  await clock.advance(31_000);
  assertEquals(process.jobs("default"), ["by-hand", "c-1767225660"]);
});
