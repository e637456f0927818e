// How well the controller starts many CronJobs that are due in the same minute. The API server and the controller are
// processes of their own; nothing runs the Jobs, and this process only looks on.
//
//   [CJC_TEST_BINARY=FILE] deno run -A tests/bench/cronjob_bench.ts [COUNT] [CONCURRENT_SYNCS]
import type { Unstored } from "../../src/kube/object.ts";
import { loadConnection } from "../../src/kube/connection.ts";
import { createKubeClient, type HttpKubeClient } from "../../src/kube/http_client.ts";
import { CRON_JOBS, type CronJob, EVENTS, JOBS, type Resource } from "../../src/kube/resource.ts";
import { BATCH } from "../../src/cronjob/api/flavour.ts";
import { parseTime } from "../../src/schedule/epoch_ms.ts";
import { PROGRAM } from "../support/program.ts";

const COUNT = Number(Deno.args[0] ?? 1000);
const CONCURRENT_SYNCS = Deno.args[1] ?? "1000";
/** Left over after the last CronJob was made, so that the controller has come to rest. */
const REST_MS = 8_000;
/** How long after the minute everything is counted. */
const WINDOW_MS = 40_000;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function start(...args: string[]): Deno.ChildProcess {
  const [program, ...first] = PROGRAM;
  return new Deno.Command(program, {
    args: [...first, ...args, "--log-level", "warning"],
    stdout: "null",
    stderr: "inherit",
  }).spawn();
}

async function connect(kubeconfig: string): Promise<HttpKubeClient> {
  for (;;) {
    try {
      const client = createKubeClient(await loadConnection({ kubeconfig }));
      const response = await client.raw("/readyz");
      await response.body?.cancel();
      if (response.ok) return client;
      await client[Symbol.asyncDispose]();
    } catch { /* not there yet */ }
    await sleep(100);
  }
}

/** CPU seconds so far and the most memory ever held, from the kernel. */
async function usage(pid: number): Promise<{ cpuSeconds: number; peakMiB: number }> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
  const [user, system] = stat.slice(stat.lastIndexOf(")")).split(" ").slice(12, 14).map(Number);
  const peak = /VmHWM:\s+(\d+)/.exec(await Deno.readTextFile(`/proc/${pid}/status`))!;
  return { cpuSeconds: (user + system) / 100, peakMiB: Number(peak[1]) / 1024 };
}

function cronJob(index: number): Unstored<CronJob> {
  return {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name: `bench-${index}`, namespace: "default" },
    spec: {
      schedule: "* * * * *",
      jobTemplate: {
        spec: {
          template: {
            spec: {
              restartPolicy: "Never",
              containers: [{ name: "main", image: "busybox", command: ["sh", "-c", "date"] }],
            },
          },
        },
      },
    },
  };
}

async function createAll(client: HttpKubeClient): Promise<void> {
  let next = 0;
  await Promise.all(Array.from({ length: 32 }, async () => {
    while (next < COUNT) await client.create(CRON_JOBS, cronJob(next++));
  }));
}

/** Counts what arrives on a watch from now on. */
async function follow(
  client: HttpKubeClient,
  { resource, signal, onEvent }: {
    resource: Resource;
    signal: AbortSignal;
    onEvent: (type: string, object: unknown) => void;
  },
): Promise<void> {
  const { metadata: { resourceVersion } } = await client.list(resource, { limit: 1 });
  const watch = async () => {
    try {
      for await (const { type, object } of client.watch(resource, { resourceVersion, signal })) onEvent(type, object);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  };
  void watch();
}

const dir = await Deno.makeTempDir({ prefix: "cronjob-bench-" });
const kubeconfig = `${dir}/kubeconfig`;
const server = start(
  "standalone",
  "--controllers",
  "",
  "--port",
  "0",
  "--data-dir",
  `${dir}/data`,
  "--write-kubeconfig",
  kubeconfig,
);
const client = await connect(kubeconfig);
const controller = start(
  "controller",
  "--kubeconfig",
  kubeconfig,
  "--api",
  "batch/v1",
  "--concurrent-syncs",
  CONCURRENT_SYNCS,
  "--metrics-bind-address",
  "127.0.0.1:0",
  "--health-probe-bind-address",
  "0",
);
try {
  // All in one minute: wait for the next if this one is nearly over.
  if (Date.now() % 60_000 > 60_000 - REST_MS - COUNT * 5) await sleep(60_000 - Date.now() % 60_000);
  await createAll(client);
  await sleep(REST_MS);
  const slot = Math.ceil(Date.now() / 60_000) * 60_000;
  const end = new AbortController();
  const delays: number[] = [];
  const writes = { jobs: 0, statuses: 0, events: 0 };
  await follow(client, {
    resource: JOBS,
    signal: end.signal,
    onEvent: (type, object) => {
      if (type !== "ADDED") return;
      writes.jobs++;
      const { annotations } = (object as { metadata: { annotations: Record<string, string> } }).metadata;
      if (parseTime(annotations[BATCH.scheduledTimeAnnotation]) === slot) delays.push(Date.now() - slot);
    },
  });
  await follow(client, { resource: CRON_JOBS, signal: end.signal, onEvent: () => writes.statuses++ });
  await follow(client, { resource: EVENTS, signal: end.signal, onEvent: () => writes.events++ });
  const before = await usage(controller.pid);
  const serverBefore = await usage(server.pid);
  await sleep(Math.min(slot + WINDOW_MS, slot + 55_000) - Date.now());
  const after = await usage(controller.pid);
  const serverAfter = await usage(server.pid);
  end.abort();

  delays.sort((a, b) => a - b);
  const at = (share: number) => delays[Math.min(delays.length - 1, Math.floor(delays.length * share))];
  console.table({
    "CronJobs due": COUNT,
    "started": delays.length,
    "start delay p50 (ms)": at(0.5),
    "start delay p99 (ms)": at(0.99),
    "start delay max (ms)": at(1),
    "controller CPU (s)": round(after.cpuSeconds - before.cpuSeconds),
    "controller peak memory (MiB)": round(after.peakMiB),
    "server CPU (s)": round(serverAfter.cpuSeconds - serverBefore.cpuSeconds),
    "server peak memory (MiB)": round(serverAfter.peakMiB),
    "Jobs created a run": round(writes.jobs / COUNT),
    "statuses written a run": round(writes.statuses / COUNT),
    "Events written a run": round(writes.events / COUNT),
  });
} finally {
  await client[Symbol.asyncDispose]();
  for (const child of [controller, server]) {
    child.kill("SIGTERM");
    await child.status;
  }
  await Deno.remove(dir, { recursive: true });
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
