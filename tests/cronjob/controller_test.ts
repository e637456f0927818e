import { assert, assertEquals } from "@std/assert";
import { JOBS } from "../../src/kube/resource.ts";
import { parseTime } from "../../src/base/epoch_ms.ts";
import { atLeast } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { BATCH, PRODUCTION, Running, TUTORIAL } from "./support/running.ts";
import { jobOf } from "../support/job.ts";

/** A Tuesday. */
const DAY = "2026-03-10";

test("The controller starts a run of every flavour, with the name, owner and annotation of its kind", async () => {
  await using running = await Running.start(`${DAY}T09:30:00Z`);
  const template = {
    metadata: { labels: { app: "report" }, annotations: { team: "a" } },
    spec: {
      template: {
        spec: {
          restartPolicy: "Never",
          containers: [{ name: "main", image: "busybox" }],
          fieldFromTheFuture: { kept: [1, "2"] },
        },
      },
    },
  };
  const made = {
    tutorial: await running.create(TUTORIAL, { jobTemplate: template as never }, { name: "tutorial" }),
    production: await running.create(PRODUCTION, { jobTemplate: template as never }, { name: "production" }),
    batch: await running.create(BATCH, { jobTemplate: template as never, timeZone: "Asia/Tokyo" }, { name: "batch" }),
  };
  running.clock.set(`${DAY}T10:00:00Z`);
  const slot = Date.parse(`${DAY}T10:00:00Z`);
  const [batch, production, tutorial] = atLeast(
    3,
    await running.until("three Jobs", async () => {
      const jobs = await running.jobs();
      return jobs.length === 3 && jobs.sort((a, b) => a.metadata.name < b.metadata.name ? -1 : 1);
    }),
  );
  assertEquals(tutorial.metadata.name, `tutorial-${slot / 1000}`);
  assertEquals(batch.metadata.name, `batch-${slot / 60_000}`);
  assertEquals(production.metadata.name, `production-${slot / 1000}`);
  assertEquals(production.metadata.annotations, {
    team: "a",
    "cronjob-controller.dev/scheduled-at": `${DAY}T10:00:00Z`,
  });
  assertEquals(tutorial.metadata.annotations, {
    team: "a",
    "batch.tutorial.kubebuilder.io/scheduled-at": `${DAY}T10:00:00Z`,
  });
  assertEquals(
    batch.metadata.annotations?.["batch.kubernetes.io/cronjob-scheduled-timestamp"],
    `${DAY}T19:00:00+09:00`,
  );
  for (
    const [job, owner] of [[tutorial, made.tutorial], [production, made.production], [batch, made.batch]] as const
  ) {
    assertEquals(job.metadata.ownerReferences, [{
      apiVersion: owner.apiVersion,
      kind: "CronJob",
      name: owner.metadata.name,
      uid: owner.metadata.uid,
      controller: true,
      blockOwnerDeletion: true,
    }]);
    assertEquals(job.metadata.labels?.app, "report");
    const spec = job.spec?.template.spec as unknown as Record<string, unknown>;
    assertEquals(spec.fieldFromTheFuture, { kept: [1, "2"] });
  }
  for (const [api, name] of [[TUTORIAL, "tutorial"], [PRODUCTION, "production"], [BATCH, "batch"]] as const) {
    const { status } = await running.until("a status", async () => {
      const cronJob = await running.get(api, name);
      return cronJob.status?.active ? cronJob : undefined;
    });
    assertEquals(status?.lastScheduleTime, `${DAY}T10:00:00Z`);
    assertEquals(status?.active?.map(({ kind, apiVersion }) => [kind, apiVersion]), [["Job", "batch/v1"]]);
  }
});

test("The controller follows a run to its end, cleans up after it, and writes an Event for each step", async () => {
  await using running = await Running.start(`${DAY}T09:30:00Z`);
  await running.create(TUTORIAL, { successfulJobsHistoryLimit: 0 });
  running.clock.set(`${DAY}T10:00:00Z`);
  const job = await running.firstJob();
  await running.finish(job);
  await running.until("the clean-up", async () => (await running.jobs()).length === 0);
  const { status } = await running.until("a success", async () => {
    const cronJob = await running.get(TUTORIAL);
    return cronJob.status?.lastSuccessfulTime ? cronJob : undefined;
  });
  assertEquals(status?.lastScheduleTime, `${DAY}T10:00:00Z`);
  assertEquals(status?.counts?.succeeded, 1);
  assertEquals(status?.active, undefined);
  const reasons = ["SawCompletedJob", "SuccessfulCreate", "SuccessfulDelete"];
  const events = await running.until("three Events", async () => {
    const events = await running.events();
    return events.length >= 3 && events;
  });
  assertEquals(events.map(({ reason }) => reason).sort(), reasons);
  assertEquals(running.runs.map(({ outcome }) => outcome), ["started", "succeeded"]);
});

test("A missed run of an irregular schedule is the one that starts, where Kubernetes starts none", async () => {
  await using running = await Running.start("2026-03-05T16:59:30Z", { controller: false });
  const schedules = {
    five: ["*/5 9-17 * * 1-5", "2026-03-06T17:55:00Z"],
    hourly: ["0 9-17 * * 1-5", "2026-03-06T17:00:00Z"],
    steps: ["30 6-16/4 * * 1-5", "2026-03-06T14:30:00Z"],
  };
  for (const [name, [schedule = ""]] of Object.entries(schedules)) {
    await running.create(BATCH, { schedule }, { name });
    await running.setStatus(BATCH, { lastScheduleTime: "2026-03-05T17:00:00Z" }, name);
  }
  running.clock.set("2026-03-07T02:08:00Z");
  await running.startControllers();
  const jobs = await running.until("three Jobs", async () => {
    const jobs = await running.jobs();
    return jobs.length === 3 && jobs;
  });
  for (const [name, [, time]] of Object.entries(schedules)) {
    const job = jobs.find(({ metadata }) => metadata.ownerReferences?.[0]?.name === name)!;
    assertEquals(job.metadata.annotations?.[BATCH.scheduledTimeAnnotation], time);
    assertEquals(job.metadata.name, `${name}-${parseTime(time)! / 60_000}`);
  }
});

test("A restarted controller starts the latest missed run, and none twice", async () => {
  await using running = await Running.start(`${DAY}T09:30:00Z`);
  await running.create(TUTORIAL, { schedule: "0 * * * *" });
  running.clock.set(`${DAY}T10:00:00Z`);
  await running.until("the first run", async () => (await running.slots(TUTORIAL)).length === 1);
  await running.stopControllers();
  running.clock.set(`${DAY}T14:20:00Z`);
  await running.startControllers();
  await running.until("the missed run", async () => (await running.slots(TUTORIAL)).length === 2);
  await running.stopControllers();
  await running.startControllers();
  await running.until("a status", async () => (await running.get(TUTORIAL)).status?.counts?.missed === 3);
  assertEquals(await running.slots(TUTORIAL), [`${DAY}T10:00:00Z`, `${DAY}T14:00:00Z`]);
});

test("Jobs of a namesake are no children, nor are those that only mention it", async () => {
  await using running = await Running.start(`${DAY}T09:30:00.000Z`);
  const cronJob = await running.create(BATCH, { concurrencyPolicy: "Forbid", schedule: "* * * * *" });
  const owner = { apiVersion: "batch/v1", kind: "CronJob", name: "c" };
  for (
    const [name, reference] of [
      ["namesakes", { ...owner, uid: "11111111-2222-3333-4444-555555555555", controller: true }],
      ["mentions", { ...owner, uid: cronJob.metadata.uid, controller: false }],
    ] as const
  ) {
    const { metadata, ...job } = jobOf({ name });
    await running.client.create(JOBS, { ...job, metadata: { ...metadata, ownerReferences: [reference] } });
  }
  running.clock.set(`${DAY}T09:32:00Z`);
  await running.until("a run all the same", async () => (await running.get(BATCH)).status?.active);
  assertEquals((await running.get(BATCH)).status?.active?.length, 1);
});

test("A Job of another owner under the due name is left alone, and the run counts as done", async () => {
  await using running = await Running.start(`${DAY}T09:30:00Z`);
  const name = `c-${Date.parse(`${DAY}T10:00:00Z`) / 60_000}`;
  await running.client.create(JOBS, jobOf({ name }));
  await running.create(BATCH, {});
  running.clock.set(`${DAY}T10:00:00Z`);
  await running.until("a status", async () => (await running.get(BATCH)).status?.lastScheduleTime);
  assertEquals((await running.jobs()).map(({ metadata }) => metadata.name), [name]);
  assertEquals((await running.get(BATCH)).status, { lastScheduleTime: `${DAY}T10:00:00Z` });
  assertEquals(running.runs, []);
});

test("A CronJob without a spec, which older definitions of the tutorial's kind let pass, shows what it lacks", async () => {
  await using running = await Running.start(`${DAY}T09:30:00Z`);
  await running.create(TUTORIAL, {});
  await running.patch(TUTORIAL, { spec: null });
  const ready = await running.until("its condition", async () => {
    const { conditions = [] } = (await running.get(TUTORIAL)).status ?? {};
    return conditions.find(({ type, reason }) => type === "Ready" && reason === "UnparseableSchedule");
  });
  assertEquals(ready.status, "False");
  await running.until("a warning", async () => (await running.events("UnparseableSchedule")).length > 0);
});

test("A deleted CronJob starts nothing more", async () => {
  await using running = await Running.start(`${DAY}T09:30:00Z`);
  await running.create(TUTORIAL, {});
  await running.patch(TUTORIAL, { metadata: { finalizers: ["example.com/hold"] } });
  await running.client.delete(TUTORIAL.resource, { namespace: "default", name: "c" });
  await running.create(TUTORIAL, {}, { name: "other" });
  await running.known("other");
  running.clock.set(`${DAY}T10:00:00Z`);
  await running.until("a run of another", async () => (await running.jobs()).length > 0);
  assertEquals((await running.jobs()).map(({ metadata }) => metadata.ownerReferences?.[0]?.name), ["other"]);
  assert((await running.get(TUTORIAL)).metadata.deletionTimestamp);
});

test("An API server that forgets the Job's answer gets no second Job", async () => {
  await using running = await Running.start(`${DAY}T09:30:00Z`, { controller: false });
  const create = running.client.createText.bind(running.client);
  let lost = 0;
  Object.assign(running.client, {
    createText: async (...args: Parameters<typeof create>) => {
      const stored = await create(...args);
      if (args[0].plural === "jobs" && lost++ === 0) throw new TypeError("connection reset");
      return stored;
    },
  });
  await running.startControllers();
  await running.create(TUTORIAL, { concurrencyPolicy: "Forbid" });
  running.clock.set(`${DAY}T10:00:00Z`);
  await running.until("a status", async () => (await running.get(TUTORIAL)).status?.active);
  assertEquals(lost, 1);
  assertEquals(await running.slots(TUTORIAL), [`${DAY}T10:00:00Z`]);
});

test("What has started is reported before the process ends, settled or not", async () => {
  await using running = await Running.start(`${DAY}T09:59:50Z`, { controller: false });
  const create = running.client.createText.bind(running.client);
  const gate = Promise.withResolvers<void>();
  Object.assign(running.client, {
    createText: async (...args: Parameters<typeof create>) => {
      if (args[1].name.startsWith("b-")) await gate.promise;
      return await create(...args);
    },
  });
  await running.startControllers();
  for (const name of ["a", "b"]) await running.create(BATCH, { schedule: "* * * * *" }, { name });
  await running.known("a", "b");
  running.clock.set(`${DAY}T10:00:00Z`);
  await running.until("the first Job", async () => (await running.jobs()).length === 1);
  const stopping = running.stopControllers();
  gate.resolve();
  await stopping;
  const events = await running.events("SuccessfulCreate");
  assertEquals([events.length, running.runs.length, (await running.jobs()).length], [2, 2, 2]);
});

test("A controller that ends has none of its CronJobs shown any more", async () => {
  await using running = await Running.start(`${DAY}T09:30:00Z`, { controller: false });
  const gone: string[] = [];
  await running.startControllers({ observer: { gone: ({ name }) => void gone.push(name) } });
  await running.create(TUTORIAL, {});
  await running.known("c");
  assertEquals(gone, []);
  await running.stopControllers();
  assertEquals(gone, ["c"]);
});
