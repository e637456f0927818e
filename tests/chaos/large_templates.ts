import { assert } from "@std/assert";
import { CRON_JOBS, JOBS } from "../../src/kube/resource.ts";
import { JOB_SPEC, startMeasuredController } from "../bench/support/measured_controller.ts";
import { usageOf } from "../bench/support/usage.ts";
import { eventually } from "../support/program.ts";
import { test } from "../support/test.ts";
import { BATCH } from "../../src/cronjob/api/flavour.ts";
import { cronJobOf } from "../support/cron_job.ts";
import { atLeast } from "../support/expected.ts";

const COUNT = 200;
/** An object may have 1.5 MiB on a cluster. */
const TEMPLATE_BYTES = 900_000;
/** As the documentation states it. */
const MAX_PEAK_MB = 1_570;

test(`The controller's memory stays bounded when ${COUNT} CronJobs with templates of 900 kB are due at once`, async () => {
  await using measured = await startMeasuredController({ controllerFlags: [] });
  const { client, controllerPid } = measured;
  const [container] = atLeast(1, JOB_SPEC.template.spec.containers);
  const env = [{ name: "LARGE", value: "x".repeat(TEMPLATE_BYTES) }];
  const template = { spec: { ...JOB_SPEC.template.spec, containers: [{ ...container, env }] } };
  for (let i = 0; i < COUNT; i++) {
    const spec = { schedule: "* * * * *", suspend: true, jobTemplate: { spec: { ...JOB_SPEC, template } } };
    await client.create(BATCH.resource, cronJobOf(BATCH, { name: `large-${i}`, spec }));
  }
  const empty = usageOf(controllerPid);
  for (let i = 0; i < COUNT; i++) {
    const name = { namespace: "default", name: `large-${i}` };
    await client.patch(CRON_JOBS, name, { type: "merge", body: { spec: { suspend: false } } });
  }
  const before = usageOf(controllerPid);
  await eventually("a run of each", async () => {
    const { items, metadata } = await client.list(JOBS, { namespace: "default", limit: 1 });
    return items.length + (metadata.remainingItemCount ?? 0) >= COUNT;
  }, 180_000);
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  const after = usageOf(controllerPid);
  console.log({ suspended: empty, armed: before, after });
  assert(after.peakMb < MAX_PEAK_MB, `The controller had ${after.peakMb} MB`);
});
