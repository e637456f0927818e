// How long the compiled program takes to show how 5,000 CronJobs with 20,000 Jobs are, from its start to its end.
//
//   [CJC_TEST_BINARY=FILE] deno task bench:status [COUNT]
import { JOBS } from "../../src/kube/resource.ts";
import { formatTime } from "../../src/base/epoch_ms.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { completedAt, failedAt } from "../support/ended_job.ts";
import { inParallel } from "./support/in_parallel.ts";
import { printRunTimes } from "./support/run_times.ts";
import { BATCH } from "../../src/cronjob/api/flavour.ts";
import type { CronJobObject } from "../../src/cronjob/api/types.ts";
import { cronJobOf } from "../support/cron_job.ts";
import { jobOf } from "../support/job.ts";

const COUNT = Number(Deno.args[0] ?? 5_000);
const JOBS_EACH = 4;
const IN_FLIGHT = 32;
const HOUR_MS = 3_600_000;

await using api = await startTestApiServer({ ephemeral: false });
const { client } = api;
const newest = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;

await inParallel(COUNT, IN_FLIGHT, seed);

/** One in a hundred fails, one in two hundred runs; the others have succeeded. */
async function seed(index: number): Promise<void> {
  const name = `bench-${index}`;
  const namespace = "default";
  const cronJob = await client.create(BATCH.resource, cronJobOf(BATCH, { name }));
  const status = {
    lastScheduleTime: formatTime(newest),
    lastSuccessfulTime: formatTime(newest - (index % 100 === 0 ? HOUR_MS : 0) + 60_000),
  };
  await client.patch(BATCH.resource, { namespace, name }, { type: "merge", body: { status } }, {
    subresource: "status",
  });
  for (let i = 0; i < JOBS_EACH; i++) await seedJob(cronJob, index, newest - i * HOUR_MS);
}

async function seedJob(owner: CronJobObject, index: number, time: number) {
  const annotations = { [BATCH.scheduledTimeAnnotation]: formatTime(time) };
  const job = jobOf({ name: `${owner.metadata.name}-${time / 60_000}`, annotations, owner });
  const { metadata } = await client.create(JOBS, job);
  const body = { status: statusOf(index, time) };
  await client.patch(JOBS, metadata, { type: "merge", body }, { subresource: "status" });
}

function statusOf(index: number, time: number) {
  const [startTime, end] = [formatTime(time), formatTime(time + 60_000)];
  if (time === newest && index % 200 === 1) return { startTime, active: 1, ready: 1 };
  return (time === newest && index % 100 === 0 ? failedAt : completedAt)(end, startTime);
}

for (const args of [["status"], ["status", "--check"], ["status", "--all"], ["status", "-o", "json"]]) {
  const over = `${COUNT} CronJobs and ${COUNT * JOBS_EACH} Jobs`;
  await printRunTimes(args.join(" "), [...args, "--kubeconfig", api.server.kubeconfigPath], over);
}
