// What CronJobs at rest cost, half of them due once a year and half suspended, beside suspended Jobs of others: from the start
// of the controller until it leads, and then in minutes in which nothing changes.
//
//   [CJC_TEST_BINARY=FILE] deno task bench:rest [--n 1000,5000] [--jobs-each 5] [--minutes 1] [--json FILE]
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { HttpKubeClient } from "../../src/kube/http_client.ts";
import { JOBS } from "../../src/kube/resource.ts";
import { ownPort } from "../support/own_port.ts";
import { inParallel } from "./support/in_parallel.ts";
import { JOB_SPEC, startController, startMeasuredServer } from "./support/measured_controller.ts";
import { usageOf } from "./support/usage.ts";
import { report, rounded } from "./support/report.ts";
import { BATCH } from "../../src/cronjob/api/flavour.ts";
import { cronJobOf } from "../support/cron_job.ts";
import { jobOf } from "../support/job.ts";

/** Left over for V8 to find what is no longer needed. */
const REST_MS = 60_000;
const MINUTE_MS = 60_000;
const NAMESPACE = "default";

const { values: options } = parseArgs({
  options: {
    n: { type: "string", default: "1000,5000" },
    "jobs-each": { type: "string", default: "5" },
    minutes: { type: "string", default: "1" },
    json: { type: "string" },
  },
});
const minutes = Number(options.minutes);
const jobsEach = Number(options["jobs-each"]);

await using server = await startMeasuredServer();
const rows: Record<string, number>[] = [];
let made = 0;
for (const count of options.n.split(",").map(Number)) {
  await inParallel(count - made, 40, (i) => createCronJob(server.client, made + i));
  await inParallel((count - made) * jobsEach, 40, (i) => createJob(server.client, made * jobsEach + i));
  made = count;
  rows.push(rounded(await measureRest(count)));
  await report("rest", rows, options.json);
}

async function measureRest(count: number): Promise<Record<string, number>> {
  const endpoint = `127.0.0.1:${ownPort()}`;
  // Each has a Lease of its own: none waits until that of the size before runs out.
  const lease = ["--leader-elect", "--leader-election-namespace", NAMESPACE, "--leader-election-id", `bench-${count}`];
  const flags = ["--metrics-bind-address", endpoint, ...lease];
  const began = performance.now();
  await using controller = await startController({ kubeconfig: server.kubeconfig, flags, ready: "Took over" });
  const leadsAfterMs = performance.now() - began;
  await sleep(REST_MS);
  const [requestsBefore, before] = [await requestsOf(endpoint), usageOf(controller.pid)];
  await sleep(minutes * MINUTE_MS);
  const after = usageOf(controller.pid);
  const cpuSeconds = (after.cpuSeconds - before.cpuSeconds) / minutes;
  return {
    "CronJobs": count,
    "foreign Jobs": count * jobsEach,
    "start to lead (s)": leadsAfterMs / 1_000,
    "memory at rest (MB)": after.residentMb,
    "memory peak (MB)": after.peakMb,
    "CPU of a minute (s)": cpuSeconds,
    "share of a core (%)": cpuSeconds / 60 * 100,
    "requests of a minute": (await requestsOf(endpoint) - requestsBefore) / minutes,
    "server memory peak (MB)": usageOf(server.serverPid).peakMb,
  };
}

/** How many requests it has sent so far. */
async function requestsOf(endpoint: string): Promise<number> {
  const text = await (await fetch(`http://${endpoint}/metrics`)).text();
  const counts = [...text.matchAll(/^rest_client_requests_total\{.*\} (\d+)$/gm)].map(([, count]) => Number(count));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function createCronJob(client: HttpKubeClient, index: number): Promise<void> {
  const when = index % 2 === 0 ? { schedule: "0 0 1 1 *" } : { schedule: "* * * * *", suspend: true };
  const spec = { ...when, jobTemplate: { spec: JOB_SPEC } };
  const cronJob = cronJobOf(BATCH, { name: `cronjob-${index}`, namespace: NAMESPACE, spec });
  await client.create(BATCH.resource, cronJob, { lane: "run" });
}

async function createJob(client: HttpKubeClient, index: number): Promise<void> {
  const spec = { ...JOB_SPEC, suspend: true };
  await client.create(JOBS, jobOf({ name: `foreign-${index}`, namespace: NAMESPACE, spec }), { lane: "run" });
}
