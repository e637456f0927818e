// Runs by schedule, three at a time, while the program and podman's service are killed. `CJC_TEST_RUNS` says how many.
import { assert, assertEquals } from "@std/assert";
import type { Pod } from "../../src/kube/resource.ts";
import { eventually, kubectlOk, Standalone, temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";
import { ENGINE, ENGINE_ARGS, IMAGE, importImage } from "./support/engine.ts";

await importImage();

const RUNS = Number(Deno.env.get("CJC_TEST_RUNS") ?? 50);

const KILL_PROGRAM_MS = 20_000;
const KILL_SERVICE_MS = 45_000;

/** Says in a file that it has started, writes some lines, and ends with a code that its name says. */
const SCRIPT =
  'echo "$HOSTNAME" >>/out/starts; for i in $(busybox seq 1 50); do echo line $i; done; sleep 1; echo end; ' +
  'case "$HOSTNAME" in *[0-9b-h]) exit 3 ;; esac';

const WHOLE = [...Array.from({ length: 50 }, (_, index) => `line ${index + 1}`), "end", ""].join("\n");

function codeFor(name: string): number {
  return /[0-9b-h]$/.test(name) ? 3 : 0;
}

function cronJob(name: string, folder: string): object {
  return {
    apiVersion: "batch.tutorial.kubebuilder.io/v1",
    kind: "CronJob",
    metadata: { name },
    spec: {
      schedule: "@every 1s",
      concurrencyPolicy: "Forbid",
      successfulJobsHistoryLimit: RUNS,
      failedJobsHistoryLimit: RUNS,
      jobTemplate: {
        spec: {
          backoffLimit: 0,
          template: {
            spec: {
              restartPolicy: "Never",
              volumes: [{ name: "out", hostPath: { path: folder } }],
              containers: [{
                name: "main",
                image: IMAGE,
                command: ["sh", "-c", SCRIPT],
                volumeMounts: [{ name: "out", mountPath: "/out" }],
              }],
            },
          },
        },
      },
    },
  };
}

function startsIn(folder: string): string[] {
  try {
    return Deno.readTextFileSync(`${folder}/starts`).trim().split("\n");
  } catch {
    return [];
  }
}

/** Ends podman's service as the kernel may. */
function killService(dataDir: string): void {
  try {
    const { identity } = JSON.parse(Deno.readTextFileSync(`${dataDir}/podman-service.json`));
    Deno.kill(identity.pid, "SIGKILL");
  } catch {
    // It is being started anew.
  }
}

test(`Of ${RUNS} runs by schedule amid kills each ran once, its outcome is right or unknown, and its log is whole`, async () => {
  await using folder = await temporaryFolder();
  const out = `${folder.path}/out`;
  const dataDir = `${folder.path}/data`;
  Deno.mkdirSync(out);
  const args = ["--container-runtime", ENGINE, `--container-runtime-args=${ENGINE_ARGS.join(" ")}`];
  const flags = [...args, "--container-network", "none", "--allow-host-path", out];
  let program = await Standalone.start(dataDir, flags);
  const cronJobs = ["one", "two", "three"].map((name) => cronJob(name, out));
  await kubectlOk(
    program.kubeconfig,
    ["apply", "-f", "-"],
    JSON.stringify({ kind: "List", apiVersion: "v1", items: cronJobs }),
  );
  let serviceKills = 0;
  using _kills = every(KILL_SERVICE_MS, () => {
    serviceKills++;
    killService(dataDir);
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
    await kubectlOk(kubeconfig, [
      "patch",
      "cronjobs.batch.tutorial.kubebuilder.io",
      name,
      "--type=merge",
      "--patch",
      '{"spec":{"suspend":true}}',
    ]);
  }
  const pods = await eventually("the end of all runs", async () => {
    const { items } = JSON.parse(await kubectlOk(kubeconfig, ["get", "pods", "-o", "json"])) as { items: Pod[] };
    return items.every(({ status }) => /Succeeded|Failed/.test(status?.phase ?? "")) && items;
  }, 120_000);
  const starts = startsIn(out);
  assertEquals(starts.toSorted(), pods.map(({ metadata }) => metadata.name).toSorted());
  let unknown = 0;
  for (const { metadata: { name = "" }, status } of pods) {
    const { terminated } = status!.containerStatuses![0]!.state!;
    // podman forgets a start that its service is killed over in the instant between the start and its record.
    if (terminated?.reason === "ContainerStatusUnknown") unknown++;
    else assertEquals(terminated?.exitCode, codeFor(name), name);
    assertEquals(await kubectlOk(kubeconfig, ["logs", name]), WHOLE, name);
  }
  assert(unknown <= serviceKills, `${unknown} outcomes are unknown after ${serviceKills} kills of podman's service`);
});

function every(ms: number, fn: () => void): Disposable {
  const timer = setInterval(fn, ms);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
