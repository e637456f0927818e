// What happens when the API server refuses what the controller asks of it.
import { assertEquals, assertStringIncludes } from "@std/assert";
import { ApiError } from "../../src/kube/api_error.ts";
import { JOBS } from "../../src/kube/resource.ts";
import { atLeast } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { BATCH, type Flavour, FLAVOURS, Running, TUTORIAL } from "./support/running.ts";
import { Starting } from "./support/starting.ts";
import { jobOf } from "../support/job.ts";

const DAY = "2026-03-10";
const TEN = `${DAY}T10:00:00Z`;
const ELEVEN = `${DAY}T11:00:00Z`;

/** Controllers that may not do `verb` with Jobs until the test says so. */
async function startForbidden(verb: "delete" | "get"): Promise<{ running: Running; allow(): void }> {
  const running = await Running.start(`${DAY}T09:30:00Z`, { controller: false });
  const original = running.client[verb].bind(running.client) as (...args: unknown[]) => Promise<unknown>;
  let forbidden = true;
  const guarded = (...args: unknown[]) =>
    forbidden && args[0] === JOBS
      ? Promise.reject(new ApiError(`jobs is forbidden: cannot ${verb}`, { code: 403, reason: "Forbidden" }))
      : original(...args);
  Object.assign(running.client, { [verb]: guarded });
  await running.startControllers();
  return { running, allow: () => void (forbidden = false) };
}

async function firstJob(running: Running, api: Flavour) {
  running.clock.set(TEN);
  return await running.until(
    "the first run",
    async () => (await running.get(api)).status?.active && (await running.jobs())[0],
  );
}

test("A Job that can't be cleaned up is reported once, and holds up no run", async () => {
  for (const api of FLAVOURS) {
    const { running: started } = await startForbidden("delete");
    await using running = started;
    await running.create(api, { successfulJobsHistoryLimit: 0 });
    await running.finish(await firstJob(running, api));
    await running.until("a warning", async () => (await running.events("FailedDelete")).length > 0);
    running.clock.set(ELEVEN);
    await running.until("the next run", async () => (await running.get(api)).status?.lastScheduleTime === ELEVEN);
    assertEquals(await running.slots(api), [TEN, ELEVEN]);
    const [event, ...more] = atLeast(1, await running.events("FailedDelete"));
    assertEquals(more, []);
    assertStringIncludes(event.message!, "Deleted job: jobs is forbidden: cannot delete");
  }
});

test("Replace starts nothing before the replaced Job can be deleted", async () => {
  for (const api of FLAVOURS) {
    const { running: started, allow } = await startForbidden("delete");
    await using running = started;
    await running.create(api, { concurrencyPolicy: "Replace" });
    await firstJob(running, api);
    running.clock.set(ELEVEN);
    await running.until("a warning", async () => (await running.events("FailedDelete")).length > 0);
    assertEquals(await running.slots(api), [TEN]);
    allow();
    await running.until("the replacement", async () => (await running.slots(api))[0] === ELEVEN);
    assertEquals((await running.events("FailedDelete")).length, 1);
  }
});

test("A Job under the due name that can't be looked at is reported once, and looked at again", async () => {
  for (const api of FLAVOURS) {
    const { running: started, allow } = await startForbidden("get");
    await using running = started;
    await running.client.create(JOBS, jobOf({ name: `c-${Date.parse(TEN) / 1000 / api.nameUnitSeconds}` }));
    await running.create(api, {});
    running.clock.set(TEN);
    const [event] = atLeast(
      1,
      await running.until("a warning", async () => {
        const events = await running.events("FailedGet");
        return events.length > 0 && events;
      }),
    );
    assertStringIncludes(event.message!, "Get job: jobs is forbidden: cannot get");
    allow();
    await running.until("a status", async () => (await running.get(api)).status?.lastScheduleTime === TEN);
    assertEquals((await running.jobs()).length, 1);
    assertEquals((await running.events("FailedGet")).length, 1);
  }
});

test("A Job that is asked to come back later is reported at once, tried again within a minute, and keeps no other back", async () => {
  const LATER = "admission webhook denied the request: try later";
  for (const api of FLAVOURS) {
    await using running = await Running.start(`${DAY}T09:30:00Z`, { controller: false });
    const create = running.client.createText.bind(running.client);
    let isRefused = true;
    let attempts = 0;
    const createText = (...args: Parameters<typeof create>) => {
      const [resource, { name }] = args;
      if (resource !== (JOBS as unknown) || !name.startsWith("refused-") || !isRefused) return create(...args);
      attempts++;
      // As much as a Retry-After of an hour comes to.
      const error = new ApiError(LATER, { code: 429, reason: "TooManyRequests", retryAfterMs: 3_600_000 });
      return Promise.reject(error);
    };
    Object.assign(running.client, { createText });
    const overdue = new Map<string, boolean>();
    await running.startControllers({ observer: { looked: ({ name }, { isOverdue }) => overdue.set(name, isOverdue) } });
    for (const name of ["refused", "neighbour"]) await running.create(api, {}, { name });
    await running.known("refused", "neighbour");
    running.clock.set(TEN);
    const warning = await running.until("a warning", async () => (await running.events("FailedCreate"))[0]);
    assertEquals([warning.type, warning.message], ["Warning", `Error creating job: ${LATER}`]);
    await running.until("the metric", () => Promise.resolve(overdue.get("refused")));
    await running.until("the neighbour's run", async () => (await running.jobs()).length === 1);
    assertEquals(attempts, 1);
    isRefused = false;
    running.clock.set(`${DAY}T10:01:01Z`);
    await running.until("the run", async () => (await running.jobs()).length === 2);
    assertEquals(await running.slots(api), [TEN, TEN]);
  }
});

const FATES = { gaveUp: "stopped waiting for", sentElsewhere: "sent elsewhere" };

test("A refused creation is tried again when its time has come, and not because something else happens", async () => {
  const starting = new Starting({});
  await starting.comeToRest();
  starting.set("10:01");
  starting.fates = ["refused"];
  await starting.fire();
  for (let i = 0; i < 3; i++) await starting.settle();
  assertEquals(starting.slots(), []);
  starting.set("10:01:01");
  assertEquals(await starting.settle(), "10:02");
  assertEquals(starting.slots(), ["10:01"]);
});

for (const fate of ["gaveUp", "sentElsewhere"] as const) {
  test(`A creation that something before the server ${FATES[fate]} is looked up before the next run starts`, async () => {
    const starting = new Starting({ spec: { concurrencyPolicy: "Forbid" } });
    await starting.comeToRest();
    starting.set("10:01");
    starting.fates = [fate];
    await starting.fire();
    starting.set("10:02");
    await starting.fire();
    await starting.settle();
    assertEquals(starting.slots(), ["10:01"]);
  });
}

test("A run whose name another owner's Job has is reported once, and counted", async () => {
  for (const api of FLAVOURS) {
    const missed: string[] = [];
    await using running = await Running.start(`${DAY}T09:30:00Z`, { controller: false });
    await running.startControllers({
      observer: { missed: (_, { reason, count }) => missed.push(`${reason} ${count}`) },
    });
    const name = `c-${Date.parse(TEN) / 1000 / api.nameUnitSeconds}`;
    await running.client.create(JOBS, jobOf({ name }));
    await running.create(api, {});
    await running.known("c");
    running.clock.set(TEN);
    await running.until("a status", async () => (await running.get(api)).status?.lastScheduleTime === TEN);
    const [event] = atLeast(
      1,
      await running.until("a warning", async () => {
        const events = await running.events("JobNameTaken");
        return events.length > 0 && events;
      }),
    );
    assertEquals([event.type, event.message], [
      "Warning",
      `Not starting job because ${name} exists already, and does not belong to this CronJob`,
    ]);
    running.clock.set(ELEVEN);
    await running.until("the next run", async () => (await running.get(api)).status?.lastScheduleTime === ELEVEN);
    assertEquals((await running.events("JobNameTaken")).length, 1);
    assertEquals(missed, ["JobNameTaken 1"]);
    if (api.extrasIn === "spec") assertEquals((await running.get(api)).status?.counts?.missed, 1);
  }
});

test("An active Job that lost its owner, and keeps runs from starting, is named", async () => {
  for (const api of FLAVOURS) {
    await using running = await Running.start(`${DAY}T09:30:00Z`);
    await running.create(api, { concurrencyPolicy: "Forbid" });
    const { metadata: { name } } = await firstJob(running, api);
    const body = { metadata: { ownerReferences: null } };
    await running.client.patch(JOBS, { namespace: "default", name }, { type: "merge", body });
    const message =
      `Active job ${name} no longer names this CronJob as its owner, and counts as active until it has ended`;
    await running.until(
      "a warning",
      async () => (await running.events("JobOwnerLost")).some((event) => event.message === message),
    );
    running.clock.set(ELEVEN);
    await running.until("a refusal", async () => (await running.events("JobAlreadyActive")).length === 1);
    assertEquals((await running.events("JobOwnerLost")).length, 1);
    assertEquals(await running.events("FailedHandOver"), [], "It has no owner reference that could be written");
    if (api === BATCH) continue;
    const overdue = await running.until("a condition", async () => {
      const { status } = await running.get(api);
      return status?.conditions?.find(({ type, status }) => type === "Overdue" && status === "True");
    });
    assertStringIncludes(overdue.message, `${name} no longer names this CronJob as its owner`);
  }
});

test("A template that no Job can be made of is reported, and the status is written", async () => {
  await using running = await Running.start(`${DAY}T09:30:00Z`);
  const odd: Record<string, unknown> = {
    "null-item": { spec: { template: { spec: { restartPolicy: "Never", containers: [null] } } } },
    "text": { spec: { template: { spec: { restartPolicy: "Never", containers: "busybox" } } } },
    "empty": {},
    "labels": { metadata: { labels: "text" }, spec: {} },
  };
  for (const [name, jobTemplate] of Object.entries(odd)) {
    await running.create(TUTORIAL, { exposeSchedule: true, jobTemplate: jobTemplate as never }, { name });
  }
  await running.known(...Object.keys(odd));
  running.clock.set(TEN);
  for (const name of Object.keys(odd)) {
    const overdue = await running.until(`a condition of ${name}`, async () => {
      const { status } = await running.get(TUTORIAL, name);
      return status?.conditions?.find(({ type, status }) => type === "Overdue" && status === "True");
    });
    assertEquals(overdue.reason, "FailedCreate");
  }
  await running.until("warnings", async () => (await running.events("FailedCreate")).length === 4);
  assertEquals(await running.jobs(), []);
});

test("A status is written whose schedule has its next time beyond the last year of RFC 3339", async () => {
  await using running = await Running.start(`${DAY}T09:30:00Z`);
  await running.create(TUTORIAL, { schedule: "0 0 1 1 *", startTime: "9999-12-31T00:00:00Z" });
  const status = await running.until("a status", async () => (await running.get(TUTORIAL)).status);
  assertEquals(status.nextScheduleTime, undefined);
});
