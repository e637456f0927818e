// What goes beyond the tutorial and beyond Kubernetes, end to end on our own API server.
import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { ApiError } from "../../src/kube/api_error.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { type CronJob, JOBS, NAMESPACES } from "../../src/kube/resource.ts";
import { atLeast, must } from "../support/expected.ts";
import { test } from "../support/test.ts";
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

test("catchUp All starts every missed run in order, in every flavour", async () => {
  for (const api of FLAVOURS) {
    await using running = await Running.start(`${DAY}T09:30:00Z`, { controller: false });
    await running.create(api, { ...(api.extrasIn === "spec" && { catchUp: { policy: "All" } }) }, {
      annotations: { "cronjob-controller.dev/catch-up": "All" },
    });
    running.clock.set(`${DAY}T12:20:00Z`);
    await running.startControllers();
    await running.until("three runs", async () => (await running.slots(api)).length === 3);
    assertEquals(await running.slots(api), [TEN, `${DAY}T11:00:00Z`, `${DAY}T12:00:00Z`]);
    assertEquals(running.runs.map(({ jobName }) => jobName).toSorted(), running.runs.map(({ jobName }) => jobName));
  }
});

test("catchUp All under Forbid starts one after the other", async () => {
  await using running = await Running.start(`${DAY}T09:30:00Z`, { controller: false });
  await running.create(TUTORIAL, { catchUp: { policy: "All" }, concurrencyPolicy: "Forbid" });
  running.clock.set(`${DAY}T12:20:00Z`);
  await running.startControllers();
  for (const count of [1, 2, 3]) {
    const jobs = await running.until(`run ${count}`, async () => {
      const jobs = await running.jobs();
      return jobs.length === count ? jobs : undefined;
    });
    for (const job of jobs.filter((job) => !job.status?.completionTime)) await running.finish(job);
  }
  assertEquals(await running.slots(TUTORIAL), [TEN, `${DAY}T11:00:00Z`, `${DAY}T12:00:00Z`]);
});

test("Queue starts a run once the active one has ended", async () => {
  await using running = await Running.start(`${DAY}T09:30:00Z`);
  await running.create(TUTORIAL, { concurrencyPolicy: "Queue", startingDeadlineSeconds: 10 });
  running.clock.set(TEN);
  const [job] = atLeast(
    1,
    await running.until("a run", async () => {
      const jobs = await running.jobs();
      return jobs.length > 0 && jobs;
    }) as Awaited<ReturnType<typeof running.jobs>>,
  );
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
  assertEquals(status?.counts?.skipped, 1);
  assertEquals(running.runs.at(-1)?.outcome, "skipped");
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

test("The status counts runs and reports failures", async () => {
  await using running = await Running.start(`${DAY}T09:30:00Z`);
  await running.create(TUTORIAL, {});
  for (const [hour, end] of [[10, "Failed"], [11, "Failed"], [12, "Complete"]] as const) {
    running.clock.set(`${DAY}T${hour}:00:00Z`);
    const job = await running.until(`run ${hour}`, async () => {
      const jobs = await running.jobs();
      return jobs.find(({ status }) => !status?.conditions);
    });
    await running.finish(job, end);
    await running.until(`end ${hour}`, async () => {
      const { status } = await running.get(TUTORIAL);
      return status?.recentRuns?.every(({ outcome }) => outcome !== "Running") &&
        status.recentRuns.length === hour - 9;
    });
    const { status } = await running.get(TUTORIAL);
    const failing = status?.conditions?.find(({ type }) => type === "Failing");
    assertEquals(
      [failing?.status, status?.counts?.consecutiveFailures],
      end === "Failed" ? ["True", hour - 9] : ["False", 0],
    );
    const count = `Runs failed in a row: ${hour - 9}`;
    assertEquals(
      failing?.message,
      end === "Failed"
        ? `${count}. The last one: BackoffLimitExceeded: exited with code 3`
        : "The last run that ended did not fail",
    );
  }
  const { status } = await running.get(TUTORIAL);
  assertEquals(status?.counts, { succeeded: 1, failed: 2, missed: 0, skipped: 0, consecutiveFailures: 0 });
  assertEquals(status?.recentRuns?.map(({ outcome }) => outcome), ["Succeeded", "Failed", "Failed"]);
  const said = "exited with code 3";
  assertEquals(status?.recentRuns?.map(({ message }) => message), [undefined, said, said]);
  const failures = running.runs.filter(({ outcome }) => outcome === "failed");
  assertEquals(failures.map(({ message }) => message), [said, said]);
  assertEquals(status?.lastSuccessfulTime?.slice(0, 16), `${DAY}T12:00`);
  assertEquals(status?.lastFailureTime?.slice(0, 16), `${DAY}T11:00`);
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

test("A trigger starts one Job for each new id, in every flavour", async () => {
  for (const api of FLAVOURS) {
    await using running = await Running.start(`${DAY}T09:30:00Z`);
    await running.create(api, {}, { annotations: { "cronjob-controller.dev/trigger": "first" } });
    await running.until("a Job", async () => (await running.jobs()).length === 1);
    const answered = async () => {
      const { status, metadata } = await running.get(api);
      return api.openStatus ? status?.lastTrigger : metadata.annotations?.["cronjob-controller.dev/last-trigger"];
    };
    await running.until("an answer", async () => await answered() === "first");
    await running.stopControllers();
    for (const { metadata: { name } } of await running.jobs()) {
      await running.client.delete(JOBS, { namespace: "default", name });
    }
    await running.startControllers();
    await running.patch(api, { metadata: { annotations: { "cronjob-controller.dev/trigger": "second" } } });
    await running.until("another answer", async () => await answered() === "second");
    const triggers = (await running.jobs()).map(({ metadata }) =>
      metadata.annotations?.["cronjob-controller.dev/trigger"]
    );
    assertEquals(triggers, ["second"]);
    assertEquals((await running.get(api)).status?.lastScheduleTime, undefined);
  }
});

test("A Job that kubectl makes from a CronJob joins its status and history", async () => {
  await using running = await Running.start(`${DAY}T09:30:00Z`);
  const cronJob = await running.create(BATCH, { successfulJobsHistoryLimit: 0 });
  const job = await running.client.create(JOBS, {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: "now",
      namespace: "default",
      annotations: { "cronjob.kubernetes.io/instantiate": "manual" },
      ownerReferences: [{
        apiVersion: "batch/v1",
        kind: "CronJob",
        name: "c",
        uid: cronJob.metadata.uid,
        controller: true,
      }],
    },
    spec: (cronJob as CronJob).spec!.jobTemplate.spec,
  });
  await running.until("the active Job", async () => (await running.get(BATCH)).status?.active?.[0]?.name === "now");
  await running.finish(job);
  await running.until("its clean-up", async () => (await running.jobs()).length === 0);
  assert((await running.get(BATCH)).status?.lastSuccessfulTime);
  await running.until("its Event", async () => (await running.events("SuccessfulDelete")).length === 1);
  assertEquals(await running.events("UnexpectedJob"), []);
  const told = running.runs.map(({ outcome, jobName, byHand }) => [outcome, jobName, byHand]);
  assertEquals(told, [["started", "now", true], ["succeeded", "now", true]]);
  assertEquals((await running.events()).map(({ reason }) => reason).toSorted(), [
    "SawCompletedJob",
    "SuccessfulDelete",
  ]);
});

test("A pause says why, and ends by itself", async () => {
  await using running = await Running.start(`${DAY}T09:30:00Z`);
  await running.create(TUTORIAL, { pause: { until: `${DAY}T10:30:00Z`, reason: "Moving house" } });
  const { message, status } = await running.until(
    "the reason",
    async () => (await running.get(TUTORIAL)).status?.conditions?.find(({ reason }) => reason === "Paused"),
  );
  assertEquals([status, message], ["False", "Moving house"]);
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
    await running.create(api, { ...(api.extrasIn === "spec" && { spreadSeconds: 1200 }) }, {
      annotations: { "cronjob-controller.dev/spread-seconds": "1200" },
    });
    running.clock.set(`${DAY}T10:20:00Z`);
    await running.until("the run", async () => (await running.slots(api)).length === 1);
    assertEquals(await running.slots(api), [TEN]);
  }
});

test("The scheduled time reaches the containers when asked, in every flavour", async () => {
  for (const api of FLAVOURS) {
    await using running = await Running.start(`${DAY}T09:30:00Z`);
    const jobTemplate = {
      spec: {
        template: {
          spec: {
            restartPolicy: "Never",
            initContainers: [{ name: "first", image: "busybox" }],
            containers: [{ name: "main", image: "busybox", env: [{ name: "CRON_TRIGGER", value: "mine" }] }],
          },
        },
      },
    };
    await running.create(api, { jobTemplate, ...(api.extrasIn === "spec" && { exposeSchedule: true }) }, {
      annotations: { "cronjob-controller.dev/expose-schedule": "true" },
    });
    running.clock.set(TEN);
    const job = await running.until("a run", async () => (await running.jobs())[0]);
    const { metadata, spec } = job.spec!.template;
    assertEquals(metadata?.annotations, { "cronjob-controller.dev/scheduled-time": TEN });
    const env = (container: { env?: { name: string; value?: string }[] }) =>
      container.env?.map(({ name, value }) => `${name}=${value}`).sort();
    assertEquals(env(must(spec!.containers[0])), ["CRON_SCHEDULED_TIME=" + TEN, "CRON_TRIGGER=mine"]);
    assertEquals(env(must(spec!.initContainers![0])), ["CRON_SCHEDULED_TIME=" + TEN, "CRON_TRIGGER=Schedule"]);
  }
});

test("A name that leaves no room for those of Jobs is refused", async () => {
  await using running = await Running.start(`${DAY}T09:30:00Z`);
  await running.create(TUTORIAL, {}, { name: "n".repeat(52) });
  const error = await assertRejects(() => running.create(TUTORIAL, {}, { name: "n".repeat(53) }), ApiError);
  assertEquals(error.code, 422);
  assertStringIncludes(error.message, "metadata.name");
});

test("A bad annotation gives a warning, and the CronJob runs as Kubernetes would run it", async () => {
  await using running = await Running.start(`${DAY}T09:30:00Z`);
  await running.create(BATCH, {}, {
    annotations: { "cronjob-controller.dev/catch-up": "Some", "cronjob-controller.dev/spread-seconds": "-1" },
  });
  running.clock.set(TEN);
  await running.until("the run", async () => (await running.slots(BATCH)).length === 1);
  const events = await running.until("two warnings", async () => {
    const events = await running.events("InvalidAnnotation");
    return events.length === 2 ? events : undefined;
  });
  assert(events.every(({ type }) => type === "Warning"));
  assertStringIncludes(
    events.map(({ message }) => message).join(),
    'catch-up: "Some" is ignored: must be one of Latest, All, None',
  );
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

test("A template that the API server refuses is reported once a run, and tried again when it is mended", async () => {
  await using running = await Running.start(`${DAY}T09:30:00Z`);
  await running.create(TUTORIAL, { jobTemplate: { spec: { template: { spec: { containers: [] } } } } });
  running.clock.set(TEN);
  const [event] = atLeast(
    1,
    await running.until("a warning", async () => {
      const events = await running.events("FailedCreate");
      return events.length > 0 ? events : undefined;
    }),
  );
  assertStringIncludes(event.message!, "Error creating job: ");
  await running.until("the condition", async () => {
    const { status } = await running.get(TUTORIAL);
    return status?.conditions?.some(({ type, reason }) => type === "Overdue" && reason === "FailedCreate");
  });
  await running.patch(TUTORIAL, {
    spec: {
      jobTemplate: {
        spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox" }] } } },
      },
    },
  });
  await running.until("the run", async () => (await running.slots(TUTORIAL)).length === 1);
  assertEquals(await running.slots(TUTORIAL), [TEN]);
  assertEquals((await running.events("FailedCreate")).length, 1);
});

test("A namespace that is going away is left in peace", async () => {
  await using running = await Running.start(`${DAY}T09:30:00Z`);
  const namespace = "leaving";
  await running.client.create(NAMESPACES, {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: namespace, finalizers: ["example.com/hold"] },
  });
  const { spec } = await running.create(BATCH, { schedule: "* * * * *" });
  await running.client.create(BATCH.resource, {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name: "c", namespace, finalizers: ["example.com/hold"] },
    spec,
  });
  await running.client.delete(NAMESPACES, { name: namespace });
  running.clock.set(`${DAY}T09:31:00Z`);
  await running.until("a run elsewhere", async () => (await running.slots(BATCH)).length === 1);
  const events = await running.client.list({ ...JOBS, group: "", plural: "events", kind: "Event" }, { namespace });
  assertEquals(events.items, []);
});

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

test("Failures in a row pause the schedule, over restarts, until a run by hand succeeds, in every flavour", async () => {
  for (const api of FLAVOURS) {
    await using running = await Running.start(`${DAY}T09:30:00Z`);
    await running.create(
      api,
      { failedJobsHistoryLimit: 0, ...(api.extrasIn === "spec" && { pauseAfterFailures: 2 }) },
      {
        annotations: { "cronjob-controller.dev/pause-after-failures": "2" },
      },
    );
    for (const time of ["10:00", "11:00"]) {
      running.clock.set(`${DAY}T${time}:00Z`);
      const [job] = atLeast(
        1,
        await running.until("a run", async () => {
          const jobs = await running.jobs();
          return jobs.length > 0 && jobs;
        }) as Awaited<ReturnType<typeof running.jobs>>,
      );
      await running.finish(job, "Failed");
      await running.until("the end of its Job", async () => (await running.jobs()).length === 0);
    }
    await running.until("the pause", async () => (await running.events("PausedAfterFailures")).length === 1);
    await running.stopControllers();
    await running.startControllers();
    await running.known("c");
    running.clock.set(`${DAY}T12:00:00Z`);
    await running.patch(api, { metadata: { annotations: { "cronjob-controller.dev/trigger": "try" } } });
    const [byHand] = atLeast(
      1,
      await running.until("a run by hand", async () => {
        const jobs = await running.jobs();
        return jobs.length > 0 && jobs;
      }) as Awaited<ReturnType<typeof running.jobs>>,
    );
    assertEquals(await running.slots(api), []);
    await running.finish(byHand);
    await running.until("the next run", async () => (await running.slots(api)).length === 1);
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

test("A Job whose Pods never start is failed, so that the next run starts under Forbid, in every flavour", async () => {
  for (const api of FLAVOURS) {
    await using running = await Running.start(`${DAY}T09:30:00Z`, { controller: false });
    await running.startControllers({ pendingTimeouts: { defaultMs: undefined }, waitOf: () => "pod x waits: Some" });
    await running.create(api, {
      concurrencyPolicy: "Forbid",
      // By a clock that is never set.
      ...(api.extrasIn === "spec" && { pendingTimeoutSeconds: 1 }),
    }, { annotations: { "cronjob-controller.dev/pending-timeout-seconds": "1" } });
    running.clock.set(TEN);
    const [job] = atLeast(
      1,
      await running.until("a run", async () => {
        const jobs = await running.jobs();
        return jobs.length > 0 && jobs;
      }) as Awaited<ReturnType<typeof running.jobs>>,
    );
    await running.client.patch(JOBS, job.metadata, {
      type: "merge",
      body: { status: { startTime: TEN, active: 1, ready: 0 } },
    }, { subresource: "status" });
    const ending = await running.until("the end of its wait", async () => {
      const [job] = atLeast(1, await running.jobs());
      return job.status?.conditions?.find(({ type }) => type === "FailureTarget");
    });
    assertEquals(ending.reason, "PendingTimeout");
    assertMatch(ending.message!, / of the start of the job: pod x waits: Some$/);
    assertEquals((await running.events("PendingTimeout")).map(({ message }) => message), [
      `Ending job ${job.metadata.name}: ${ending.message}`,
    ]);
    const { status } = must((await running.jobs())[0]);
    assertEquals([status?.startTime, status?.ready], [TEN, 0]);
    await running.client.patch(JOBS, job.metadata, { type: "merge", body: { status: { active: 0 } } }, {
      subresource: "status",
    });
    await running.finish(must((await running.jobs())[0]), "Failed");
    running.clock.set(`${DAY}T11:00:00Z`);
    await running.until("the next run", async () => (await running.slots(api)).includes(`${DAY}T11:00:00Z`));
  }
});

test("Where no Job may be ended although its Pods never start, a condition says so", async () => {
  await using running = await Running.start(`${DAY}T09:30:00Z`, { controller: false });
  const patch: KubeClient["patch"] = (resource, name, patch, options) =>
    resource.plural === "jobs" && options?.subresource === "status"
      ? Promise.reject(new ApiError("jobs.batch is forbidden", { code: 403, reason: "Forbidden" }))
      : running.client.patch(resource, name, patch, options);
  const client = new Proxy<KubeClient>(running.client, {
    get(target, name) {
      const member = name === "patch" ? patch : Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  await running.startControllers({ client, pendingTimeouts: { defaultMs: undefined } });
  await running.create(TUTORIAL, { pendingTimeoutSeconds: 1 });
  const condition = async () => {
    const { status } = await running.get(TUTORIAL);
    return status?.conditions?.find(({ type }) => type === "PendingTimeoutIgnored");
  };
  running.clock.set(TEN);
  const [job] = atLeast(
    1,
    await running.until("a run", async () => {
      const jobs = await running.jobs();
      return jobs.length > 0 && jobs;
    }) as Awaited<ReturnType<typeof running.jobs>>,
  );
  await running.client.patch(JOBS, job.metadata, {
    type: "merge",
    body: { status: { startTime: TEN, active: 1, ready: 0 } },
  }, { subresource: "status" });
  await running.until("the refusal", async () => (await running.events("FailedPendingTimeout")).length > 0);
  assertEquals((await condition())?.status, "False");
  running.clock.set(`${DAY}T10:01:30Z`);
  await running.until("the condition", async () => (await condition())?.status === "True");
  const { reason, message } = (await condition())!;
  assertEquals([reason, message], ["Forbidden", "jobs.batch is forbidden"]);
});
