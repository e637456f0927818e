import { assertEquals } from "@std/assert";
import { onAbort } from "../../../src/base/abort.ts";
import type { RunOfContainer } from "../../../src/kubelet/runtime.ts";
import { ContainerEnds } from "../../../src/kubelet/engine/container_ends.ts";
import type { EngineApi } from "../../../src/kubelet/engine/api/engine_api.ts";
import type { EngineContainers } from "../../../src/kubelet/engine/engine_containers.ts";
import { RunFiles } from "../../../src/kubelet/files/run_files.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { temporaryFolder } from "../../support/program.ts";
import { test } from "../../support/test.ts";
import { podOf } from "../support/test_kubelet.ts";

const PODMAN = { engine: "podman", closing: new AbortController().signal } as EngineApi;

test("A container has ended some time after its process, whatever the engine takes it for", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const process = new Deno.Command("sleep", { args: ["1000"] }).spawn();
  const done: string[] = [];
  const State = {
    Status: "running",
    ExitCode: 0,
    OOMKilled: false,
    Pid: process.pid,
    StartedAt: new Date(1_000).toISOString(),
    FinishedAt: "0001-01-01T00:00:00Z",
  };
  const containers = {
    inspect: () => Promise.resolve({ Id: "i", State }),
    kill: () => {
      done.push("kill");
      return Promise.reject(new Error("container state improper: stopped"));
    },
    // deno-lint-ignore require-await
    remove: async () => void done.push("remove"),
  } as unknown as EngineContainers;
  const ends = new ContainerEnds(containers, { api: PODMAN, clock });
  const pod = { ...podOf("p", {}), metadata: { name: "p", namespace: "default", uid: "u" } };
  const run = { pod, container: pod.spec.containers[0]!, files: new RunFiles(folder.path, 0) };
  const ended = ends.of(run as unknown as RunOfContainer, () => false);
  await clock.advance(60_000);
  assertEquals(done, []);
  process.kill("SIGKILL");
  await process.status;
  await clock.advance(9_000);
  assertEquals(done, []);
  await clock.advance(2_000);
  const { reason, exitCode, message } = await ended;
  assertEquals([reason, exitCode, message], [
    "ContainerStatusUnknown",
    137,
    "podman has not seen the end of the container",
  ]);
  assertEquals([done, clock.pending], [["kill", "remove"], 0]);
});

/** The files of a run that an engine was asked to start. */
function launchedRun(folder: string): { readonly files: RunFiles; readonly run: RunOfContainer } {
  const files = new RunFiles(folder, 0);
  files.writeIntent({ attempt: "engine", bootId: "", backOffMs: 0, startedAt: 0, runtime: "podman" });
  Deno.writeTextFileSync(files.launched, "");
  const pod = { ...podOf("p", {}), metadata: { name: "p", namespace: "default", uid: "u" } };
  return { files, run: { pod, container: pod.spec.containers[0]!, files } as unknown as RunOfContainer };
}

const OUTCOME = { exitCode: 3, reason: "Error", finishedAt: 1_000 };

test("A container that the engine cannot remove now is removed later", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const { files, run } = launchedRun(folder.path);
  let tries = 0;
  const remove = () => ++tries < 3 ? Promise.reject(new Error("podman's service has ended")) : Promise.resolve();
  const containers = { remove } as unknown as EngineContainers;
  const removed = new ContainerEnds(containers, { api: PODMAN, clock }).removeLater(run, OUTCOME);
  await clock.advance(3_000);
  assertEquals([tries, files.wasLaunched, clock.pending], [3, false, 0]);
  await removed;
});

test("A container whose outcome cannot be written is not removed before it can: the run would start again", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const { files, run } = launchedRun(folder.path);
  const inTheWay = `${folder.path}/0.outcome.new`;
  Deno.mkdirSync(inTheWay);
  let removals = 0;
  const remove = () => Promise.resolve(void removals++);
  const State = {
    Status: "exited",
    ExitCode: 3,
    OOMKilled: false,
    StartedAt: new Date(1_000).toISOString(),
    FinishedAt: new Date(2_000).toISOString(),
  };
  const inspect = () => Promise.resolve({ Id: "i", State });
  const containers = { inspect, remove } as unknown as EngineContainers;
  const { exitCode } = await new ContainerEnds(containers, { api: PODMAN, clock }).of(run, () => false);
  assertEquals([exitCode, removals, files.wasLaunched, files.read()?.kind], [3, 0, true, "intended"]);
  Deno.removeSync(inTheWay);
  await clock.advance(1_000);
  const state = files.read();
  assertEquals(state?.kind === "ended" && state.outcome.exitCode, 3);
  assertEquals([removals, files.wasLaunched, clock.pending], [1, false, 0]);
});

test("A container whose Pod's files are gone is removed without its outcome", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const { run } = launchedRun(`${folder.path}`);
  Deno.removeSync(folder.path, { recursive: true });
  let removals = 0;
  const containers = { remove: () => Promise.resolve(void removals++) } as unknown as EngineContainers;
  await new ContainerEnds(containers, { api: PODMAN, clock }).removeLater(run, OUTCOME);
  assertEquals([removals, clock.pending], [1, 0]);
  Deno.mkdirSync(folder.path);
});

/** A container at work by an engine that can be away: what it was asked for, and how its end is found out. */
function world(folder: string, engine: "podman" | "docker" = "podman") {
  const clock = new FakeClock();
  const { run } = launchedRun(folder);
  const process = new Deno.Command("sleep", { args: ["1000"] }).spawn();
  const State = { Status: "running", ExitCode: 0, OOMKilled: false, Pid: process.pid, StartedAt: "", FinishedAt: "" };
  const state = { isAway: false, isOverdue: false };
  const asked: string[] = [];
  const answer = <T>(what: string, value: T): Promise<T> => {
    asked.push(what);
    return state.isAway ? Promise.reject(new Error("Cannot reach it")) : Promise.resolve(value);
  };
  const containers = {
    inspect: () => answer("inspect", { Id: "i", State }),
    kill: () => answer("kill", undefined),
    remove: () => answer("remove", undefined),
  } as unknown as EngineContainers;
  // docker takes the request for a log, and never answers.
  const stream: EngineApi["stream"] = (_method, _path, { signal }) =>
    new Promise((_, reject) => void onAbort(signal, () => reject(signal!.reason)));
  const api = { ...PODMAN, engine, stream } as unknown as EngineApi;
  const ended = new ContainerEnds(containers, { api, clock }).of(run, () => state.isOverdue);
  return { clock, run, process, state, asked, ended };
}

test("A container that an engine should have killed ends with the reason, though the engine is away", async () => {
  await using folder = await temporaryFolder();
  const { clock, run, process, state, ended } = world(folder.path);
  await clock.advance(1_000);
  state.isAway = true;
  await clock.advance(60_000);
  assertEquals(run.files.read()?.kind, "intended");
  state.isOverdue = true;
  await clock.advance(3_000);
  assertEquals((await process.status).signal, "SIGKILL");
  await clock.advance(2_000);
  const { reason, message } = await ended;
  assertEquals([reason, message], [
    "ContainerStatusUnknown",
    "podman has not seen the end of the container: Cannot reach it",
  ]);
  state.isAway = false;
  await clock.advance(60_000);
  assertEquals([run.files.wasLaunched, clock.pending], [false, 0]);
});

test("A container whose process may not be killed is waited for while it works: no other may start beside it", async () => {
  await using folder = await temporaryFolder();
  const { clock, run, process, state, ended } = world(folder.path);
  await clock.advance(1_000);
  const { kill } = Deno;
  Deno.kill = () => {
    throw new Deno.errors.PermissionDenied("another user's");
  };
  try {
    Object.assign(state, { isAway: true, isOverdue: true });
    await clock.advance(60_000);
    assertEquals(run.files.read()?.kind, "intended");
  } finally {
    Deno.kill = kill;
  }
  process.kill("SIGKILL");
  await process.status;
  await clock.advance(2_000);
  assertEquals((await ended).reason, "ContainerStatusUnknown");
  state.isAway = false;
  await clock.advance(60_000);
});

test("An engine is asked once a second about a container that it has not killed in time", async () => {
  await using folder = await temporaryFolder();
  const { clock, process, state, asked, ended } = world(folder.path);
  await clock.advance(1_000);
  state.isOverdue = true;
  asked.length = 0;
  await clock.advance(10_000);
  assertEquals(asked.length <= 10, true, `${asked}`);
  state.isAway = true;
  await clock.advance(5_000);
  await process.status;
  await ended;
  state.isAway = false;
  await clock.advance(60_000);
});

test("docker's log of a container ends with a line that says why, where its daemon does not answer", async () => {
  await using folder = await temporaryFolder();
  const { clock, run, process, state, ended } = world(folder.path, "docker");
  await clock.advance(1_000);
  Object.assign(state, { isAway: true, isOverdue: true });
  await clock.advance(5_000);
  await process.status;
  assertEquals((await ended).reason, "ContainerStatusUnknown");
  const log = Deno.readTextFileSync(run.files.log);
  assertEquals(log, "\n[the rest of the output could not be read: Cannot reach it]\n");
  state.isAway = false;
  await clock.advance(60_000);
});
