import { assertEquals } from "@std/assert";
import { readCronJob } from "../../src/cronjob/api/read_cron_job.ts";
import { BATCH } from "../../src/cronjob/api/flavour.ts";
import type { CronJobObject } from "../../src/cronjob/api/types.ts";
import { applied } from "../../src/simulate/apply.ts";
import { test } from "../support/test.ts";

const NOW = Date.parse("2026-03-10T09:00:00Z");
const TEMPLATE = { spec: { template: { spec: { containers: [] } } } };
const SPREAD = "cronjob-controller.dev/spread-seconds";

interface Part {
  readonly spec?: object;
  readonly annotations?: Record<string, string>;
}

function cronJob({ spec, annotations }: Part) {
  const metadata = {
    name: "a",
    namespace: "b",
    uid: "u",
    resourceVersion: "1",
    generation: 1,
    annotations,
  };
  return readCronJob(BATCH, {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { ...metadata, creationTimestamp: "2026-03-01T00:00:00Z" },
    spec: { schedule: "0 * * * *", jobTemplate: TEMPLATE, ...spec },
  } as unknown as CronJobObject);
}

test("an apply keeps what the manifest does not have, also inside a field that it has", () => {
  const spec = { suspend: true, jobTemplate: { spec: { ...TEMPLATE.spec, backoffLimit: 3 } } };
  const live = cronJob({ spec, annotations: { [SPREAD]: "5" } });
  const { change, cronJob: after } = applied(live, cronJob({ spec: { schedule: "30 * * * *" } }), NOW);
  assertEquals(change, "Changed");
  assertEquals(after.object.spec, { ...live.object.spec, schedule: "30 * * * *" });
  assertEquals(after.metadata.annotations, { [SPREAD]: "5" });
});

test("an apply removes what the manifest says is null, and takes its lists whole", () => {
  const containers = (...names: string[]) => ({
    spec: { template: { spec: { containers: names.map((name) => ({ name })) } } },
  });
  const live = cronJob({ spec: { suspend: true, jobTemplate: containers("a", "b") } });
  const manifest = cronJob({ spec: { suspend: null, jobTemplate: containers("b") } });
  const { schedule, ...others } = applied(live, manifest, NOW).cronJob.object.spec;
  assertEquals([schedule, others], ["0 * * * *", { jobTemplate: containers("b") }] as never);
});

test("an apply of what is there changes nothing, whatever others wrote", () => {
  const live = cronJob({ spec: { suspend: true }, annotations: { [SPREAD]: "5" } });
  assertEquals(applied(live, cronJob({}), NOW), { change: "Unchanged", cronJob: live, facts: {} });
});
