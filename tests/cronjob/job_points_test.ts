// What goes beyond the tutorial and beyond Kubernetes for the Jobs of a run, end to end on our own API server.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { ApiError } from "../../src/kube/api_error.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { JOBS } from "../../src/kube/resource.ts";
import { atLeast, must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { BATCH, type Flavour, FLAVOURS, PRODUCTION, Running, TUTORIAL } from "./support/running.ts";
import { jobOf } from "../support/job.ts";

const DAY = "2026-03-10";
const TEN = `${DAY}T10:00:00Z`;

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
      end === "Failed" ? `${count}. The last one: exit 3` : "The last run that ended did not fail",
    );
  }
  const { status } = await running.get(TUTORIAL);
  assertEquals(status?.counts, { succeeded: 1, failed: 2, missed: 0, skipped: 0, consecutiveFailures: 0 });
  assertEquals(status?.recentRuns?.map(({ outcome }) => outcome), ["Succeeded", "Failed", "Failed"]);
  const said = "Job has reached the specified backoff limit: exit 3";
  assertEquals(status?.recentRuns?.map(({ message }) => message), [undefined, said, said]);
  const failures = running.runs.filter(({ outcome }) => outcome === "failed");
  assertEquals(failures.map(({ message }) => message), [said, said]);
  assertEquals(status?.lastSuccessfulTime?.slice(0, 16), `${DAY}T12:00`);
  assertEquals(status?.lastFailureTime?.slice(0, 16), `${DAY}T11:00`);
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
  const annotations = { "cronjob.kubernetes.io/instantiate": "manual" };
  const job = await running.client.create(JOBS, jobOf({ name: "now", annotations, owner: cronJob }));
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
      const job = await running.firstJob();
      await running.finish(job, "Failed");
      await running.until("the end of its Job", async () => (await running.jobs()).length === 0);
    }
    await running.until("the pause", async () => (await running.events("PausedAfterFailures")).length === 1);
    await running.stopControllers();
    await running.startControllers();
    await running.known("c");
    running.clock.set(`${DAY}T12:00:00Z`);
    await running.patch(api, { metadata: { annotations: { "cronjob-controller.dev/trigger": "try" } } });
    const byHand = await running.firstJob();
    assertEquals(await running.slots(api), []);
    await running.finish(byHand);
    await running.until("the next run", async () => (await running.slots(api)).length === 1);
  }
});

test("The API server fills in how long a Job may wait for its Pods, in cronjob-controller.dev/v1 alone", async () => {
  const expected = new Map<Flavour, [number | undefined, number | undefined]>([
    [PRODUCTION, [3600, 0]],
    [TUTORIAL, [undefined, 0]],
    [BATCH, [undefined, undefined]],
  ]);
  for (const [api, both] of expected) {
    await using running = await Running.start(`${DAY}T09:30:00Z`, { controller: false });
    const stored = async () => (await running.get(api)).spec.pendingTimeoutSeconds;
    await running.create(api, {});
    const byDefault = await stored();
    if (api !== BATCH) await running.patch(api, { spec: { pendingTimeoutSeconds: 0 } });
    assertEquals([byDefault, await stored()], both, api.resource.group);
  }
});

test("A Job whose Pods never start is failed, so that the next run starts under Forbid, in every flavour", async () => {
  for (const api of FLAVOURS) {
    await using running = await Running.start(`${DAY}T09:30:00Z`, { controller: false });
    await running.startControllers({ waitOf: () => "pod x waits: Some" });
    await running.create(api, {
      concurrencyPolicy: "Forbid",
      // By a clock that is never set.
      ...(api.extrasIn === "spec" && { pendingTimeoutSeconds: 1 }),
    }, { annotations: { "cronjob-controller.dev/pending-timeout-seconds": "1" } });
    running.clock.set(TEN);
    const job = await running.firstJob();
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
  await running.startControllers({ client });
  await running.create(TUTORIAL, { pendingTimeoutSeconds: 1 });
  const condition = async () => {
    const { status } = await running.get(TUTORIAL);
    return status?.conditions?.find(({ type }) => type === "PendingTimeoutIgnored");
  };
  running.clock.set(TEN);
  const job = await running.firstJob();
  await running.client.patch(JOBS, job.metadata, {
    type: "merge",
    body: { status: { startTime: TEN, active: 1, ready: 0 } },
  }, { subresource: "status" });
  await running.until("the refusal", async () => (await running.events("FailedPendingTimeout")).length > 0);
  assertEquals(await condition(), undefined);
  running.clock.set(`${DAY}T10:01:30Z`);
  await running.until("the condition", async () => (await condition())?.status === "True");
  const { reason, message } = (await condition())!;
  assertEquals([reason, message], ["Forbidden", "jobs.batch is forbidden"]);
});
