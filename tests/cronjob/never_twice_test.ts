// `neverTwice`, end to end on our own API server: Jobs that others delete, controllers that die, what is left behind.
import { assert, assertEquals, assertRejects } from "@std/assert";
import type { Flavour } from "../../src/cronjob/api/flavour.ts";
import { NAME_HOLD } from "../../src/cronjob/api/annotations.ts";
import type { CronJobSpec } from "../../src/cronjob/api/types.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { ApiError } from "../../src/kube/api_error.ts";
import { type Job, JOBS, NAMESPACES, PODS } from "../../src/kube/resource.ts";
import { TtlController } from "../../src/job/ttl_controller.ts";
import { atLeast, must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { BATCH, FLAVOURS, Running, TUTORIAL } from "./support/running.ts";
import { SharedCluster } from "./support/shared_cluster.ts";
import { controlledBy, jobOf } from "../support/job.ts";

const DAY = "2026-03-10";
const TEN = `${DAY}T10:00:00Z`;
const ELEVEN = `${DAY}T11:00:00Z`;
const LONG_MS = 3_600_000;
const ASKED = { neverTwice: { byDefault: false } };

/** A cluster on which a CronJob that asks for it has started its Job of ten. */
async function atTen(
  api: Flavour,
  spec: Partial<CronJobSpec> = {},
  options: Parameters<Running["startControllers"]>[0] = { ...ASKED, holdMs: LONG_MS },
) {
  const running = await Running.start(`${DAY}T09:30:00Z`, { controller: false });
  await running.startControllers(options);
  await running.create(api, { ...(api.extrasIn === "spec" && { neverTwice: true }), ...spec }, {
    annotations: { "cronjob-controller.dev/never-twice": "true" },
  });
  await running.known("c");
  running.clock.set(TEN);
  return { running, job: await running.firstJob() };
}

function held(job: Job | undefined): boolean {
  return job?.metadata.finalizers?.includes(NAME_HOLD) ?? false;
}

async function isRecorded(running: Running, api: Flavour): Promise<boolean> {
  return (await running.get(api)).status?.lastScheduleTime !== undefined;
}

/** A client whose writes of statuses are refused. */
function withoutStatus(client: KubeClient): KubeClient {
  const replace: KubeClient["replace"] = (resource, object, options) =>
    options?.subresource === "status"
      ? Promise.reject(new ApiError("not now", { code: 500, reason: "InternalError" }))
      : client.replace(resource, object, options);
  return new Proxy(client, {
    get(target, name) {
      const member = name === "replace" ? replace : Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

test("The name of a Job stays taken until its time is over, also of a Job that is deleted, in every flavour", async () => {
  for (const api of FLAVOURS) {
    const { running, job } = await atTen(api);
    await using _ = running;
    assert(held(job));
    await running.until("the record", () => isRecorded(running, api));
    await running.client.delete(JOBS, job.metadata, { propagationPolicy: "Background" });
    assertEquals((await running.firstJob()).metadata.uid, job.metadata.uid);
    await running.stopControllers();
    await running.startControllers(ASKED);
    await running.until("its end", async () => (await running.jobs()).length === 0);
    assertEquals((await running.get(api)).status?.lastScheduleTime, TEN);
  }
});

test("A run costs one patch of its Job more, and nothing before its time is over", async () => {
  const { running } = await atTen(TUTORIAL, {}, { ...ASKED, holdMs: LONG_MS, counted: true });
  await using _ = running;
  await running.until("the record", () => isRecorded(running, TUTORIAL));
  await running.stopControllers();
  const patches = () => running.requests.filter((request) => request === "patch jobs").length;
  assertEquals(patches(), 0);
  await running.startControllers({ ...ASKED, counted: true });
  await running.until("the end of the finalizer", async () => !held((await running.jobs())[0]));
  await running.stopControllers();
  assertEquals(patches(), 1);
});

test("Without the flag no Job carries the finalizer, and a CronJob that asks for it hears of that", async () => {
  const { running, job } = await atTen(TUTORIAL, {}, {});
  await using _ = running;
  assertEquals(job.metadata.finalizers, undefined);
  const [event] = atLeast(
    1,
    await running.until("the warning", async () => {
      const events = await running.events("NeverTwiceOff");
      return events.length > 0 && events;
    }),
  );
  assertEquals(event.message, "neverTwice has no effect: the controller runs without --never-twice");
});

for (const neverTwice of [true, false]) {
  const becomes = neverTwice ? "starts once with neverTwice" : "starts again without neverTwice";
  test(`A time whose Job was deleted before any status recorded it ${becomes}, once another controller comes`, async () => {
    await using running = await Running.start(`${DAY}T09:30:00Z`, { controller: false });
    await running.create(TUTORIAL, { neverTwice });
    // Its statuses would come too late: it dies before.
    await running.startControllers({ ...ASKED, holdMs: LONG_MS, client: withoutStatus(running.client) });
    running.clock.set(TEN);
    const { metadata } = await running.firstJob();
    await running.stopControllers();
    await running.client.delete(JOBS, metadata, { propagationPolicy: "Background" });
    await running.startControllers({ ...ASKED, holdMs: LONG_MS });
    await running.until("the record", () => isRecorded(running, TUTORIAL));
    const [job] = atLeast(1, await running.jobs());
    assertEquals(job.metadata.uid === metadata.uid, neverTwice);
  });
}

test("A name whose time no status could record stays taken, however long ago its Job was created", async () => {
  await using running = await Running.start(`${DAY}T09:30:00Z`, { controller: false });
  await running.create(TUTORIAL, { neverTwice: true });
  await running.startControllers({ ...ASKED, client: withoutStatus(running.client) });
  running.clock.set(TEN);
  const job = await running.firstJob();
  // The finalizer of a Job without an owner goes, so that of the other Job was looked at too.
  await running.client.create(JOBS, jobOf({ name: "other", finalizers: [NAME_HOLD] }));
  const jobNamed = async (name: string) => (await running.jobs()).find(({ metadata }) => metadata.name === name);
  await running.until("the end of the other finalizer", async () => !held(await jobNamed("other")));
  assert(held(await jobNamed(job.metadata.name)));
  await running.stopControllers();
  await running.startControllers(ASKED);
  await running.until("its end", async () => !held(await jobNamed(job.metadata.name)));
  assert(await isRecorded(running, TUTORIAL));
});

for (const propagationPolicy of ["Background", "Foreground", "Orphan"] as const) {
  test(`No finalizer is left behind by a CronJob that is deleted (${propagationPolicy})`, async () => {
    const { running, job } = await atTen(TUTORIAL);
    await using _ = running;
    const { metadata } = await running.get(TUTORIAL);
    await running.client.delete(TUTORIAL.resource, metadata, { propagationPolicy });
    await running.until("its effect on the Job", async () => {
      const { deletionTimestamp, ownerReferences } = (await running.firstJob()).metadata;
      return deletionTimestamp !== undefined || ownerReferences === undefined || ownerReferences.length === 0;
    });
    assert(held(job));
    await running.stopControllers();
    await running.startControllers(ASKED);
    const isFree = async () => (await running.jobs()).every((job) => !held(job));
    await running.until("the end of the finalizer", isFree);
    const left = propagationPolicy === "Orphan" ? [job.metadata.uid] : [];
    await running.until("the end", async () => (await running.jobs()).length === left.length);
    assertEquals((await running.jobs()).map(({ metadata }) => metadata.uid), left);
  });
}

test("A namespace that is deleted goes with the Jobs whose names stay taken in it, once their time is over", async () => {
  await using running = await Running.start(`${DAY}T09:30:00Z`, { controller: false });
  const { client } = running;
  await client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: "team-a" } });
  await running.startControllers({ ...ASKED, holdMs: LONG_MS });
  const annotations = { "cronjob-controller.dev/never-twice": "true" };
  for (const api of FLAVOURS) {
    const named = { name: api.controllerName, namespace: "team-a", annotations };
    await running.create(api, api.extrasIn === "spec" ? { neverTwice: true } : {}, named);
  }
  const names = FLAVOURS.map(({ controllerName }) => controllerName);
  await running.known(...names);
  running.clock.set(TEN);
  const jobs = async () => (await client.list(JOBS, { namespace: "team-a" })).items;
  await running.until("the Jobs", async () => (await jobs()).filter(held).length === names.length);
  await client.delete(NAMESPACES, { name: "team-a" });
  const isTerminating = ({ metadata }: Job) => metadata.deletionTimestamp !== undefined;
  await running.until("the deletion of the Jobs", async () => (await jobs()).every(isTerminating));
  assertEquals((await jobs()).filter(held).length, names.length);
  await running.stopControllers();
  await running.startControllers(ASKED);
  const isThere = () => client.get(NAMESPACES, { name: "team-a" }).then(() => true, () => false);
  await running.until("the end of the namespace", async () => !await isThere());
  assertEquals(await jobs(), []);
});

test("No finalizer is left behind by a mode that is switched off", async () => {
  const { running, job } = await atTen(TUTORIAL);
  await using _ = running;
  await running.until("the record", () => isRecorded(running, TUTORIAL));
  await running.patch(TUTORIAL, { spec: { neverTwice: null } });
  await running.stopControllers();
  await running.startControllers();
  const now = await running.until("its end", async () => {
    const [job] = await running.jobs();
    return !held(job) && job;
  });
  assertEquals([now.metadata.uid, now.metadata.deletionTimestamp], [job.metadata.uid, undefined]);
});

test("The Pods of a Job that is deleted go at once, and the next run starts under Forbid, while the name stays taken", async () => {
  const { running, job } = await atTen(TUTORIAL, { concurrencyPolicy: "Forbid" });
  await using _ = running;
  await running.until("the record", () => isRecorded(running, TUTORIAL));
  await running.client.create(PODS, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "default", ownerReferences: [controlledBy(job)] },
    spec: { containers: [{ name: "main", image: "busybox" }] },
  });
  const setStatus = (status: unknown) =>
    running.client.patch(JOBS, job.metadata, { type: "merge", body: { status } }, { subresource: "status" });
  await setStatus({ startTime: TEN, active: 1, ready: 1 });
  await running.client.delete(JOBS, job.metadata, { propagationPolicy: "Background" });
  await running.until("the end of the Pod", async () => (await running.client.list(PODS, {})).items.length === 0);
  await running.until(
    "the end of the deletion of Pods",
    async () => (await running.firstJob()).metadata.finalizers?.length === 1,
  );
  await setStatus({ active: 0, ready: 0 });
  running.clock.set(ELEVEN);
  await running.until("the next run", async () => (await running.slots(TUTORIAL)).includes(ELEVEN));
  assertEquals(await running.slots(TUTORIAL), [TEN, ELEVEN]);
});

test("Replace starts the next run while the name of the Job that it deleted stays taken", async () => {
  const { running } = await atTen(TUTORIAL, { concurrencyPolicy: "Replace" });
  await using _ = running;
  await running.until("the record", () => isRecorded(running, TUTORIAL));
  running.clock.set(ELEVEN);
  await running.until("the next run", async () => (await running.slots(TUTORIAL)).length === 2);
  const [first, second] = atLeast(2, await running.jobs());
  assertEquals([held(first), held(second)], [true, true]);
  assertEquals([first, second].map(({ metadata }) => metadata.deletionTimestamp !== undefined), [true, false]);
});

test("History is cleaned up, and the TTL controller deletes, while names stay taken", async () => {
  const { running, job } = await atTen(TUTORIAL, { successfulJobsHistoryLimit: 0 });
  await using _ = running;
  await running.finish(job);
  await running.until("the clean-up", async () => (await running.firstJob()).metadata.deletionTimestamp !== undefined);

  const next = new AbortController();
  await running.patch(TUTORIAL, {
    spec: { successfulJobsHistoryLimit: 3, jobTemplate: { spec: { ttlSecondsAfterFinished: 0 } } },
  });
  const ttl = new TtlController({ client: running.client, clock: running.clock }).run(next.signal);
  running.clock.set(ELEVEN);
  const [, second] = await running.until("the next run", async () => {
    const jobs = await running.jobs();
    return jobs.length === 2 && jobs;
  });
  await running.finish(must(second));
  await running.until(
    "its deletion",
    async () => (await running.jobs()).every(({ metadata }) => metadata.deletionTimestamp !== undefined),
  );
  next.abort();
  await ttl;
  await running.stopControllers();
  await running.startControllers(ASKED);
  await running.until("their end", async () => (await running.jobs()).length === 0);
  assertEquals((await running.get(TUTORIAL)).status?.lastScheduleTime, ELEVEN);
});

test("release, and release --finalizers, free names while no controller runs", async () => {
  await using shared = await SharedCluster.start("09:30:00");
  const { running } = shared;
  await running.create(BATCH, {}, { annotations: { "cronjob-controller.dev/never-twice": "true" } });
  await shared.adopt("c");
  await running.create(TUTORIAL, { neverTwice: true }, { name: "d" });
  await running.startControllers({ ...ASKED, holdMs: LONG_MS, managedOnly: true });
  await running.known("c", "d");
  running.clock.set(TEN);
  await running.until("both Jobs", async () => (await running.jobs()).filter(held).length === 2);
  await running.until("the record", () => isRecorded(running, BATCH));
  await running.stopControllers();

  await shared.release("c", "--timeout", "0");
  const [kept] = atLeast(1, (await running.jobs()).filter(held));
  assertEquals(kept.metadata.ownerReferences?.[0]?.name, "d");
  const name = `default/${kept.metadata.name}`;
  const free = (...more: string[]) => shared.release("--finalizers", "--all", "--all-namespaces", ...more);
  assertEquals((await free("--dry-run")).stdout, `Would free Job ${name}`);
  const inBoth = ["--finalizers", "--all", "--namespace", "other,default", "--dry-run"];
  assertEquals((await shared.release(...inBoth)).stdout, `Would free Job ${name}`);
  assertEquals((await free()).stdout, `Freed Job ${name}`);
  assertEquals((await running.jobs()).filter(held), []);
  await assertRejects(() => shared.release("--finalizers", "c"), Error, "Give --all with --finalizers");
});
