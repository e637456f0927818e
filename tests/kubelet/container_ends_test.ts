import { assertEquals } from "@std/assert";
import type { RunOfContainer } from "../../src/kubelet/runtime.ts";
import { ConmonWatch } from "../../src/kubelet/engine/conmon_watch.ts";
import { ContainerEnds } from "../../src/kubelet/engine/container_ends.ts";
import type { EngineContainers } from "../../src/kubelet/engine/engine_containers.ts";
import { Pulse } from "../../src/kubelet/files/pulse.ts";
import { RunFiles } from "../../src/kubelet/files/run_files.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";
import { podOf } from "./support/test_kubelet.ts";

test("A container without a monitor has ended with its process, whatever podman takes it for", async () => {
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
    kill: async () => {
      done.push("kill");
      // The first one does not reach it.
      if (done.length === 1) return;
      process.kill("SIGKILL");
      await process.status;
      throw new Error("container state improper: stopped");
    },
    // deno-lint-ignore require-await
    remove: async () => void done.push("remove"),
  } as unknown as EngineContainers;
  const watch = new ConmonWatch();
  const ends = new ContainerEnds({ engine: "podman", containers, watch, clock, pulse: new Pulse(clock) });
  const pod = { ...podOf("p", {}), metadata: { name: "p", namespace: "default", uid: "u" } };
  const run = { pod, container: pod.spec.containers[0]!, files: new RunFiles(folder.path, 0) };
  const ended = ends.of(run as unknown as RunOfContainer);
  await clock.advance(1_000);
  const { reason, exitCode } = await ended;
  assertEquals([reason, exitCode], ["ContainerStatusUnknown", 137]);
  assertEquals(done, ["kill", "kill", "remove"]);
});
