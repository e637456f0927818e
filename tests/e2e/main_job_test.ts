import { relative } from "node:path";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { must } from "../support/expected.ts";
import {
  kubectl,
  kubectlOk,
  NO_ENDPOINTS,
  PROGRAM,
  RunningProgram,
  Standalone,
  temporaryFolder,
} from "../support/program.ts";
import { processesOf } from "../support/processes.ts";
import { test } from "../support/test.ts";

const ROOT = new URL("../..", import.meta.url).pathname;

interface Named {
  metadata: { name: string; uid: string };
}

test("three starts on one data dir, from an API server alone to Ctrl-C", async (t) => {
  await using folder = await temporaryFolder();
  // As the start task's own `.data` is: relative.
  const data = relative(Deno.cwd(), `${folder.path}/data`);
  const samples = ["--apply-once", `${ROOT}deploy/samples`];
  const uids = async (kubeconfig: string) => {
    const list: { items: Named[] } = JSON.parse(await kubectlOk(kubeconfig, ["get", "ccj,cronjobs", "-o", "json"]));
    return Object.fromEntries(list.items.map(({ metadata }) => [metadata.name, metadata.uid]));
  };
  {
    // The API server alone, so that what is written here stays.
    await using bare = await Standalone.start(data, ["--controllers", "", ...samples]);
    const lastScheduleTime = new Date(Date.now() - 3_600_000).toISOString().replace(/\.\d+Z/, "Z");
    const status = JSON.stringify({ status: { lastScheduleTime } });
    await kubectlOk(bare.kubeconfig, ["patch", "ccj", "hello", "--subresource=status", "--type=merge", "-p", status]);
  }
  let before: Record<string, string>;
  {
    await using second = await Standalone.start(data, samples);
    const readyAt = Date.now();
    const { program, kubeconfig } = second;
    await t.step("after an hour's break a CronJob of every five seconds fires within ten", async () => {
      await program.waitFor(/succeeded +default\/hello /);
      const jobs = ["get", "jobs", "-o", "jsonpath={.items[*].metadata.creationTimestamp}"];
      const [first = ""] = (await kubectlOk(kubeconfig, jobs)).split(" ").sort();
      assert(Date.parse(first) - readyAt < 10_000, `The first run was at ${first}`);
    });
    await t.step("the samples run on, and the output has the kubeconfig and what Pods print", async () => {
      await program.waitFor(/succeeded +default\/hello /, { count: 2 });
      assertMatch(program.output, new RegExp(`export KUBECONFIG=${folder.path}/data/kubeconfig`));
      assertMatch(program.output, /hello-\d+-[a-z0-9]{5} \| /);
    });
    const everyday = "kubectl's everyday commands work on both CronJob APIs";
    await t.step(everyday, () => proveEverydayCommands(second, folder.path));
    const unknown = "a template field that no type of ours knows reaches the created Job and its Pod, on every path";
    await t.step(unknown, () => proveUnknownField(second));
    await kubectlOk(kubeconfig, ["delete", "cronjob", "--all"]);
    before = await uids(kubeconfig);
  }
  await using third = await Standalone.start(data, samples);
  await t.step("a second start shows the same objects with the same UIDs and goes on", async () => {
    assertEquals(await uids(third.kubeconfig), before);
    await third.program.waitFor(/succeeded +default\/hello /);
  });
  await t.step("Ctrl-C delivered twice, as the terminal and deno task do, is one orderly stop", async () => {
    const slow = podManifest("slow", "trap 'echo ended in order; exit 0' TERM; sleep 600 & wait");
    await kubectlOk(third.kubeconfig, ["apply", "-f", "-"], slow);
    const runs = ["wait", "--for=jsonpath={.status.phase}=Running", "pod/slow", "--timeout=120s"];
    await kubectlOk(third.kubeconfig, runs);
    third.program.child.kill("SIGINT");
    third.program.child.kill("SIGINT");
    const status = await third.program.end();
    assertEquals(status.code, 0, third.program.output);
    assertStringIncludes(third.program.output, "ended in order");
    assertEquals(await processesOf(folder.path), []);
  });
});

test("a controller process of its own does the same work against a standalone without CronJob controllers", async () => {
  await using folder = await temporaryFolder();
  await using standalone = await Standalone.start(`${folder.path}/data`, ["--controllers", "job,kubelet,gc"]);
  await using controller = new RunningProgram([
    ...PROGRAM,
    ...["controller", "--kubeconfig", standalone.kubeconfig],
    ...["--api", "batch.tutorial.kubebuilder.io/v1", "--api", "batch/v1"],
    ...NO_ENDPOINTS,
  ]);
  await kubectlOk(standalone.kubeconfig, ["apply", "-f", "-"], tutorialCronJob("every", "@every 1s", "echo one"));
  await kubectlOk(standalone.kubeconfig, ["apply", "-f", "-"], batchCronJob("native", "@every 1s", "echo two"));
  await controller.waitFor(/A run of "?default\/every"? succeeded/, { count: 2 });
  await controller.waitFor(/A run of "?default\/native"? succeeded/);
  const status = await controller.end("SIGTERM");
  assertEquals(status.code, 0, controller.output);
});

test("a controller with --jobs managed runs the Jobs that name it, and leaves all others alone", async () => {
  await using folder = await temporaryFolder();
  await using standalone = await Standalone.start(`${folder.path}/data`, ["--jobs", "off"]);
  await using controller = new RunningProgram([
    ...PROGRAM,
    ...["controller", "--kubeconfig", standalone.kubeconfig, "--jobs", "managed", ...NO_ENDPOINTS],
    ...["--metrics-bind-address", "0", "--health-probe-bind-address", "0"],
  ]);
  const apply = (name: string, managedBy?: string) => {
    const { metadata: _, spec } = JSON.parse(podManifest(name, "true"));
    const job = { apiVersion: "batch/v1", kind: "Job", metadata: { name }, spec: { managedBy, template: { spec } } };
    return kubectlOk(standalone.kubeconfig, ["apply", "-f", "-"], JSON.stringify(job));
  };
  await apply("native");
  await apply("other", "example.com/other");
  await apply("managed", "cronjob-controller.dev/job-controller");
  await kubectlOk(standalone.kubeconfig, ["wait", "--for=condition=complete", "job/managed", "--timeout=120s"]);
  assertEquals(
    await kubectlOk(standalone.kubeconfig, ["get", "job", "native", "other", "-o", "jsonpath={.items[*].status}"]),
    "{} {}",
  );
  assertEquals((await controller.end("SIGTERM")).code, 0, controller.output);
});

async function proveEverydayCommands(standalone: Standalone, folder: string): Promise<void> {
  const run = (...args: string[]) => kubectlOk(standalone.kubeconfig, args);
  // So that no other run takes the place of what is looked at.
  await run("patch", "ccj", "hello", "--type", "merge", "-p", '{"spec":{"suspend":true}}');
  assertEquals(await run("get", "ccj", "hello", "-o", "jsonpath={.spec.suspend}"), "true");
  assertMatch(await run("get", "ccj,cronjobs,jobs,pods", "-A"), /cronjob\.cronjob-controller\.dev\/hello/);
  assertMatch(await run("get", "all"), /cronjob\.cronjob-controller\.dev\/hello/);
  assertMatch(await run("describe", "ccj", "hello"), /SuccessfulCreate/);
  const jobs: { items: Named[] } = JSON.parse(await run("get", "jobs", "-o", "json"));
  const job = jobs.items.map(({ metadata }) => metadata.name).find((name) => name.startsWith("hello-"))!;
  await run("wait", "--for=condition=complete", `job/${job}`, "--timeout=120s");
  assert((await run("logs", `job/${job}`)).length > 0);
  assertMatch(await run("describe", "job", job), /Completed/);

  const manifest = `${folder}/mine.yaml`;
  await Deno.writeTextFile(manifest, batchCronJob("mine", "0 0 1 1 *", "echo by hand"));
  assertMatch(await run("apply", "-f", manifest), /created/);
  assertMatch(await run("apply", "-f", manifest), /unchanged|configured/);
  assertMatch(await run("create", "job", "now", "--from=cronjob/mine"), /created/);
  await run("wait", "--for=condition=complete", "job/now", "--timeout=120s");
  assertEquals(await run("logs", "job/now"), "by hand\n");

  await run("patch", "cronjob", "mine", "-p", '{"spec":{"suspend":true}}');
  assertEquals(await run("get", "cronjob", "mine", "-o", "jsonpath={.spec.suspend}"), "true");

  await using watching = new RunningProgram([
    "kubectl",
    "--kubeconfig",
    standalone.kubeconfig,
    "get",
    "cronjobs",
    "-w",
  ]);
  await watching.waitFor(/mine .*True/);
  await run("patch", "cronjob", "mine", "-p", '{"spec":{"suspend":false}}');
  await watching.waitFor(/mine .*False/);

  await run("delete", "-f", manifest);
  assertEquals((await kubectl(standalone.kubeconfig, ["get", "cronjob", "mine"])).code, 1);
  // The Job of the deleted CronJob is collected.
  await run("wait", "--for=delete", "job/now", "--timeout=120s");
  await run("patch", "ccj", "hello", "--type", "merge", "-p", '{"spec":{"suspend":false}}');
}

async function proveUnknownField({ program, kubeconfig }: Standalone): Promise<void> {
  const unknown = "fieldFromTheFuture: {nested: [1, two]}";
  await kubectlOk(kubeconfig, ["apply", "-f", "-"], tutorialCronJob("future-a", "@every 1s", "true", unknown));
  const native = batchCronJob("future-b", "@every 1s", "true", unknown);
  await kubectlOk(kubeconfig, ["apply", "--validate=false", "-f", "-"], native);
  for (const name of ["future-a", "future-b"]) await program.waitFor(new RegExp(`succeeded +default/${name} `));
  for (const kind of ["jobs", "pods"]) {
    const { items } = JSON.parse(await kubectlOk(kubeconfig, ["get", kind, "-o", "json"]));
    for (const prefix of ["future-a-", "future-b-"]) {
      const { spec } = must(items.find(({ metadata }: Named) => metadata.name.startsWith(prefix)));
      const podSpec = kind === "jobs" ? spec.template.spec : spec;
      assertEquals(podSpec.fieldFromTheFuture, { nested: [1, "two"] }, `${kind} ${prefix}`);
    }
  }
  await kubectlOk(kubeconfig, ["create", "job", "future-c", "--from=cronjob/future-b"]);
  await kubectlOk(kubeconfig, ["delete", "cronjobs.batch.tutorial.kubebuilder.io", "future-a"]);
}

function batchCronJob(name: string, schedule: string, script: string, podField = ""): string {
  return cronJob("batch/v1", name, schedule, script, podField);
}

function tutorialCronJob(name: string, schedule: string, script: string, podField = ""): string {
  return cronJob("batch.tutorial.kubebuilder.io/v1", name, schedule, script, podField);
}

function cronJob(apiVersion: string, name: string, schedule: string, script: string, podField: string): string {
  return `
apiVersion: ${apiVersion}
kind: CronJob
metadata: {name: ${name}}
spec:
  schedule: "${schedule}"
  startingDeadlineSeconds: 60
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers: [{name: main, image: busybox, command: [sh, -c, "${script}"]}]
          ${podField}
`;
}

function podManifest(name: string, script: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox", command: ["sh", "-c", script] }] },
  });
}
