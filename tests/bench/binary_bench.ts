// How large the compiled program is, how fast it starts, and how much memory it holds: as a Pod a minute after its
// start, with so many CronJobs at rest, and `standalone` with nothing to do and minutes later with the samples.
//
//   deno run -A tests/bench/binary_bench.ts [BINARY] [COUNT…]
import { loadConnection } from "../../src/kube/connection.ts";
import { HttpKubeClient } from "../../src/kube/http_client.ts";
import type { Unstored } from "../../src/kube/object.ts";
import { definitionOf } from "../../src/cronjob/api/crd.ts";
import { PRODUCTION } from "../../src/cronjob/api/flavour.ts";
import type { CronJobObject } from "../../src/cronjob/api/types.ts";
import { apiVersionOf } from "../../src/kube/resource.ts";
import { CUSTOM_RESOURCE_DEFINITIONS } from "../support/crds.ts";
import { must } from "../support/expected.ts";
import { ServiceAccount } from "../support/pod.ts";
import { RunningProgram, temporaryFolder } from "../support/program.ts";

const BINARY = Deno.args[0] ?? new URL("../../dist/cronjob-controller", import.meta.url).pathname;
const COUNTS = Deno.args.length > 1 ? Deno.args.slice(1).map(Number) : [0, 1_000, 5_000];
const STARTS = 20;
/** Left over for caches to fill and for V8 to find what is no longer needed, which takes it half a minute. */
const REST_MS = 60_000;

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
  return { best: Math.round(must(times[0])), median: Math.round(must(times[Math.floor(STARTS / 2)])) };
}

/** Held now and at most ever, in millions of bytes. */
async function residentMb(pid: number): Promise<{ now: number; peak: number }> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  const mb = (field: string) => Math.round(Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)![1]) * 0.01024) / 10;
  return { now: mb("VmRSS"), peak: mb("VmHWM") };
}

/** Not due before the year is over. */
function cronJob(index: number): Unstored<CronJobObject> {
  const containers = [{ name: "main", image: "busybox", command: ["sh", "-c", "date"] }];
  return {
    apiVersion: apiVersionOf(PRODUCTION.resource),
    kind: "CronJob",
    metadata: { name: `bench-${index}`, namespace: "default" },
    spec: {
      schedule: "0 0 1 1 *",
      jobTemplate: { spec: { template: { spec: { restartPolicy: "Never", containers } } } },
    },
  };
}

async function createAll(client: HttpKubeClient, from: number, to: number): Promise<void> {
  let next = from;
  await Promise.all(Array.from({ length: 32 }, async () => {
    while (next < to) await client.create(PRODUCTION.resource, cronJob(next++));
  }));
}

const ANY_PORT = ["--metrics-bind-address", "127.0.0.1:0", "--health-probe-bind-address", "127.0.0.1:0"];
/** As in `deploy/base`. */
const CONTROLLER = [BINARY, "controller", "--leader-elect", "--log-format=json", ...ANY_PORT];

/** What a program holds once it has come to rest. */
async function idleMb(
  { command, env, ready }: { command: readonly string[]; env?: Record<string, string>; ready: RegExp },
): Promise<{ now: number; peak: number; readyMs: number }> {
  const began = performance.now();
  await using program = new RunningProgram(command, { env });
  await program.waitFor(ready);
  const readyMs = Math.round(performance.now() - began);
  await sleep(REST_MS);
  const held = await residentMb(program.pid);
  await program.end("SIGTERM");
  return { ...held, readyMs };
}

/** What standalone holds with the samples, from the fifth minute to the tenth. */
async function workingMb(dataDir: string): Promise<{ min: number; median: number; max: number }> {
  const samples = new URL("../../deploy/samples", import.meta.url).pathname;
  const args = ["--port", "0", "--dashboard-address", "127.0.0.1:0", "--apply-once", samples];
  await using program = new RunningProgram([BINARY, "standalone", "--data-dir", dataDir, ...args]);
  await program.waitFor(/Ready: kubectl works/);
  await sleep(5 * 60_000);
  const held: number[] = [];
  while (held.length < 30) {
    await sleep(10_000);
    held.push((await residentMb(program.pid)).now);
  }
  await program.end("SIGTERM");
  held.sort((a, b) => a - b);
  return { min: must(held[0]), median: must(held[15]), max: must(held.at(-1)) };
}

function show(what: string, value: number | Record<string, number>): void {
  const text = typeof value === "number"
    ? value
    : Object.entries(value).map(([name, one]) => `${name} ${one}`).join(", ");
  console.log(`${what}: ${text}`);
}

show("file (MB)", Math.round((await Deno.stat(BINARY)).size / 1e5) / 10);
show("version (ms)", await startUpMs("version"));
show("next (ms)", await startUpMs("next", "0 2 * * *"));
show("lint (ms)", await startUpMs("lint", new URL("../../deploy/samples/hello.yaml", import.meta.url).pathname));

await using folder = await temporaryFolder();
const dataDir = `${folder.path}/data`;
await using server = new RunningProgram(
  [BINARY, "standalone", "--controllers", "", "--port", "0", "--data-dir", dataDir],
);
await server.waitFor(/Ready: kubectl works/);
const kubeconfig = `${dataDir}/kubeconfig`;
const connection = await loadConnection({ kubeconfig });
await using client = HttpKubeClient.to(connection);
await client.create(CUSTOM_RESOURCE_DEFINITIONS, definitionOf(PRODUCTION));

const account = new ServiceAccount(`${folder.path}/service-account`);
const { headers } = await connection.credentials!.current();
const token = must(headers!.Authorization).replace("Bearer ", "");
await account.write({ token, caCertificate: must(connection.caCertificates![0]) });
const inPod = account.inPod(CONTROLLER, connection.server);
let made = 0;
for (const count of COUNTS) {
  await createAll(client, made, made = count);
  show(`controller, ${count} CronJobs (MB)`, await idleMb({ ...inPod, ready: /Took over/ }));
}
await server.end("SIGTERM");

const standalone = [BINARY, "standalone", "--port", "0", "--data-dir", `${folder.path}/idle`];
show("standalone, no objects (MB)", await idleMb({ command: standalone, ready: /Ready: kubectl works/ }));

show("standalone, samples, minutes 5 to 10 (MB)", await workingMb(`${folder.path}/samples`));
