// What is refused, and said of it, end to end on our own API server.
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { ApiError } from "../../src/kube/api_error.ts";
import { JOBS, NAMESPACES } from "../../src/kube/resource.ts";
import { atLeast } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { BATCH, Running, TUTORIAL } from "./support/running.ts";
import { cronJobOf } from "../support/cron_job.ts";

const DAY = "2026-03-10";
const TEN = `${DAY}T10:00:00Z`;

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
  const spec = { schedule: "* * * * *" };
  await running.create(BATCH, spec);
  const held = cronJobOf(BATCH, { name: "c", namespace, finalizers: ["example.com/hold"], spec });
  await running.client.create(BATCH.resource, held);
  await running.client.delete(NAMESPACES, { name: namespace });
  running.clock.set(`${DAY}T09:31:00Z`);
  await running.until("a run elsewhere", async () => (await running.slots(BATCH)).length === 1);
  const events = await running.client.list({ ...JOBS, group: "", plural: "events", kind: "Event" }, { namespace });
  assertEquals(events.items, []);
});
