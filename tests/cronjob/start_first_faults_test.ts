// What starting before settling could break, each once.
import { assert, assertEquals, assertRejects } from "@std/assert";
import { CATCH_UP, MANAGED, RELEASING_VALUE, TRIGGER } from "../../src/cronjob/api/annotations.ts";
import { FLAVOURS, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { ApiError } from "../../src/kube/api_error.ts";
import { formatTime } from "../../src/base/epoch_ms.ts";
import { must } from "../support/expected.ts";
import { table } from "../support/table.ts";
import { test } from "../support/test.ts";
import { Starting } from "./support/starting.ts";
import { at } from "./support/world.ts";
import { jobOf } from "../support/job.ts";

test("Two refused creations do not make it turn in circles", async () => {
  const s = new Starting({ annotations: { [TRIGGER]: "1" }, armed: "10:00:30" });
  s.fates = Array(400).fill("refused");
  s.set("10:01");
  await s.fire();
  s.deliverAll();
  let creations = 0;
  for (let round = 0; round < 100; round++) {
    const { again } = await s.reconciler.reconcile("default/c", new AbortController().signal);
    if (!again) break;
    creations = s.server.requests.filter((r) => r === "create jobs").length;
  }
  assert(creations <= 4, `${creations} creations within one instant`);
});

for (const flavour of FLAVOURS) {
  test(`What was started is recorded when the process ends before it is settled (${flavour.controllerName})`, async () => {
    const s = new Starting({ flavour });
    await s.comeToRest();
    s.set("10:01");
    assertEquals(await s.fire(), ["10:01"]);
    assertEquals(s.cronJob.status?.lastScheduleTime, undefined);
    await s.reconciler.recordStarted(new AbortController().signal);
    assertEquals(s.cronJob.status?.lastScheduleTime, formatTime(at("10:01")));
    const { length } = s.server.requests;
    await s.reconciler.recordStarted(new AbortController().signal);
    assertEquals(s.server.requests.length, length, "Nothing is left to record");
  });
}

test("Missed runs start though the API server refuses to record those that wait", async () => {
  const s = new Starting({ flavour: TUTORIAL, spec: { catchUp: { policy: "All" } } });
  await s.comeToRest();
  s.set("10:01");
  await s.fire();
  s.finishAll();
  await s.comeToRest();
  s.boot();
  s.set("10:04");
  s.deliverAll();
  s.fates = ["refused"];
  await assertRejects(() => s.fire());
  assertEquals(s.slots(), ["10:01"]);
  s.fates = ["ok", "refused"];
  await assertRejects(() => s.reconciler.reconcile("default/c", new AbortController().signal));
  assertEquals(s.slots(), ["10:01", "10:02"]);
});

test("A CronJob goes on though its API server was restored to a version of the past", async () => {
  const s = new Starting({ flavour: TUTORIAL });
  await s.comeToRest();
  const backup = s.cronJob;
  s.set("10:01");
  await s.fire();
  await s.settle();
  s.server.restore("cronjobs", backup);
  s.cronJobs.relist([backup]);
  s.jobs.deliver();
  s.set("10:02");
  assertEquals(await s.fire(), ["10:02"]);
  await assertRejects(() => s.settle(), ApiError, "has been modified");
  await s.settle();
  assertEquals(s.cronJob.status?.lastScheduleTime, formatTime(at("10:02")));
});

for (const { controllerName, ...flavour } of FLAVOURS) {
  table(`What a restored API server has forgotten of a line (${controllerName})`, [
    ["its end: no run starts again", "recorded"],
    ["its beginning: each run starts", "unrecorded"],
  ], async (backedUp) => {
    const s = new Starting({
      flavour: { controllerName, ...flavour },
      ...(flavour.extrasIn === "spec"
        ? { spec: { catchUp: { policy: "All" } } }
        : { annotations: { [CATCH_UP]: "All" } }),
    });
    await s.comeToRest();
    s.set("10:01");
    await s.fire();
    s.finishAll();
    await s.comeToRest();
    let backup = s.cronJob;
    s.set("10:04:30");
    await s.fire();
    if (backedUp === "recorded") backup = s.cronJob;
    const ended = backedUp === "recorded" ? 2 : 0;
    for (let i = 0; i < ended; i++) {
      await s.comeToRest();
      s.finishAll();
      await s.comeToRest();
    }
    await s.comeToRest();
    s.removeJobs();
    s.deliverAll();
    s.server.restore("cronjobs", backup);
    await s.live("10:06", 10_000);
    assertEquals(s.slots().toSorted(), ["10:01", "10:02", "10:03", "10:04", "10:05", "10:06"]);
  });
}

test("A process that ends and is refused leaves the record to the next one", async () => {
  const s = new Starting({ armed: "10:00:30" });
  await s.comeToRest();
  s.set("10:01");
  await s.fire();
  s.fates = ["refused"];
  await s.reconciler.recordStarted(new AbortController().signal);
  s.boot();
  s.deliverAll();
  await s.comeToRest();
  assertEquals([s.cronJob.status?.lastScheduleTime, s.slots()], [formatTime(at("10:01")), ["10:01"]]);
});

test("A released CronJob that this controller goes on running keeps its schedule", async () => {
  const s = new Starting({ spec: { suspend: true }, annotations: { [MANAGED]: "true" } });
  await s.comeToRest();
  s.isDirty = false;
  s.edit({ metadata: { annotations: { [MANAGED]: RELEASING_VALUE } } });
  s.deliverAll();
  let wake = await s.settle();
  s.isDirty = false;
  for (let i = 0; i < 5; i++) {
    s.deliverAll();
    if (!s.isDirty) break;
    s.isDirty = false;
    wake = await s.settle();
  }
  assertEquals(s.cronJob.metadata.annotations?.[MANAGED], undefined);
  assertEquals(s.cronJob.spec.suspend, false);
  assertEquals(wake, "10:01");
});

test("The end of a run is reported that is recorded on the way to a Replace", async () => {
  const s = new Starting({ flavour: TUTORIAL, spec: { concurrencyPolicy: "Replace" } });
  await s.comeToRest();
  s.set("10:01");
  await s.fire();
  await s.comeToRest();
  s.set("10:01:59");
  s.finish("10:01");
  s.deliverAll();
  s.set("10:02");
  await s.fire();
  // 10:02 has started at its instant, and a run by hand replaces it before anything is recorded.
  s.edit({ metadata: { annotations: { [TRIGGER]: "x" } } });
  s.deliverAll();
  await s.comeToRest();
  assertEquals(s.slots().length, 3);
  assertEquals(s.events.filter((e) => e.startsWith("SawCompletedJob")).length, 1, s.events.join("\n"));
});

test("An armed run of a grid that a Job has moved does not start", async () => {
  const make = async () => {
    const s = new Starting({ flavour: TUTORIAL, spec: { schedule: "@every 60s" }, created: "10:00" });
    await s.comeToRest();
    return s;
  };
  const other = await make();
  other.set("10:00:40");
  const s = await make();
  s.set("10:00:45");
  // A run of 10:00:40 arrives: a former leader's late write.
  const time = "2026-03-10T10:00:40Z";
  const late = jobOf({
    name: `c-${Date.parse(time) / 1000}`,
    uid: "late",
    creationTimestamp: time,
    annotations: { [TUTORIAL.scheduledTimeAnnotation]: time },
    owner: s.cronJob,
  });
  s.server.put("jobs", late);
  s.deliverAll();
  s.set("10:01");
  assertEquals(await s.fire(), []);
});

test("A CronJob without a spec can be reconciled again before its own status arrives", async () => {
  const s = new Starting({ flavour: TUTORIAL });
  const { spec: _, ...bare } = s.cronJob;
  s.server.put("cronjobs", bare as never);
  s.deliverAll();
  await s.settle();
  await s.settle();
});

test("Forbid starts nothing beside a Job whose name was met and that could not be looked at", async () => {
  const s = new Starting({ flavour: TUTORIAL, spec: { concurrencyPolicy: "Forbid" } });
  await s.comeToRest();
  const twin = new Starting({ flavour: TUTORIAL });
  await twin.comeToRest();
  twin.set("10:01");
  await twin.fire();
  // A former leader's late write, which no cache shows.
  s.server.put("jobs", must(twin.server.created[0]).job);
  s.set("10:01");
  s.fates = ["ok", "lostBefore"];
  await s.fire().catch(() => {});
  s.set("10:02");
  assertEquals(await s.fire(), []);
});

test("A replaced Job that the cache shows late is not taken for a running one that went missing", async () => {
  const s = new Starting({ flavour: TUTORIAL, spec: { concurrencyPolicy: "Replace" } });
  await s.comeToRest();
  s.set("10:01");
  await s.fire();
  await s.settle();
  s.cronJobs.deliver();
  s.set("10:02");
  await s.fire();
  await s.settle();
  s.cronJobs.deliver();
  s.set("10:02:10");
  await s.settle();
  s.cronJobs.deliver();
  // Now the first Job's creation arrives, its deletion not yet.
  s.jobs.deliver(1);
  await s.settle();
  assertEquals(s.cronJob.status?.active?.length, 1, "status.active");
  await s.comeToRest();
  await s.comeToRest();
  assertEquals(s.events.filter((e) => e.startsWith("MissingJob")), []);
});

test("With a deadline and catchUp All the run of this instant is not lost to a long burst", async () => {
  const s = new Starting({
    flavour: TUTORIAL,
    created: "10:00",
    armed: "10:00:00",
    spec: { schedule: "@every 1s", catchUp: { policy: "All", maxParallel: 3 }, startingDeadlineSeconds: 3 },
  });
  await s.comeToRest();
  // A burst of others held the process up for a second: two runs are due, and the key stays due until none is.
  s.set("10:00:02");
  await s.fire();
  await s.fire();
  // The burst lasts 5 s, in which nothing is settled.
  s.set("10:00:07");
  await s.comeToRest();
  assert(s.slots().includes("10:00:02") && s.slots().includes("10:00:01"));
});

for (const flavour of FLAVOURS) {
  test(`What is recorded before a run starts counts in metrics too, once (${flavour.controllerName})`, async () => {
    const schedule = "*/10 * * * *";
    const catchUp = { policy: "All", maxRuns: 3 } as const;
    const s = new Starting({
      flavour,
      ...flavour.extrasIn === "spec"
        ? { spec: { schedule, catchUp } }
        : { spec: { schedule }, annotations: { [CATCH_UP]: JSON.stringify(catchUp) } },
    });
    await s.comeToRest();
    s.set("10:52");
    await s.comeToRest();
    assertEquals([s.slots(), s.counted], [["10:30"], { PassedOver: 2 }]);
    s.set("11:20");
    assertEquals(await s.fire(), ["11:20"]);
    assertEquals(s.counted, { PassedOver: 2, Skipped: 2 });
    await s.comeToRest();
    assertEquals(s.counted, { PassedOver: 2, Skipped: 2 });
    const { counts } = s.cronJob.status as { counts?: { missed: number; skipped: number } };
    if (flavour.openStatus) assertEquals([counts?.missed, counts?.skipped], [2, 2]);
  });
}
