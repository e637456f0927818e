import { assertEquals } from "@std/assert";
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
  const ended = ends.of(run as unknown as RunOfContainer);
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

test("A container that the engine cannot remove now is removed later", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const files = new RunFiles(folder.path, 0);
  Deno.writeTextFileSync(files.launched, "");
  let tries = 0;
  const remove = () => ++tries < 3 ? Promise.reject(new Error("podman's service has ended")) : Promise.resolve();
  const containers = { remove } as unknown as EngineContainers;
  const ends = new ContainerEnds(containers, { api: PODMAN, clock });
  const pod = { ...podOf("p", {}), metadata: { name: "p", namespace: "default", uid: "u" } };
  const removed = ends.removeLater({ pod, container: pod.spec.containers[0]!, files } as unknown as RunOfContainer);
  await clock.advance(3_000);
  assertEquals([tries, files.wasLaunched, clock.pending], [3, false, 0]);
  await removed;
});
