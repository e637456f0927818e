// What goes beyond the tutorial and beyond Kubernetes, end to end on our own API server.
import { assertEquals, assertGreaterOrEqual } from "@std/assert";
import { atLeast } from "../support/expected.ts";
import { type Row, table } from "../support/table.ts";
import { test } from "../support/test.ts";
import type { Flavour } from "../../src/cronjob/api/flavour.ts";
import { stableHash } from "../../src/schedule/stable_hash.ts";
import { BATCH, FLAVOURS, Running, TUTORIAL } from "./support/running.ts";

const DAY = "2026-03-10";
const TEN = `${DAY}T10:00:00Z`;

test("Editing the schedule starts no run from before the edit, in every flavour", async () => {
  for (const api of FLAVOURS) {
    await using running = await Running.start(`${DAY}T09:30:00Z`);
    await running.create(api, {}, { annotations: { "cronjob-controller.dev/on-edit": "None" } });
    running.clock.set(TEN);
    await running.until("a run", async () => (await running.get(api)).status?.lastScheduleTime);
    running.clock.set(`${DAY}T10:40:00Z`);
    await running.patch(api, { spec: { schedule: "15 * * * *" } });
    await running.stopControllers();
    await running.startControllers();
    running.clock.set(`${DAY}T11:15:00Z`);
    await running.until("the next run", async () => (await running.slots(api)).length > 1);
    assertEquals(await running.slots(api), [TEN, `${DAY}T11:15:00Z`]);
  }
});

test("The status shows the schedule and since when it holds", async () => {
  await using running = await Running.start(`${DAY}T09:30:00Z`);
  await running.create(TUTORIAL, { timeZone: "Asia/Tokyo" });
  await running.until("a status", async () => (await running.get(TUTORIAL)).status?.schedule);
  running.clock.set(`${DAY}T09:45:00Z`);
  await running.patch(TUTORIAL, { spec: { schedule: "15 * * * *" } });
  const { schedule, nextScheduleTime } = await running.until("the edit", async () => {
    const { status } = await running.get(TUTORIAL);
    return status?.schedule?.text === "15 * * * *" ? status : undefined;
  });
  assertEquals(schedule, { text: "15 * * * *", timeZone: "Asia/Tokyo", since: `${DAY}T09:45:00Z` });
  assertEquals(nextScheduleTime, `${DAY}T10:15:00Z`);
});

test("Resuming starts the latest missed run, or none where asked, in every flavour", async () => {
  for (const api of FLAVOURS) {
    await using running = await Running.start(`${DAY}T09:30:00Z`);
    await running.create(api, { suspend: true }, { name: "native" });
    await running.create(api, { suspend: true, ...(api.extrasIn === "spec" && { onResume: "None" }) }, {
      name: "fresh",
      annotations: { "cronjob-controller.dev/on-resume": "None" },
    });
    await running.known("native", "fresh");
    running.clock.set(`${DAY}T12:20:00Z`);
    for (const name of ["native", "fresh"]) await running.patch(api, { spec: { suspend: false } }, name);
    await running.until("the latest", async () => (await running.slots(api)).length === 1);
    running.clock.set(`${DAY}T13:00:00Z`);
    await running.until("the next of both", async () => (await running.slots(api)).length === 3);
    const started = (await running.jobs()).map(({ metadata }) =>
      `${metadata.ownerReferences?.[0]?.name} ${metadata.annotations?.[api.scheduledTimeAnnotation]}`
    );
    assertEquals(started.sort(), [
      `fresh ${DAY}T13:00:00Z`,
      `native ${DAY}T12:00:00Z`,
      `native ${DAY}T13:00:00Z`,
    ]);
  }
});

const POLICIES = ["Allow", "Forbid"] as const;

table(
  "catchUp All starts every missed run, one after the other, the oldest first",
  FLAVOURS.flatMap((api) =>
    POLICIES.map((policy): Row<[Flavour, typeof policy]> => [`${api.controllerName}, ${policy}`, api, policy])
  ),
  startsInOrder,
);

async function startsInOrder(api: Flavour, concurrencyPolicy: "Allow" | "Forbid"): Promise<void> {
  await using running = await Running.start(`${DAY}T09:30:00Z`, { controller: false });
  await running.create(
    api,
    { concurrencyPolicy, ...(api.extrasIn === "spec" && { catchUp: { policy: "All" } }) },
    { annotations: { "cronjob-controller.dev/catch-up": "All" } },
  );
  running.clock.set(`${DAY}T12:20:00Z`);
  await running.startControllers();
  for (const count of [1, 2, 3]) {
    const jobs = await running.until(`run ${count}`, async () => {
      const jobs = await running.jobs();
      return jobs.length === count ? jobs : undefined;
    });
    for (const job of jobs.filter((job) => !job.status?.completionTime)) await running.finish(job);
  }
  assertEquals(await running.slots(api), [TEN, `${DAY}T11:00:00Z`, `${DAY}T12:00:00Z`]);
}

test("Queue starts a run once the active one has ended", async () => {
  await using running = await Running.start(`${DAY}T09:30:00Z`);
  await running.create(TUTORIAL, { concurrencyPolicy: "Queue", startingDeadlineSeconds: 10 });
  running.clock.set(TEN);
  const job = await running.firstJob();
  running.clock.set(`${DAY}T11:00:00Z`);
  await running.until("a queued run", async () => (await running.get(TUTORIAL)).status?.queuedScheduleTime);
  running.clock.set(`${DAY}T11:40:00Z`);
  await running.finish(job);
  await running.until("its start", async () => (await running.slots(TUTORIAL)).length === 2);
  assertEquals(await running.slots(TUTORIAL), [TEN, `${DAY}T11:00:00Z`]);
});

test("maxConcurrentRuns limits how many are active", async () => {
  await using running = await Running.start(`${DAY}T09:30:00Z`);
  await running.create(TUTORIAL, { maxConcurrentRuns: 2 });
  for (const hour of [10, 11, 12]) {
    running.clock.set(`${DAY}T${hour}:00:00Z`);
    await running.until(`hour ${hour}`, async () => {
      const runs = (await running.get(TUTORIAL)).status?.recentRuns ?? [];
      return runs.some(({ scheduledTime }) => scheduledTime === `${DAY}T${hour}:00:00Z`);
    });
  }
  const { status } = await running.get(TUTORIAL);
  assertEquals(status?.active?.length, 2);
  assertEquals([status?.counts?.skipped, status?.recentRuns?.[0]?.outcome], [0, "Waiting"]);
  assertEquals(running.runs.at(-1)?.outcome, "waits");
});

test("Replace starts the new run when the old one is going away", async () => {
  for (const api of FLAVOURS) {
    await using running = await Running.start(`${DAY}T09:30:00Z`);
    await running.create(api, { concurrencyPolicy: "Replace" });
    running.clock.set(TEN);
    await running.until("a run", async () => (await running.get(api)).status?.active);
    running.clock.set(`${DAY}T11:00:00Z`);
    await running.until("another", async () => (await running.slots(api))[0] === `${DAY}T11:00:00Z`);
    const { status } = await running.until("a status", async () => {
      const cronJob = await running.get(api);
      return cronJob.status?.lastScheduleTime === `${DAY}T11:00:00Z` ? cronJob : undefined;
    });
    assertEquals(status?.active?.length, 1);
    await running.until("its Event", async () => (await running.events("SuccessfulDelete")).length === 1);
    assertEquals(await running.events("MissingJob"), []);
    const [first, replaced, second] = atLeast(3, running.runs);
    assertEquals([first.outcome, replaced.outcome, second.outcome], ["started", "replaced", "started"]);
    assertEquals(replaced.jobName, first.jobName);
  }
});

test("The next run of a batch/v1 CronJob stands in an annotation when asked for", async () => {
  await using running = await Running.start(`${DAY}T09:30:00Z`, { controller: false });
  await running.create(BATCH, {});
  await running.startControllers({ annotateNextRun: true });
  const next = async () =>
    (await running.get(BATCH)).metadata.annotations?.["cronjob-controller.dev/next-schedule-time"];
  await running.until("ten", async () => await next() === TEN);
  await running.patch(BATCH, { spec: { suspend: true } });
  await running.until("none", async () => await next() === undefined);
});

test("A pause says why, and ends by itself", async () => {
  await using running = await Running.start(`${DAY}T09:30:00Z`);
  await running.create(TUTORIAL, { pause: { until: `${DAY}T10:30:00Z`, reason: "Moving house" } });
  const { message, status } = await running.until(
    "the reason",
    async () => (await running.get(TUTORIAL)).status?.conditions?.find(({ reason }) => reason === "Paused"),
  );
  assertEquals([status, message], ["True", "Moving house"]);
  running.clock.set(`${DAY}T10:30:00Z`);
  await running.until("the latest missed run", async () => (await running.slots(TUTORIAL)).length === 1);
  assertEquals(await running.slots(TUTORIAL), [TEN]);
});

test("No run before the start or after the end", async () => {
  await using running = await Running.start(`${DAY}T09:30:00Z`);
  await running.create(TUTORIAL, { startTime: `${DAY}T10:30:00Z`, endTime: `${DAY}T11:30:00Z` });
  for (const hour of [10, 11, 12]) {
    running.clock.set(`${DAY}T${hour}:00:00Z`);
    await running.clock.sleep(50);
  }
  await running.until(
    "the end",
    async () => (await running.get(TUTORIAL)).status?.conditions?.some(({ reason }) => reason === "Ended"),
  );
  assertEquals(await running.slots(TUTORIAL), [`${DAY}T11:00:00Z`]);
});

test("A spread run starts later, under the name and time of its slot, in every flavour", async () => {
  for (const api of FLAVOURS) {
    await using running = await Running.start(`${DAY}T09:30:00Z`);
    const { metadata: { uid } } = await running.create(api, {
      ...(api.extrasIn === "spec" && { spreadSeconds: 1200 }),
    }, { annotations: { "cronjob-controller.dev/spread-seconds": "1200" } });
    await running.create(api, {}, { name: "punctual" });
    const jobOf = async (name: string) =>
      (await running.jobs()).find(({ metadata }) => metadata.name.startsWith(`${name}-`));
    running.clock.set(TEN);
    await running.until("the punctual run", () => jobOf("punctual"));
    running.clock.set(`${DAY}T10:20:00Z`);
    const { metadata } = await running.until("the spread run", () => jobOf("c"));
    assertGreaterOrEqual(Date.parse(metadata.creationTimestamp), Date.parse(TEN) + stableHash(uid) % 1200 * 1000);
    assertEquals(await running.slots(api), [TEN, TEN]);
  }
});

test("H in the annotation spreads a batch/v1 CronJob by its name", async () => {
  await using running = await Running.start(`${DAY}T09:30:00Z`);
  await running.create(BATCH, { schedule: "0 0 1 1 *" }, {
    annotations: { "cronjob-controller.dev/schedule": "H * * * *" },
  });
  running.clock.set(`${DAY}T10:59:00Z`);
  await running.until("a run", async () => (await running.slots(BATCH)).length === 1);
});

for (
  const [where, api, spec, annotations] of [
    ["the CRD's schedule", TUTORIAL, { schedule: "0 11 L-3,15W * FRI#2" }, {}],
    ["the annotation", BATCH, { schedule: "0 0 1 1 *" }, { "cronjob-controller.dev/schedule": "0 11 L-3,15W * FRI#2" }],
  ] as const
) {
  test(`Days that depend on their month run a CronJob that names them in ${where}`, async () => {
    // A Thursday; the second Friday is the day after, and the 15th a Sunday.
    await using running = await Running.start("2026-11-12T09:30:00Z");
    await running.create(api, spec, { annotations });
    for (const [count, day] of ["2026-11-13", "2026-11-16", "2026-11-27"].entries()) {
      running.clock.set(`${day}T11:00:01Z`);
      await running.until("a run", async () => (await running.slots(api)).at(count)?.startsWith(`${day}T11:00`));
    }
  });
}

test("Excluded times start nothing and are not missed, and RunAfter makes up for them, in every flavour", async () => {
  const exclude = [{ from: `${DAY}T10:30`, to: `${DAY}T12:30` }];
  for (const api of FLAVOURS) {
    await using running = await Running.start(`${DAY}T09:30:00Z`);
    await running.create(api, api.extrasIn === "spec" ? { exclude, onExcluded: "RunAfter" } : {}, {
      annotations: {
        "cronjob-controller.dev/exclude": JSON.stringify(exclude),
        "cronjob-controller.dev/on-excluded": "RunAfter",
      },
    });
    await running.known("c");
    for (const time of ["10:00", "11:00", "12:00"]) {
      running.clock.set(`${DAY}T${time}:00Z`);
      await running.until("a look", async () => (await running.get(api)).status?.lastScheduleTime === TEN);
    }
    await running.stopControllers();
    await running.startControllers();
    running.clock.set(`${DAY}T12:30:00Z`);
    await running.until("what makes up", async () => (await running.slots(api)).length === 2);
    assertEquals(await running.slots(api), [TEN, `${DAY}T12:30:00Z`]);
    const { status } = await running.get(api);
    assertEquals(status?.counts?.missed ?? 0, 0);
  }
});

test("Several schedules share their Jobs, and an edit of one drops nothing of the others, in every flavour", async () => {
  for (const api of FLAVOURS) {
    const edit = (schedules: { schedule: string }[]) =>
      api.extrasIn === "spec"
        ? { spec: { schedules } }
        : { metadata: { annotations: { "cronjob-controller.dev/schedules": JSON.stringify(schedules) } } };
    const first = [{ schedule: "0 * * * *" }, { schedule: "0 10 * * *" }, { schedule: "15 * * * *" }];
    await using running = await Running.start(`${DAY}T09:30:00Z`);
    await running.create(api, api.extrasIn === "spec" ? { schedules: first } : {}, {
      annotations: { "cronjob-controller.dev/schedules": JSON.stringify(first) },
    });
    await running.known("c");
    running.clock.set(TEN);
    await running.until("the first run", async () => (await running.get(api)).status?.lastScheduleTime === TEN);
    running.clock.set(`${DAY}T10:10:00Z`);
    await running.patch(api, edit([{ schedule: "0 * * * *" }, { schedule: "5,15 * * * *" }]));
    await running.stopControllers();
    await running.startControllers();
    running.clock.set(`${DAY}T10:15:00Z`);
    await running.until("the second", async () => (await running.slots(api)).length === 2);
    running.clock.set(`${DAY}T11:00:00Z`);
    await running.until("the third", async () => (await running.slots(api)).length === 3);
    assertEquals(await running.slots(api), [TEN, `${DAY}T10:15:00Z`, `${DAY}T11:00:00Z`]);
  }
});
