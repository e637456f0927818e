// How large the compiled program is, how fast it starts, and how much memory it holds when there is nothing to do.
//
//   deno run -A tests/bench/binary_bench.ts [BINARY] [COUNT]
import { loadConnection } from "../../src/kube/connection.ts";
import { createKubeClient, type HttpKubeClient } from "../../src/kube/http_client.ts";
import type { Unstored } from "../../src/kube/object.ts";
import { CRON_JOBS, type CronJob } from "../../src/kube/resource.ts";
import { ServiceAccount } from "../support/pod.ts";
import { NO_ENDPOINTS, RunningProgram, temporaryFolder } from "../support/program.ts";

const BINARY = Deno.args[0] ?? new URL("../../dist/cronjob-controller", import.meta.url).pathname;
const COUNT = Number(Deno.args[1] ?? 1_000);
const STARTS = 3;
/** Left over for caches to fill and for garbage to be collected. */
const REST_MS = 20_000;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function startUpMs(...args: string[]): Promise<{ best: number; median: number }> {
  const times: number[] = [];
  for (let start = 0; start < STARTS; start++) {
    const began = performance.now();
    const { success } = await new Deno.Command(BINARY, { args, stdout: "null", stderr: "inherit" }).output();
    if (!success) throw new Error(`${BINARY} ${args.join(" ")} failed`);
    times.push(performance.now() - began);
  }
  times.sort((a, b) => a - b);
  return { best: Math.round(times[0]), median: Math.round(times[STARTS / 2]) };
}

/** Held now and at most ever, in MB as `ps` counts them. */
async function residentMb(pid: number): Promise<{ now: number; peak: number }> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  const mb = (field: string) => Math.round(Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)![1]) / 102.4) / 10;
  return { now: mb("VmRSS"), peak: mb("VmHWM") };
}

/** Not due before the year is over. */
function cronJob(index: number): Unstored<CronJob> {
  const containers = [{ name: "main", image: "busybox", command: ["sh", "-c", "date"] }];
  return {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name: `bench-${index}`, namespace: "default" },
    spec: {
      schedule: "0 0 1 1 *",
      jobTemplate: { spec: { template: { spec: { restartPolicy: "Never", containers } } } },
    },
  };
}

async function createAll(client: HttpKubeClient): Promise<void> {
  let next = 0;
  await Promise.all(Array.from({ length: 32 }, async () => {
    while (next < COUNT) await client.create(CRON_JOBS, cronJob(next++));
  }));
}

const CONTROLLER = [BINARY, "controller", "--api", "batch/v1", ...NO_ENDPOINTS];
const CONTROLLER_WITH_METRICS = [
  ...CONTROLLER.slice(0, -NO_ENDPOINTS.length),
  "--metrics-bind-address",
  "127.0.0.1:0",
  "--health-probe-bind-address",
  "127.0.0.1:0",
];

async function idleMb(command: readonly string[], env?: Record<string, string>, ready = /Reconciling/) {
  await using program = new RunningProgram(command, { env });
  await program.waitFor(ready);
  await sleep(REST_MS);
  const held = await residentMb(program.pid);
  await program.end("SIGTERM");
  return held;
}

const results: Record<string, unknown> = {};
const show = (what: string, value: unknown) => {
  results[what] = value;
  console.log(`${what}: ${typeof value === "object" ? JSON.stringify(value) : value}`);
};

show("file (MB)", Math.round((await Deno.stat(BINARY)).size / 1e5) / 10);
show("version (ms)", await startUpMs("version"));
show("next (ms)", await startUpMs("next", "0 2 * * *"));
show("lint (ms)", await startUpMs("lint", new URL("../../deploy/samples/hello.yaml", import.meta.url).pathname));

await using folder = await temporaryFolder();
{
  const began = performance.now();
  await using standalone = new RunningProgram([
    ...[BINARY, "standalone", "--port", "0", "--data-dir", `${folder.path}/idle`],
  ]);
  await standalone.waitFor(/Ready: kubectl works/);
  show("standalone ready (ms)", Math.round(performance.now() - began));
  await sleep(REST_MS);
  show("standalone idle, no objects (MB)", await residentMb(standalone.pid));
  await standalone.end("SIGTERM");
}

const dataDir = `${folder.path}/data`;
await using server = new RunningProgram(
  [BINARY, "standalone", "--controllers", "", "--port", "0", "--data-dir", dataDir],
);
await server.waitFor(/Ready: kubectl works/);
const kubeconfig = `${dataDir}/kubeconfig`;
const connection = await loadConnection({ kubeconfig });
await using client = createKubeClient(connection);
await createAll(client);

const account = new ServiceAccount(`${folder.path}/service-account`);
const { headers } = await connection.credentials!.current();
const token = headers!.Authorization.replace("Bearer ", "");
await account.write({ token, caCertificate: connection.caCertificates![0] });
const pod = account.inPod(CONTROLLER_WITH_METRICS, connection.server);
show(`controller idle, ${COUNT} CronJobs, service account (MB)`, await idleMb(pod.command, pod.env));
show(
  `controller idle, ${COUNT} CronJobs, kubeconfig (MB)`,
  await idleMb([...CONTROLLER_WITH_METRICS, "--kubeconfig", kubeconfig]),
);
await server.end("SIGTERM");
