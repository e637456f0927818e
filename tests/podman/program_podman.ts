import { assertEquals } from "@std/assert";
import { eventually, kubectlOk, PROGRAM, RunningProgram, Standalone, temporaryFolder } from "../support/program.ts";
import { BATCH } from "../../src/cronjob/api/flavour.ts";
import { podOf, shell } from "../kubelet/support/test_kubelet.ts";
import { cronJobOf } from "../support/cron_job.ts";
import { jobOf } from "../support/job.ts";
import { test } from "../support/test.ts";
import { containersIn, ENGINE, ENGINE_FLAGS, IMAGE, importImage, writingTo } from "./support/engine.ts";

await importImage();

const PODS = 20;

/** Each says in a file that it has started, waits for another file, and writes some lines. */
function job(folder: string): string {
  const script = `echo "$HOSTNAME" >>/out/starts; while [ ! -e /out/go ]; do sleep 0.1; done; ` +
    "for i in $(busybox seq 1 50); do echo line $i; done; echo end";
  const { spec } = writingTo(folder, script);
  return JSON.stringify(jobOf({ name: "many", spec: { ...spec, parallelism: PODS, completions: PODS } }));
}

function linesOf(path: string): string[] {
  try {
    return Deno.readTextFileSync(path).split("\n").filter((line) => line !== "");
  } catch {
    return [];
  }
}

test(`SIGKILL of the program amid ${PODS} containers loses none and starts none twice, and their logs are whole`, async () => {
  await using folder = await temporaryFolder();
  const out = `${folder.path}/out`;
  const dataDir = `${folder.path}/data`;
  Deno.mkdirSync(out);
  const flags = [...ENGINE_FLAGS, "--allow-host-path", out];
  const first = await Standalone.start(dataDir, flags);
  await kubectlOk(first.kubeconfig, ["apply", "-f", "-"], job(out));
  // Some are still on their way into the engine.
  await eventually("half of the containers", () => Promise.resolve(linesOf(`${out}/starts`).length >= PODS / 2));
  await first.program.end("SIGKILL");

  await using second = await Standalone.start(dataDir, flags);
  await eventually("all containers", () => Promise.resolve(linesOf(`${out}/starts`).length >= PODS));
  Deno.writeTextFileSync(`${out}/go`, "");
  await kubectlOk(second.kubeconfig, ["wait", "--for=condition=Complete", "job/many", "--timeout=120s"]);
  const starts = linesOf(`${out}/starts`);
  assertEquals([starts.length, new Set(starts).size], [PODS, PODS]);
  const pods = await kubectlOk(second.kubeconfig, ["get", "pods", "-o", "name"]);
  const whole = [...Array.from({ length: 50 }, (_, index) => `line ${index + 1}`), "end", ""].join("\n");
  for (const pod of pods.trim().split("\n")) {
    assertEquals(await kubectlOk(second.kubeconfig, ["logs", pod]), whole, pod);
  }
  await eventually("no container left", async () => (await containersIn(dataDir)).length === 0);
});

test("With --on-stop leave a container goes on over a restart of the program; with end it is ended", async () => {
  await using folder = await temporaryFolder();
  const dataDir = `${folder.path}/data`;
  const container = { image: IMAGE, ...shell("trap 'exit 4' TERM; while :; do sleep 0.1; done") };
  const stays = podOf("stays", container, { nodeName: undefined });
  const running = (kubeconfig: string) =>
    kubectlOk(kubeconfig, ["wait", "--for=jsonpath={.status.phase}=Running", "pod/stays", "--timeout=120s"]);
  const first = await Standalone.start(dataDir, [...ENGINE_FLAGS, "--on-stop", "leave"]);
  await kubectlOk(first.kubeconfig, ["apply", "-f", "-"], JSON.stringify(stays));
  await running(first.kubeconfig);
  assertEquals((await first.program.end("SIGTERM")).code, 0);
  const left = await containersIn(dataDir);
  assertEquals(left.length, 1);

  const second = await Standalone.start(dataDir, [...ENGINE_FLAGS, "--on-stop", "end"]);
  await running(second.kubeconfig);
  assertEquals(await containersIn(dataDir), left);
  assertEquals((await second.program.end("SIGTERM")).code, 0);
  assertEquals(await containersIn(dataDir), []);
});

test("A CronJob's runs use its image, and with one engine alone nothing runs as a process", async () => {
  await using folder = await temporaryFolder();
  await using standalone = await Standalone.start(`${folder.path}/data`, ENGINE_FLAGS);
  const { kubeconfig } = standalone;
  const spec = { restartPolicy: "Never" as const, containers: [{ name: "main", image: IMAGE }] };
  const jobTemplate = { spec: { backoffLimit: 0, template: { spec } } };
  const often = cronJobOf(BATCH, { name: "often", spec: { schedule: "* * * * *", jobTemplate } });
  await kubectlOk(kubeconfig, ["apply", "-f", "-"], JSON.stringify(often));
  await kubectlOk(kubeconfig, ["create", "job", "now", "--from=cronjob/often"]);
  await kubectlOk(kubeconfig, ["wait", "--for=condition=Complete", "job/now", "--timeout=120s"]);
  assertEquals(await kubectlOk(kubeconfig, ["logs", "job/now"]), "entry word\n");

  const pod = (name: string, runtime: string) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, annotations: { "cronjob-controller.dev/container-runtime": runtime } },
    spec: { restartPolicy: "Never", containers: [{ name: "main", image: IMAGE, command: ["true"] }] },
  });
  await kubectlOk(kubeconfig, ["apply", "-f", "-"], JSON.stringify(pod("loose", "process")));
  await kubectlOk(kubeconfig, ["apply", "-f", "-"], JSON.stringify(pod("same", ENGINE)));
  await kubectlOk(kubeconfig, ["wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/same", "--timeout=120s"]);
  await kubectlOk(kubeconfig, ["wait", "--for=jsonpath={.status.phase}=Failed", "pod/loose", "--timeout=120s"]);
  const reason = await eventually("the Event", async () => {
    const wanted = ["--field-selector", "involvedObject.name=loose", "-o", "jsonpath={.items[*].reason}"];
    return (await kubectlOk(kubeconfig, ["get", "events", ...wanted])) || undefined;
  });
  assertEquals(reason, "NotAllowed");
});

test("standalone does not start with a container runtime that does not work", async () => {
  await using folder = await temporaryFolder();
  const args = ["--data-dir", `${folder.path}/data`, "--port", "0", "--container-runtime", ENGINE];
  const run = async (...more: string[]) => {
    await using program = new RunningProgram([...PROGRAM, "standalone", ...args, ...more]);
    return { code: (await program.end()).code, output: program.output };
  };
  const { code, output } = await run(
    ENGINE === "podman"
      ? "--container-runtime-args=--storage-driver=none-such"
      : "--container-runtime-args=--host=unix:///none",
  );
  assertEquals([code, output.includes(`Cannot use container runtime ${ENGINE}: `)], [2, true], output);
});
