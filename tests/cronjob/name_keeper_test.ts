// The keeper of names frees Jobs although not everything is known, on our own API server.
import { assertEquals } from "@std/assert";
import { type Flavour, FLAVOURS } from "../../src/cronjob/api/flavour.ts";
import { NAME_HOLD } from "../../src/cronjob/api/annotations.ts";
import { definitionOf } from "../../src/cronjob/api/crd.ts";
import { followChildren } from "../../src/cronjob/child_cache.ts";
import { CronJobController } from "../../src/cronjob/controller.ts";
import { NameKeeper } from "../../src/cronjob/name_keeper.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import type { OwnerReference } from "../../src/kube/object.ts";
import { JOBS } from "../../src/kube/resource.ts";
import { UnreachableError } from "../../src/kube/unreachable_error.ts";
import { EventRecorder } from "../../src/runtime/event_recorder.ts";
import type { Leading } from "../../src/runtime/take_over.ts";
import { eventually } from "../support/program.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { CUSTOM_RESOURCE_DEFINITIONS } from "../support/crds.ts";
import { FakeClock, settle } from "../support/fake_clock.ts";
import { table } from "../support/table.ts";
import { test } from "../support/test.ts";
import { BATCH, PRODUCTION, TUTORIAL } from "./support/running.ts";
import { jobOf } from "../support/job.ts";

const LOOK_MS = 60_000;

/** A keeper of names on a server that has `batch/v1` alone; names stay taken for no time. */
async function keeping({ runs, leading }: { runs: readonly Flavour[]; leading?: Leading }) {
  const stack = new AsyncDisposableStack();
  const api = stack.use(await startTestApiServer({ ephemeral: true }));
  const { client } = api;
  const looks = { areRefused: false, count: 0 };
  const looking = new Proxy(client, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (name !== "raw") return typeof value === "function" ? value.bind(target) : value;
      return (...args: Parameters<KubeClient["raw"]>) => {
        looks.count++;
        return looks.areRefused ? Promise.reject(new UnreachableError("no answer")) : target.raw(...args);
      };
    },
  });
  const clock = new FakeClock();
  const recorder = new EventRecorder({ client, clock, component: "test" });
  const jobs = followChildren({ client, clock, flavours: runs.length > 0 ? runs : FLAVOURS });
  const controllers = runs.map((flavour) => new CronJobController({ client, clock, flavour, jobs, recorder }));
  const keeper = new NameKeeper({ client: looking, clock, jobs, controllers, leading, holdMs: 0 });
  const stop = new AbortController();
  const stopControllers = new AbortController();
  const controllersEnd = AbortSignal.any([stop.signal, stopControllers.signal]);
  const running = [keeper.run(stop.signal), ...controllers.map((controller) => controller.run(controllersEnd))];
  stack.defer(async () => {
    stop.abort();
    await Promise.all(running);
  });
  /** Creates a Job that a CronJob of this API owns which is gone, and whose name is kept. */
  const create = (name: string, owner: Flavour, ...references: readonly Partial<OwnerReference>[]) =>
    client.create(JOBS, {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: {
        name,
        namespace: "default",
        finalizers: [NAME_HOLD],
        ownerReferences: (references.length > 0 ? references : [{ controller: true }]).map((reference, index) => ({
          apiVersion: owner.apiVersion,
          kind: "CronJob",
          name: "c",
          uid: `gone-${index}`,
          ...reference,
        })),
      },
      spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox" }] } } },
    });
  const held = async () => {
    await clock.advance(0);
    return (await client.list(JOBS, {})).items.filter(({ metadata }) => metadata.finalizers?.includes(NAME_HOLD))
      .map(({ metadata }) => metadata.name);
  };
  /** Looks until only these names are held; returns what is after a while. */
  const heldUntil = async (...names: string[]) => {
    for (let tries = 0; tries < 200 && (await held()).join() !== names.join(); tries++) await settle();
    return await held();
  };
  return {
    client,
    clock,
    looks,
    jobs,
    stopControllers,
    create,
    held,
    heldUntil,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

test("A Job is freed although the CronJobs of another API cannot be listed", async () => {
  await using keeper = await keeping({ runs: [BATCH, TUTORIAL] });
  await keeper.create("mine", BATCH);
  assertEquals(await keeper.heldUntil(), []);
});

for (const runs of [[BATCH], [BATCH, PRODUCTION], []]) {
  const those = runs.map(({ controllerName }) => controllerName).join(", ");
  test(`A Job is freed at the second look at which its API is gone (${those || "no API is run"})`, async () => {
    await using keeper = await keeping({ runs });
    await keeper.create("gone", PRODUCTION);
    assertEquals(await keeper.heldUntil("gone"), ["gone"]);
    await keeper.clock.advance(LOOK_MS / 2);
    assertEquals(await keeper.held(), ["gone"]);
    await keeper.clock.advance(LOOK_MS / 2);
    assertEquals(await keeper.heldUntil(), []);
  });
}

test("A Job of an API that another process runs is left to that process", async () => {
  await using keeper = await keeping({ runs: [BATCH] });
  await keeper.client.create(CUSTOM_RESOURCE_DEFINITIONS, definitionOf(PRODUCTION));
  await keeper.create("theirs", PRODUCTION);
  for (let looks = 0; looks < 3; looks++) await keeper.clock.advance(LOOK_MS);
  await keeper.create("mine", BATCH);
  assertEquals(await keeper.heldUntil("theirs"), ["theirs"]);
});

test("Jobs of an API that gives no answer share a look, and the next one comes later", async () => {
  await using keeper = await keeping({ runs: [] });
  const { looks } = keeper;
  looks.areRefused = true;
  const names = Array.from({ length: 30 }, (_, i) => `kept-${String(i).padStart(2, "0")}`);
  for (const name of names) await keeper.create(name, PRODUCTION);
  for (let i = 0; i < 15; i++) await keeper.clock.advance(100);
  assertEquals(await keeper.heldUntil(...names), names);
  assertEquals(looks.count, 1);
  await keeper.clock.advance(3_000);
  assertEquals(await keeper.held(), names);
  assertEquals(looks.count, 2);
});

test("A look at an API of days ago counts for nothing", async () => {
  await using keeper = await keeping({ runs: [] });
  await keeper.create("once", PRODUCTION);
  assertEquals(await keeper.heldUntil("once"), ["once"]);
  await keeper.clock.advance(LOOK_MS);
  assertEquals(await keeper.heldUntil(), []);
  await keeper.clock.advance(3 * 24 * 60 * LOOK_MS);
  await keeper.create("later", PRODUCTION);
  await keeper.create("free", PRODUCTION, { kind: "Other" });
  assertEquals(await keeper.heldUntil("later"), ["later"]);
  await keeper.clock.advance(LOOK_MS);
  assertEquals(await keeper.heldUntil(), []);
});

table("A Job is freed whose CronJob is of an API that this process runs and", [
  ["is not its controller", [{ controller: false }]],
  ["has another controller beside it", [{ controller: false }, { kind: "Workflow", controller: true }]],
], async (references: readonly Partial<OwnerReference>[]) => {
  await using keeper = await keeping({ runs: [BATCH] });
  await keeper.create("mine", BATCH, ...references);
  assertEquals(await keeper.heldUntil(), []);
});

table("A Job is left to another process whose CronJob", [
  ["controls it beside one of ours", [{}, { apiVersion: PRODUCTION.apiVersion, controller: true }]],
  ["may own it beside one of ours", [{}, { apiVersion: PRODUCTION.apiVersion }]],
], async (references: readonly Partial<OwnerReference>[]) => {
  await using keeper = await keeping({ runs: [BATCH] });
  await keeper.client.create(CUSTOM_RESOURCE_DEFINITIONS, definitionOf(PRODUCTION));
  await keeper.create("theirs", BATCH, ...references);
  for (let looks = 0; looks < 3; looks++) await keeper.clock.advance(LOOK_MS);
  await keeper.create("mine", BATCH);
  assertEquals(await keeper.heldUntil("theirs"), ["theirs"]);
});

test("Jobs are followed also once no API is run any more", async () => {
  await using keeper = await keeping({ runs: [BATCH] });
  await keeper.jobs.ready();
  keeper.stopControllers.abort();
  await keeper.clock.advance(0);
  await keeper.create("later", PRODUCTION);
  assertEquals(await keeper.heldUntil("later"), ["later"]);
  await eventually("the Job", async () => {
    await keeper.clock.advance(0);
    return keeper.jobs.store.get("default/later") !== undefined;
  });
});

test("No Job is freed by a process that does not lead", async () => {
  const lead = Promise.withResolvers<void>();
  await using keeper = await keeping({ runs: [], leading: { ready: () => lead.promise } });
  await keeper.client.create(JOBS, jobOf({ name: "free", finalizers: [NAME_HOLD] }));
  await keeper.clock.advance(LOOK_MS);
  assertEquals(await keeper.held(), ["free"]);
  lead.resolve();
  assertEquals(await keeper.heldUntil(), []);
});
