import { assertEquals, assertMatch } from "@std/assert";
import type { Container } from "kubernetes-types/core/v1";
import { ContainerRun } from "../../src/kubelet/container_run.ts";
import type { ExecResult } from "../../src/kubelet/exec_command.ts";
import type { RunningContainer, RunOfContainer } from "../../src/kubelet/runtime.ts";
import { unusableHandlers } from "../../src/kubelet/hooks.ts";
import { readText } from "../../src/kubelet/files/disk.ts";
import type { PodContext } from "../../src/kubelet/context.ts";
import { PodSessions } from "../../src/kubelet/pod_sessions.ts";
import { Pulse } from "../../src/kubelet/files/pulse.ts";
import { type Outcome, RunFiles } from "../../src/kubelet/files/run_files.ts";
import { LOG_LIMITS } from "../../src/kubelet/files/run_log.ts";
import { must } from "../support/expected.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";
import { isRunning, pidIn, podOf, shell, startKubelet, TestKubelet, until } from "./support/test_kubelet.ts";

interface World {
  readonly clock: FakeClock;
  readonly run: ContainerRun;
  /** Signals, hooks, health and Events, each with the second at which it came. */
  readonly said: string[];
  /** What the command of the hook at work comes to. */
  readonly hook: PromiseWithResolvers<ExecResult>;
  readonly files: RunFiles;
}

/** A container with hooks, at work. */
async function withRun(
  lifecycle: Container["lifecycle"],
  owesPostStart: boolean,
  check: (world: World) => Promise<void>,
  more: Partial<Container> = {},
): Promise<void> {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const begin = clock.now();
  const said: string[] = [];
  const say = (what: string) => said.push(`${(clock.now() - begin) / 1000} ${what}`);
  const ended = Promise.withResolvers<Outcome>();
  const hook = Promise.withResolvers<ExecResult>();
  const pod = { ...podOf("p", { lifecycle, ...more }), metadata: { name: "p", namespace: "default", uid: "u" } };
  const about = { pod, container: pod.spec.containers[0]!, files: new RunFiles(folder.path, 0) };
  if (owesPostStart) about.files.owePostStart();
  const running: RunningContainer = {
    startedAt: begin,
    ended: ended.promise,
    signal: say,
    // deno-lint-ignore require-await
    open: async ({ command: [name] = [] }) => {
      say(name!);
      return {
        stdout: outputOf(hook.promise),
        ended: hook.promise.then(({ code }) => code),
        resize: () => {},
        end: () => {},
      };
    },
  };
  const context = {
    clock,
    pulse: new Pulse(clock),
    sessions: new PodSessions(),
    logLimits: LOG_LIMITS,
    event: (_pod: unknown, _type: unknown, reason: string, message: string) => say(`${reason}: ${message}`),
  } as unknown as PodContext;
  const work = { files: about.files, running, backOffMs: 0 };
  using run = new ContainerRun(about as unknown as RunOfContainer, work, context, ({ started, ready, inPostStart }) => {
    say([started && "started", ready && "ready", inPostStart && "in its hook"].filter(Boolean).join(", "));
  });
  await check({ clock, run, said, hook, files: about.files });
  ended.resolve({ exitCode: 0, reason: "Completed", finishedAt: clock.now() });
  await run.ended;
  // None is sent to what has ended.
  const before = said.length;
  await clock.advance(60_000);
  assertEquals(said.slice(before), []);
}

function outputOf(result: Promise<ExecResult>): ReadableStream<Uint8Array> {
  return ReadableStream.from((async function* () {
    yield new TextEncoder().encode((await result).output);
  })());
}

const exec = { exec: { command: ["hook"] } };

test("A container is ready once its hook after the start is done", () =>
  withRun({ postStart: exec }, true, async ({ clock, said, hook }) => {
    await clock.advance(3_000);
    assertEquals(said, ["0 in its hook", "0 hook"]);
    hook.resolve({ code: 0, output: "" });
    await clock.advance(0);
    assertEquals(said.slice(2), ["3 started, ready"]);
  }));

test("Probes of a container begin once its hook after the start is done", () =>
  withRun(
    { postStart: { sleep: { seconds: 3 } } },
    true,
    async ({ clock, said }) => {
      await clock.advance(4_000);
      assertEquals(said, ["0 in its hook", "3 started", "3 look"]);
    },
    { readinessProbe: { exec: { command: ["look"] } } },
  ));

test("A hook after the start that is done is not repeated by another life of the program", () =>
  withRun({ postStart: exec }, false, async ({ clock, said }) => {
    await clock.advance(1_000);
    assertEquals(said, []);
  }));

test("A hook after the start is owed until it has succeeded, whatever becomes of the program", () =>
  withRun({ postStart: exec }, true, async ({ clock, hook, files }) => {
    await clock.advance(1_000);
    assertEquals(files.owesPostStart, true);
    hook.resolve({ code: 0, output: "" });
    await clock.advance(0);
    assertEquals(files.owesPostStart, false);
  }));

test("A hook after the start that the program's end cuts off is still owed", () =>
  withRun({ postStart: exec }, true, async ({ clock, run, hook, files }) => {
    await clock.advance(1_000);
    run[Symbol.dispose]();
    hook.resolve({ code: 0, output: "" });
    await clock.advance(0);
    assertEquals(files.owesPostStart, true);
  }));

test("A container whose hook after the start fails is ended", () =>
  withRun({ postStart: exec }, true, async ({ clock, said, hook, files }) => {
    hook.resolve({ code: 4, output: "no" });
    await clock.advance(30_000);
    assertEquals(files.owesPostStart, true);
    assertEquals(said.slice(2), [
      "0 FailedPostStartHook: PostStartHook failed: command 'hook' exited with 4: no",
      "0 Killing: FailedPostStartHook",
      "0 SIGTERM",
      "30 SIGKILL",
    ]);
  }));

test("The time of the hook before the end counts as a container's time to end", () =>
  withRun({ preStop: { sleep: { seconds: 4 } } }, true, async ({ clock, run, said }) => {
    run.end(clock.now() + 10_000);
    await clock.advance(20_000);
    assertEquals(said, ["4 SIGTERM", "10 SIGKILL"]);
  }));

test("A hook before the end that takes too long is not waited for, and leaves its container 2 s", () =>
  withRun({ preStop: exec }, true, async ({ clock, run, said }) => {
    run.end(clock.now() + 10_000);
    await clock.advance(1_000);
    run.end(clock.now() + 4_000);
    await clock.advance(8_000);
    assertEquals(said, [
      "0 hook",
      "5 FailedPreStopHook: PreStopHook failed: it took too long",
      "5 SIGTERM",
      "7 SIGKILL",
    ]);
  }));

test("A hook by a port is left out", () =>
  withRun({ preStop: { httpGet: { port: 1 } } }, true, async ({ clock, run, said }) => {
    run.end(clock.now() + 10_000);
    await clock.advance(0);
    assertEquals(said, ["0 SIGTERM"]);
  }));

test("A container that must end at once has no hook before that", () =>
  withRun({ preStop: exec }, true, async ({ clock, run, said }) => {
    run.end(clock.now());
    await clock.advance(0);
    assertEquals(said, ["0 SIGTERM", "0 SIGKILL"]);
  }));

test("Hooks that cannot be carried out are named", () => {
  const lifecycle = { postStart: { httpGet: { port: 1 } }, preStop: { tcpSocket: { port: 1 } } };
  const container: Container = { name: "main", lifecycle };
  assertEquals(unusableHandlers(container, "127.0.0.1"), [
    "lifecycle.postStart.httpGet",
    "lifecycle.preStop.tcpSocket",
  ]);
  assertEquals(unusableHandlers({ name: "main", lifecycle: { preStop: exec } }, undefined), []);
});

test("Hooks of plain processes hold back the next container, and come before the end", async () => {
  await using kubelet = await startKubelet({ stopGraceMs: 60_000 });
  const volumeMounts = [{ name: "v", mountPath: "/v" }];
  const first = {
    ...shell("trap 'cat $VOLUME_V/log; exit 0' TERM; while :; do sleep 0.05; done"),
    volumeMounts,
    lifecycle: {
      postStart: { exec: { command: ["sh", "-c", "sleep 0.3; echo after the start >>$VOLUME_V/log"] } },
      preStop: { exec: { command: ["sh", "-c", "echo before the end >>$VOLUME_V/log"] } },
    },
  };
  const next = {
    name: "next",
    image: "busybox",
    ...shell("echo next >>$VOLUME_V/log; trap 'exit 0' TERM; while :; do sleep 0.05; done"),
    volumeMounts,
    lifecycle: {
      postStart: { sleep: { seconds: 0 } },
      preStop: { exec: { command: ["false"] } },
    },
  };
  const { spec, ...pod } = podOf("hooked", first);
  const containers = [...spec.containers, next];
  await kubelet.create({ ...pod, spec: { ...spec, containers, volumes: [{ name: "v", emptyDir: {} }] } });
  await kubelet.until("hooked", ({ status }) => status?.containerStatuses?.every(({ ready }) => ready));
  await kubelet.stop();
  const log = kubelet.log(await kubelet.get("hooked"));
  assertMatch(log, /after the start\nnext\nbefore the end\n$/);
  const failed = kubelet.events.filter(({ reason }) => reason.startsWith("Failed"));
  assertEquals(failed.map(({ reason }) => reason), ["FailedPreStopHook"]);
  assertMatch(must(failed[0]).message, /^PreStopHook failed: command 'false' exited with 1/);
});

test("A hook after the start that a stop of the program cuts off is carried out again by its next life", async () => {
  await using folder = await temporaryFolder();
  const { path } = folder;
  const hook = `echo begun >>${path}/log; until [ -e ${path}/go ]; do sleep 0.05; done`;
  const lifecycle = { postStart: { exec: { command: ["sh", "-c", hook] } } };
  const begun = () => (readText(`${path}/log`) ?? "").split("\n").length - 1;
  await using first = await startKubelet({ onStop: "leave" });
  await first.create(podOf("hooked", { ...shell("trap 'exit 0' TERM; while :; do sleep 0.05; done"), lifecycle }));
  await until(() => begun() === 1);
  await first.stop();
  await using second = new TestKubelet(first.api);
  await until(() => begun() === 2);
  assertEquals((await second.get("hooked")).status?.containerStatuses?.[0]?.ready, false);
  Deno.writeTextFileSync(`${path}/go`, "");
  await second.until("hooked", ({ status }) => status?.containerStatuses?.[0]?.ready);
});

test("What a hook of a plain process leaves in the background ends with the hook", async () => {
  await using folder = await temporaryFolder();
  const { path } = folder;
  const hook = `sh -c 'echo $$ >${path}/pid; exec sleep 1000' & until [ -s ${path}/pid ]; do sleep 0.05; done`;
  await using kubelet = await startKubelet();
  await kubelet.create(podOf("hooked", {
    ...shell("exec sleep 1000"),
    lifecycle: { postStart: { exec: { command: ["sh", "-c", hook] } } },
  }));
  const left = await pidIn(`${path}/pid`);
  await kubelet.until("hooked", ({ status }) => status?.containerStatuses?.[0]?.ready);
  await until(() => !isRunning(left));
});
