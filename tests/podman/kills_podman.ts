// Runs by schedule, three at a time, while the program and podman's service are killed. `CJC_TEST_RUNS` says how many.
import { assertEquals } from "@std/assert";
import { TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import type { Pod } from "../../src/kube/resource.ts";
import { cronJobOf } from "../support/cron_job.ts";
import { eventually, kubectlOk, Standalone, temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";
import { ENGINE_FLAGS, importImage, servicesIn, writingTo } from "./support/engine.ts";

await importImage();

const RUNS = Number(Deno.env.get("CJC_TEST_RUNS") ?? 50);

const KILL_PROGRAM_MS = 20_000;
const KILL_SERVICE_MS = 45_000;

/** podman may have started a run a second after it was asked to, and be killed a second later. */
const AT_START_S = 3;

/** Says in a file when it has started, writes some lines, and ends with a code that its name says. */
const SCRIPT = 'echo "$HOSTNAME $(busybox date +%s)" >>/out/starts; ' +
  "for i in $(busybox seq 1 50); do echo line $i; done; sleep 1; echo end; " +
  'case "$HOSTNAME" in *[0-9b-h]) exit 3 ;; esac';

const WHOLE = [...Array.from({ length: 50 }, (_, index) => `line ${index + 1}`), "end", ""].join("\n");

function outcomeFor(name: string): readonly [exitCode: number | undefined, reason: string | undefined] {
  return /[0-9b-h]$/.test(name) ? [3, "Error"] : [0, "Completed"];
}

function cronJob(name: string, folder: string): object {
  const limits = { successfulJobsHistoryLimit: RUNS, failedJobsHistoryLimit: RUNS };
  const jobTemplate = writingTo(folder, SCRIPT);
  const spec = { schedule: "@every 1s", concurrencyPolicy: "Forbid", ...limits, jobTemplate } as const;
  return cronJobOf(TUTORIAL, { name, spec });
}

/** Returns names of runs, each with the second in which it started. */
function startsIn(folder: string): (readonly [name: string, second: number])[] {
  try {
    const lines = Deno.readTextFileSync(`${folder}/starts`).trim().split("\n");
    return lines.map((line) => line.split(" ")).map(([name = "", second]) => [name, Number(second)]);
  } catch {
    return [];
  }
}

/** Ends podman's service as the kernel may. Returns whether there was one. */
function killService(dataDir: string): boolean {
  const services = servicesIn(dataDir);
  for (const pid of services) Deno.kill(pid, "SIGKILL");
  return services.length > 0;
}

test(`Of ${RUNS} runs by schedule amid kills each ran once, its log is whole, and its outcome is right, save where podman was killed as it started the run`, async () => {
  await using folder = await temporaryFolder();
  const out = `${folder.path}/out`;
  const dataDir = `${folder.path}/data`;
  Deno.mkdirSync(out);
  const flags = [...ENGINE_FLAGS, "--allow-host-path", out];
  let program = await Standalone.start(dataDir, flags);
  const cronJobs = ["one", "two", "three"].map((name) => cronJob(name, out));
  await kubectlOk(
    program.kubeconfig,
    ["apply", "-f", "-"],
    JSON.stringify({ kind: "List", apiVersion: "v1", items: cronJobs }),
  );
  const serviceKills: number[] = [];
  using _kills = every(KILL_SERVICE_MS, () => {
    if (killService(dataDir)) serviceKills.push(Date.now() / 1000);
  });
  for (let at = Date.now() + KILL_PROGRAM_MS; startsIn(out).length < RUNS;) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    if (Date.now() < at) continue;
    await program.program.end("SIGKILL");
    program = await Standalone.start(dataDir, flags);
    at = Date.now() + KILL_PROGRAM_MS;
  }
  const { kubeconfig } = program;
  await using _last = program;
  for (const name of ["one", "two", "three"]) {
    const patch = ["--type=merge", "--patch", '{"spec":{"suspend":true}}'];
    await kubectlOk(kubeconfig, ["patch", "cronjobs.batch.tutorial.kubebuilder.io", name, ...patch]);
  }
  const pods = await eventually("the end of all runs", async () => {
    const { items } = JSON.parse(await kubectlOk(kubeconfig, ["get", "pods", "-o", "json"])) as { items: Pod[] };
    return items.every(({ status }) => /Succeeded|Failed/.test(status?.phase ?? "")) && items;
  }, 120_000);
  const starts = startsIn(out);
  assertEquals(starts.map(([name]) => name).toSorted(), pods.map(({ metadata }) => metadata.name).toSorted());
  const secondOf = new Map(starts);
  let unknown = 0;
  for (const { metadata: { name = "" }, status } of pods) {
    const { terminated } = status!.containerStatuses![0]!.state!;
    const atKill = serviceKills.some((second) => Math.abs(second - secondOf.get(name)!) <= AT_START_S);
    // podman forgets such a start: a test of its own shows it.
    if (atKill && terminated?.message === "podman has not seen the end of the container") unknown++;
    else assertEquals([terminated?.exitCode, terminated?.reason], outcomeFor(name), name);
    assertEquals(await kubectlOk(kubeconfig, ["logs", name]), WHOLE, name);
  }
  console.log(`${pods.length} runs, ${serviceKills.length} kills of podman's service, ${unknown} outcomes unknown`);
});

function every(ms: number, fn: () => void): Disposable {
  const timer = setInterval(fn, ms);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
