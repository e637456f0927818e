// How large the compiled program is, how fast it starts, and how much memory it holds: as a Pod a minute after its start, and
// `standalone` with nothing to do and minutes later with the samples. `bench:rest` has it with CronJobs.
//
//   [CJC_TEST_BINARY=FILE] deno task bench:binary [--json FILE]
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { loadConnection } from "../../src/kube/connection.ts";
import { HttpKubeClient } from "../../src/kube/http_client.ts";
import { definitionOf } from "../../src/cronjob/api/crd.ts";
import { PRODUCTION } from "../../src/cronjob/api/flavour.ts";
import { CUSTOM_RESOURCE_DEFINITIONS } from "../support/crds.ts";
import { BINARY } from "../image/support/binary.ts";
import { must } from "../support/expected.ts";
import { ServiceAccount } from "../support/pod.ts";
import { RunningProgram, temporaryFolder } from "../support/program.ts";
import { runTimes } from "./support/run_times.ts";
import { usageOf } from "./support/usage.ts";
import { report, rounded } from "./support/report.ts";
import { median } from "./support/statistics.ts";

const SAMPLES = new URL("../../deploy/samples", import.meta.url).pathname;
/** Left over for caches to fill and for V8 to find what is no longer needed, which takes it half a minute. */
const REST_MS = 60_000;

const ANY_PORT = ["--metrics-bind-address", "127.0.0.1:0", "--health-probe-bind-address", "127.0.0.1:0"];
/** As in `deploy/base`. */
const CONTROLLER = [BINARY, "controller", "--leader-elect", "--log-format=json", ...ANY_PORT];

/** What a program holds once it has come to rest, and how long it takes until it says that it is ready. */
async function atRest(
  { command, env = {}, ready }: { command: readonly string[]; env?: Record<string, string>; ready: RegExp },
): Promise<{ readyMs: number; mb: number }> {
  const began = performance.now();
  await using program = new RunningProgram(command, { env });
  await program.waitFor(ready);
  const readyMs = performance.now() - began;
  await sleep(REST_MS);
  const mb = usageOf(program.pid).residentMb;
  await program.end("SIGTERM");
  return { readyMs, mb };
}

/** The median of what standalone holds with the samples, from the fifth minute to the tenth. */
async function workingMb(dataDir: string): Promise<number> {
  const args = ["--port", "0", "--dashboard-address", "127.0.0.1:0", "--apply-once", SAMPLES];
  await using program = new RunningProgram([BINARY, "standalone", "--data-dir", dataDir, ...args]);
  await program.waitFor(/Ready: kubectl works/);
  await sleep(5 * 60_000);
  const held: number[] = [];
  while (held.length < 30) {
    await sleep(10_000);
    held.push(usageOf(program.pid).residentMb);
  }
  await program.end("SIGTERM");
  return median(held);
}

await using folder = await temporaryFolder();

/** With the flags of `deploy/base`, in a Pod's surroundings, and no CronJobs. */
async function controllerAtRest(): Promise<{ readyMs: number; mb: number }> {
  const dataDir = `${folder.path}/data`;
  const flags = ["--controllers", "", "--port", "0", "--data-dir", dataDir];
  await using server = new RunningProgram([BINARY, "standalone", ...flags]);
  await server.waitFor(/Ready: kubectl works/);
  const connection = await loadConnection({ kubeconfig: `${dataDir}/kubeconfig` });
  await using client = HttpKubeClient.to(connection);
  await client.create(CUSTOM_RESOURCE_DEFINITIONS, definitionOf(PRODUCTION));
  const account = new ServiceAccount(`${folder.path}/service-account`);
  const { headers } = await connection.credentials!.current();
  const token = must(headers!.Authorization).replace("Bearer ", "");
  await account.write({ token, caCertificate: must(connection.caCertificates![0]) });
  return await atRest({ ...account.inPod(CONTROLLER, connection.server), ready: /Took over/ });
}

const standalone = [BINARY, "standalone", "--port", "0", "--data-dir", `${folder.path}/idle`];
const controller = await controllerAtRest();
/** How long a command takes from its start to its end. */
const tookMs = async (...args: string[]) => median(await runTimes(args, 20));
const row = {
  "file (MB)": (await Deno.stat(BINARY)).size / 1e6,
  "`version` (ms)": await tookMs("version"),
  "`next` (ms)": await tookMs("next", "0 2 * * *"),
  "`lint` (ms)": await tookMs("lint", `${SAMPLES}/hello.yaml`),
  "`controller` takes over after (ms)": controller.readyMs,
  "`controller` at rest (MB)": controller.mb,
  "`standalone` at rest (MB)": (await atRest({ command: standalone, ready: /Ready: kubectl works/ })).mb,
  "`standalone` with samples (MB)": await workingMb(`${folder.path}/samples`),
};
const { values } = parseArgs({ options: { json: { type: "string" } } });
await report("executable", [rounded(row)], values.json, [BINARY]);
