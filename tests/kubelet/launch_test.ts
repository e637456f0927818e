import { assertEquals, assertRejects } from "@std/assert";
import { StartError } from "../../src/kubelet/runtime.ts";
import type { SessionRequest } from "../../src/kube/container_session.ts";
import type { Pod } from "../../src/kube/resource.ts";
import { ConmonWatch } from "../../src/kubelet/engine/conmon_watch.ts";
import { EngineCommand } from "../../src/kubelet/engine/engine_command.ts";
import { EngineContainers } from "../../src/kubelet/engine/engine_containers.ts";
import { ENGINES } from "../../src/kubelet/engine/engine_kind.ts";
import { EngineRuntime, type EngineRuntimeOptions } from "../../src/kubelet/engine/engine_runtime.ts";
import { launch } from "../../src/kubelet/engine/launch.ts";
import { bootId } from "../../src/kubelet/process/identity.ts";
import { PULSE_MS } from "../../src/kubelet/files/pulse.ts";
import { readText } from "../../src/kubelet/files/disk.ts";
import { type Outcome, RunFiles } from "../../src/kubelet/files/run_files.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";
import { isRunning, pidIn, until } from "./support/test_kubelet.ts";

test("An engine that does not come to an end with a launch is killed, with what it has started", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const files = new RunFiles(folder.path, 0);
  const script = `sleep 1000 & echo $! >${folder.path}/child; echo "pulling" >&2; echo $$ >${folder.path}/pid; wait`;
  const launched = launch(files, {
    attempt: "a",
    argv: ["/bin/sh", "-c", script],
    env: {},
    clock,
    workingDirectory: "/",
  });
  const [child, pid] = [await pidIn(`${folder.path}/child`), await pidIn(`${folder.path}/pid`)];
  await clock.advance(4 * 60_000 - 1);
  assertEquals([child, pid].map(isRunning), [true, true]);
  await clock.advance(1);
  const complaint = "pulling\n\nError: the engine took longer than 240 s";
  assertEquals(await launched, { code: 124, complaint });
  await until(() => !isRunning(child));
});

test("No time limit is left of a launch that ends", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const options = { attempt: "a", argv: ["/bin/sh", "-c", "exit 3"], env: {}, clock, workingDirectory: "/" };
  assertEquals(await launch(new RunFiles(folder.path, 0), options), { code: 3, complaint: "" });
  assertEquals(clock.pending, 0);
});

test("Variables that are longer than a command can have are why a container cannot start", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const options = { attempt: "a", argv: ["true"], env: { LONG: "x".repeat(200 * 1024) }, clock, workingDirectory: "/" };
  await assertRejects(() => launch(new RunFiles(folder.path, 0), options), StartError, "argument list too long");
  assertEquals(clock.pending, 0);
});

test("Engines are called in the data dir, where they may leave files, never where the program was started", async () => {
  await using folder = await temporaryFolder();
  const run = `${folder.path}/run`;
  Deno.mkdirSync(run);
  const clock = new FakeClock();
  const engine = `${folder.path}/engine`;
  Deno.writeTextFileSync(engine, 'echo >"oom-$1"');
  const argv = ["/bin/sh", engine];
  const workingDirectory = folder.path;
  await launch(new RunFiles(run, 0), { attempt: "a", argv: [...argv, "run"], env: {}, clock, workingDirectory });
  const command = new EngineCommand("/bin/sh", { globalArgs: [engine], clock, workingDirectory });
  await command.output(["start"]);
  const pod = { metadata: { name: "p", uid: "u" } } as Pod;
  const containers = new EngineContainers({ kind: ENGINES.podman, command, clock });
  const session = await containers.opener({ pod, container: { name: "main" }, files: new RunFiles(run, 0) })!(
    { command: ["true"], stdin: false, tty: false } as SessionRequest,
  );
  await Promise.all([session.ended, ...[session.stdout, session.stderr].map((stream) => new Response(stream).text())]);
  const left = [...Deno.readDirSync(folder.path)].map(({ name }) => name).filter((name) => name.startsWith("oom"));
  assertEquals(left.toSorted(), ["oom-exec", "oom-run", "oom-start"]);
});

/** Of a launch's time, when the next life of the program begins. */
const LEFT_MS = 1_000;

/** A launch that hangs, and what a later life of the program makes of it. */
async function withHungLaunch(
  inspected: string,
  check: (
    late: { clock: FakeClock; pid: number; found: ReturnType<EngineRuntime["takeUp"]>; calls(): string[] },
  ) => Promise<void>,
): Promise<void> {
  await using folder = await temporaryFolder();
  const { path } = folder;
  const former = new FakeClock();
  const clock = new FakeClock(former.now() + 4 * 60_000 - LEFT_MS);
  const files = new RunFiles(path, 0);
  // It has waited for its turn for long.
  const startedAt = former.now() - 60 * 60_000;
  files.writeIntent({ attempt: "a", bootId: bootId(), backOffMs: 0, startedAt, runtime: "podman" });
  const script = `echo $$ >${path}/pid; while :; do sleep 1; done`;
  const launched = launch(files, {
    attempt: "a",
    argv: ["/bin/sh", "-c", script],
    env: {},
    clock: former,
    workingDirectory: "/",
  });
  const pid = await pidIn(`${path}/pid`);
  Deno.utimeSync(files.claim("a"), former.now() / 1000, former.now() / 1000);
  const engine = `${path}/engine`;
  Deno.writeTextFileSync(`${path}/inspected`, inspected);
  Deno.writeTextFileSync(
    engine,
    `echo "$1" >>${path}/calls
case "$1" in
  container) cat ${path}/inspected; test -s ${path}/inspected || { echo "no such container" >&2; exit 1; } ;;
esac`,
  );
  const kind = ENGINES.podman;
  const command = new EngineCommand("/bin/sh", { globalArgs: [engine], clock, workingDirectory: path });
  const containers = new EngineContainers({ kind, command, clock });
  const watch = new ConmonWatch();
  const runtime = new EngineRuntime({ kind, command, containers, watch, clock } as unknown as EngineRuntimeOptions);
  const run = { pod: { metadata: { name: "p", uid: "u" } } as Pod, container: { name: "main" }, files };
  const found = runtime.takeUp(run);
  try {
    const calls = () => (readText(`${path}/calls`) ?? "").split("\n").filter((call) => call !== "");
    await check({ clock, pid, found, calls });
    assertEquals(files.read()?.kind, (await found) ? "ended" : "started");
  } finally {
    if (isRunning(pid)) Deno.kill(pid, "SIGKILL");
    await launched;
  }
}

test("A launch of a former life that takes too long is killed, and what it was about to start is not started again", () =>
  withHungLaunch(`{"Id":"1","State":{"Status":"created","StartedAt":""}}`, async ({ clock, pid, found, calls }) => {
    await clock.advance(LEFT_MS - PULSE_MS);
    assertEquals([isRunning(pid), calls()], [true, []]);
    await clock.advance(2 * PULSE_MS);
    await until(() => !isRunning(pid));
    await clock.advance(PULSE_MS);
    const { exitCode, reason, message } = await found as Outcome;
    assertEquals({ exitCode, reason, message }, {
      exitCode: 128,
      reason: "StartError",
      message: "the engine took longer than 240 s",
    });
    assertEquals(calls(), ["container", "rm"]);
  }));

test("A run whose launch was killed may be started if the engine has nothing of it", () =>
  withHungLaunch("", async ({ clock, pid, found, calls }) => {
    await clock.advance(LEFT_MS + PULSE_MS);
    await until(() => !isRunning(pid));
    await clock.advance(PULSE_MS);
    assertEquals(await found, undefined);
    assertEquals(calls(), ["container"]);
  }));
