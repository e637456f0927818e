import { assert, assertEquals } from "@std/assert";
import { dirname } from "node:path";
import type { Pod } from "../../src/kube/resource.ts";
import type { ContainerRuntime, RunningContainer, StartOrder } from "../../src/kubelet/runtime.ts";
import { execIn } from "../../src/kubelet/exec_command.ts";
import { nameOf } from "../../src/kubelet/engine/container_names.ts";
import { endLeftRuns } from "../../src/kubelet/files/left_runs.ts";
import { PodmanService } from "../../src/kubelet/engine/api/podman_service.ts";
import { openRuntimes } from "../../src/kubelet/open_runtimes.ts";
import { PodDirectory } from "../../src/kubelet/files/pod_directory.ts";
import { type Outcome, RunFiles } from "../../src/kubelet/files/run_files.ts";
import { SystemClock } from "../../src/base/clock.ts";
import { namesIn, sizeOf } from "../../src/kubelet/files/disk.ts";
import { isRunning as isProcess, podOf, shell, until } from "../kubelet/support/test_kubelet.ts";
import { eventually, temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";
import {
  containersIn,
  ENGINE,
  engine,
  ENGINE_ARGS,
  IMAGE,
  importImage,
  servicesIn,
  startEngineKubelet,
} from "./support/engine.ts";
import { startEngineProxy } from "./support/engine_proxy.ts";

/** One of an engine, which has all that a runtime may have. */
type EngineRuntime = Required<ContainerRuntime>;

await importImage();

async function runsCommands(container: RunningContainer): Promise<boolean> {
  const { signal } = new AbortController();
  const { code } = await execIn(container, ["true"], { clock: new SystemClock(), timeoutMs: 1_000, over: signal });
  return code === 0;
}

const { signal: NEVER } = new AbortController();

/** A run of a shell script, and the runtimes of two lives of the program. */
interface Lives {
  readonly order: StartOrder;
  readonly dataDir: string;
  readonly first: EngineRuntime;
  readonly second: EngineRuntime;
  /** One whose engine gets other arguments. It is closed at the test's end. */
  withArgs(args: readonly string[]): EngineRuntime;
}

async function withRun(script: string, check: (lives: Lives) => Promise<void>): Promise<void> {
  const dataDir = await Deno.makeTempDir({ prefix: "take-up-" });
  const clock = new SystemClock();
  const uid = crypto.randomUUID();
  const container = { name: "main", image: IMAGE, command: ["sh", "-c", script] };
  const pod = {
    metadata: { name: "p", namespace: "default", uid },
    spec: { containers: [container] },
  } as unknown as Pod;
  const directory = new PodDirectory(`${dataDir}/pods`, uid);
  directory.create(pod);
  const files = directory.run("main", 0);
  const runtime = (engineArgs: readonly string[] = ENGINE_ARGS) => {
    const options = { allowed: [ENGINE], engineArgs, network: "none" };
    const runtimes = openRuntimes({ clock, dataDir, event: () => {}, ...options });
    const choice = runtimes.choose(pod, directory);
    return choice.runtime as EngineRuntime;
  };
  const [first, second] = [runtime(), runtime()];
  const { image } = await first.prepare({ pod, container, files }, directory.volumes, NEVER);
  const order = { pod, container, files, env: {}, volumes: directory.volumes, backOffMs: 0, image };
  const others: EngineRuntime[] = [];
  const withArgs = (args: readonly string[]) => {
    const other = runtime(args);
    others.push(other);
    return other;
  };
  try {
    await check({ order, dataDir, first, second, withArgs });
  } finally {
    await Promise.all(others.map((other) => other.close()));
    await second.removeStrangers(() => false);
    await Promise.all([first.close(), second.close()]);
    await Deno.remove(dataDir, { recursive: true });
  }
}

function isRunning(found: RunningContainer | Outcome | undefined): found is RunningContainer {
  return found !== undefined && "ended" in found;
}

test("A container at work is taken up by the next life of the program, with its end", () =>
  withRun("trap 'exit 5' TERM; while :; do sleep 0.05; done", async ({ order, first, second }) => {
    const running = await first.start(order);
    const found = await second.resume(order);
    assert(isRunning(found));
    await until(() => runsCommands(found));
    found.signal("SIGTERM");
    assertEquals([(await found.ended).exitCode, (await running.ended).exitCode], [5, 5]);
  }));

/** Returns a program for `podman --runtime` that kills podman once its first container has started, before podman records that. */
function killingRuntime(folder: string): string {
  const path = `${folder}/runtime`;
  const script = `#!/bin/sh
runc "$@"
code=$?
case " $* " in *" start "*) [ -e ${folder}/killed ] || { : >${folder}/killed; kill -KILL $PPID; } ;; esac
exit $code
`;
  Deno.writeTextFileSync(path, script, { mode: 0o755 });
  return path;
}

/** Writes down that a run was decided on, as a former life of the program has it, and perhaps that it asked for its start. */
function decide({ files }: StartOrder, { isLaunched }: { readonly isLaunched: boolean }): void {
  Deno.mkdirSync(files.directory, { recursive: true });
  files.writeIntent({ attempt: "a", bootId: bootOf(), backOffMs: 0, startedAt: 0, runtime: ENGINE });
  if (isLaunched) Deno.writeTextFileSync(files.launched, "");
}

test("A container that has ended meanwhile is found with its exit code", () =>
  withRun("exit 6", async ({ order, second }) => {
    // The first life ends right after the start: nothing follows the container, and nothing removes it.
    decide(order, { isLaunched: true });
    await engine("run", "--detach", "--network=none", "--name", nameOf(order), IMAGE);
    await engine("wait", nameOf(order));
    const found = await second.resume(order);
    assertEquals([isRunning(found), (found as Outcome).exitCode], [false, 0]);
    assertEquals((await second.resume(order) as Outcome).exitCode, 0);
  }));

for (const isLaunched of [false, true]) {
  test(`A SIGKILL between create and start leaves a run that may be started (${isLaunched ? "after" : "before"} it was asked for)`, () =>
    withRun("exit 7", async ({ order, second }) => {
      await engine("create", "--network=none", "--name", nameOf(order), IMAGE);
      decide(order, { isLaunched });
      assertEquals(await second.resume(order), undefined);
      assertEquals((await (await second.start(order)).ended).exitCode, 7);
    }));
}

test("A run that is abandoned never starts late, though its start is on its way", () =>
  withRun("exit 0", async ({ order, dataDir, withArgs }) => {
    const [asked, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await using folder = await temporaryFolder();
    await using proxy = await startEngineProxy(folder.path, async ({ what }) => {
      if (!what.endsWith("/start")) return undefined;
      asked.resolve();
      await go.promise;
      return undefined;
    });
    const [first, second] = [withArgs(proxy.args), withArgs(proxy.args)];
    const starting = first.start(order).then((running) => running.ended, (error) => error);
    await asked.promise;
    assertEquals(await second.resume(order), undefined);
    go.resolve();
    const outcome = await starting as { readonly exitCode?: number };
    assertEquals([outcome.exitCode, await containersIn(dataDir)], [undefined, []]);
  }));

test("A run whose container is gone is not started again", () =>
  withRun("sleep 100", async ({ order, second }) => {
    decide(order, { isLaunched: true });
    assertEquals((await second.resume(order) as Outcome).reason, "ContainerStatusUnknown");
  }));

if (ENGINE === "podman") {
  test("A container whose monitor is killed goes on, and its end is unknown", () =>
    withRun("trap '' TERM; while :; do sleep 0.05; done", async ({ order, dataDir, first, second }) => {
      const running = await first.start(order);
      const pids = await engine(
        "container",
        "inspect",
        "--format",
        "{{.State.Pid}} {{.State.ConmonPid}}",
        nameOf(order),
      );
      const [pid = 0, monitor = 0] = pids.split(" ").map(Number);
      Deno.kill(monitor, "SIGKILL");
      const found = await second.resume(order);
      assert(isRunning(found));
      assertEquals(isProcess(pid), true);
      Deno.kill(pid, "SIGKILL");
      for (const { ended } of [running, found]) {
        const { exitCode, reason } = await ended;
        assertEquals([exitCode, reason], [137, "ContainerStatusUnknown"]);
      }
      await until(async () => (await containersIn(dataDir)).length === 0);
    }));

  test("No container ends with podman's service, which is started anew", () =>
    withRun("trap 'exit 5' TERM; while :; do sleep 0.05; done", async ({ order, dataDir, first }) => {
      const running = await first.start(order);
      const [pid = 0] = servicesIn(dataDir);
      Deno.kill(pid, "SIGKILL");
      await until(() => !isProcess(pid));
      await until(() => runsCommands(running));
      assertEquals(servicesIn(dataDir).length, 1);
      running.signal("SIGTERM");
      assertEquals((await running.ended).exitCode, 5);
    }));

  test("podman forgets the start that its service is killed in: the run goes on, once, and its end is unknown", () =>
    withRun("echo ran; sleep 10; echo whole; exit 3", async ({ order, dataDir, withArgs }) => {
      await using folder = await temporaryFolder();
      const runtime = withArgs([...ENGINE_ARGS, "--runtime", killingRuntime(folder.path)]);
      // Requests may still reach the service that is dying: as the Pod's worker does, the start is tried anew.
      const running = await eventually("a start", () => runtime.start(order).catch(() => undefined));
      assertEquals(sizeOf(`${folder.path}/killed`), 0);
      const stateOf = async () => JSON.parse(await engine("container", "inspect", nameOf(order)))[0].State;
      const { Status, Pid } = await stateOf();
      assertEquals([Status, isProcess(Pid)], ["initialized", true]);
      await until(() => !isProcess(Pid));
      await until(async () => (await stateOf()).Status === "created");
      const { reason, message } = await running.ended;
      assertEquals([reason, message], ["ContainerStatusUnknown", "podman has not seen the end of the container"]);
      assertEquals([...Deno.readTextFileSync(order.files.log).matchAll(/ F (.*)/g)].map(([, line]) => line), [
        "ran",
        "whole",
      ]);
      await until(async () => (await containersIn(dataDir)).length === 0);
    }));

  test("The messages of podman's service are kept up to 1 MiB", async () => {
    await using folder = await temporaryFolder();
    const service = new PodmanService({ args: ENGINE_ARGS, dataDir: folder.path, clock: new SystemClock() });
    const log = (await service.path()).replace("engine.sock", "log");
    Deno.writeTextFileSync(log, "x".repeat(1024 * 1024 + 1), { append: true });
    await service.path();
    assert(sizeOf(log)! < 1024);
    await service.close();
  });

  test("podman's service whose socket was removed, as at a logout, is started anew", async () => {
    await using folder = await temporaryFolder();
    const service = new PodmanService({ args: ENGINE_ARGS, dataDir: folder.path, clock: new SystemClock() });
    const socket = await service.path();
    const [pid = 0] = servicesIn(folder.path);
    Deno.removeSync(socket);
    const another = await service.path();
    assertEquals([another === socket, isProcess(pid)], [false, false]);
    (await Deno.connect({ transport: "unix", path: another })).close();
    await service.close();
  });

  test("podman's service ends with the program, whose containers go on", () =>
    withRun("trap 'exit 5' TERM; while :; do sleep 0.05; done", async ({ order, dataDir, first, second }) => {
      await first.start(order);
      await first.close();
      assertEquals(servicesIn(dataDir), []);
      const found = await second.resume(order);
      assert(isRunning(found));
      found.signal("SIGTERM");
      assertEquals((await found.ended).exitCode, 5);
    }));

  test("podman's service and its folder are gone soon after a program that is killed", async () => {
    await using folder = await temporaryFolder();
    const { path: dataDir } = folder;
    const service = import.meta.resolve("../../src/kubelet/engine/api/podman_service.ts");
    const clock = import.meta.resolve("../../src/base/clock.ts");
    const script = `import { PodmanService } from "${service}"; import { SystemClock } from "${clock}";
const options = { args: ${JSON.stringify(ENGINE_ARGS)}, dataDir: "${dataDir}", clock: new SystemClock() };
console.log(await new PodmanService(options).path());`;
    const args = ["eval", "--no-check", script];
    const program = new Deno.Command(Deno.execPath(), { args, stdout: "piped" }).spawn();
    const stdout = program.stdout.getReader();
    const { value } = await stdout.read();
    const socketFolder = dirname(new TextDecoder().decode(value).trim());
    assertEquals(servicesIn(dataDir).length, 1);
    program.kill("SIGKILL");
    await program.status;
    await stdout.cancel();
    await until(() => servicesIn(dataDir).length === 0 && namesIn(socketFolder).length === 0);
  });
}

test("A run that another launch has started is adopted, not started twice", () =>
  withRun("trap 'exit 8' TERM; while :; do sleep 0.05; done", async ({ order, dataDir, first, second }) => {
    const running = await first.start(order);
    // As if its launch had been on its way all the time: nothing on disk says that it came through.
    const again = new RunFiles(order.files.directory, 0);
    const adopted = await second.start({ ...order, files: again });
    assertEquals(await containersIn(dataDir), [nameOf(order)]);
    await until(() => runsCommands(adopted));
    adopted.signal("SIGTERM");
    assertEquals([(await running.ended).exitCode, (await adopted.ended).exitCode], [8, 8]);
  }));

// Containers that find it at rest start it themselves, and of those that do so at once some fail.
test("What containers of a Pod share is at work before any of them starts, also after it was ended", () =>
  withRun("exit 0", async ({ order, first, second }) => {
    const containers = [order.container, { ...order.container, name: "more" }];
    const pod = { ...order.pod, spec: { containers } };
    const sandbox = `cjc-${pod.metadata.uid}`;
    const isAtWork = () => engine("container", "inspect", "--format", "{{.State.Running}}", sandbox);
    await first.prepare({ ...order, pod }, order.volumes, NEVER);
    assertEquals(await isAtWork(), "true");
    await engine("kill", sandbox);
    await engine("wait", sandbox);
    await second.prepare({ ...order, pod }, order.volumes, NEVER);
    assertEquals(await isAtWork(), "true");
    await second.podIsOver(pod);
  }));

test("Containers of a Pod that the program left are each asked to end, and have their time", async () => {
  await using kubelet = await startEngineKubelet({ onStop: "leave" });
  const script = (end: string) => shell(`trap '${end}' TERM; echo up; while :; do sleep 0.05; done`);
  const containers = [
    { name: "main", image: IMAGE, ...script("exit 3") },
    { name: "slow", image: IMAGE, ...script("sleep 0.5; exit 4") },
    { name: "deaf", image: IMAGE, ...script("") },
  ];
  const { metadata: { uid } } = await kubelet.create(podOf("left", {}, { containers }));
  await until(() => kubelet.output.length === containers.length);
  await kubelet.stop();
  const { dataDir } = kubelet;
  const ended = await endLeftRuns(dataDir, { clock: new SystemClock(), graceMs: 1_500, engineArgs: ENGINE_ARGS });
  assertEquals(ended.map(({ pod, container }) => `${pod} ${container}`).sort(), [
    "default/left deaf",
    "default/left main",
    "default/left slow",
  ]);
  const directory = new PodDirectory(`${dataDir}/pods`, uid);
  const codeOf = (name: string) => {
    const state = directory.run(name, 0).read();
    return state?.kind === "ended" ? state.outcome.exitCode : state?.kind;
  };
  assertEquals(containers.map(({ name }) => codeOf(name)), [3, 4, 137]);
  assertEquals(await containersIn(dataDir), []);
});

test("Containers of Pods that are not known are removed", () =>
  withRun("sleep 100", async ({ order, dataDir, first, second }) => {
    const running = await first.start(order);
    await second.removeStrangers((uid) => uid === order.pod.metadata.uid);
    assertEquals(await containersIn(dataDir), [nameOf(order)]);
    await second.removeStrangers(() => false);
    assertEquals(await containersIn(dataDir), []);
    await running.ended;
  }));

function bootOf(): string {
  return Deno.readTextFileSync("/proc/sys/kernel/random/boot_id").trim();
}
