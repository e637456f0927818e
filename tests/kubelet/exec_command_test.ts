import { assertEquals, assertMatch } from "@std/assert";
import type { ContainerSession } from "../../src/kube/container_session.ts";
import { execIn } from "../../src/kubelet/exec_command.ts";
import { startSession } from "../../src/kubelet/process/session_process.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { temporaryFolder } from "../support/program.ts";
import { must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { isRunning, pidIn, podOf, shell, startKubelet, until } from "./support/test_kubelet.ts";

const PATH = Deno.env.get("PATH") ?? "";

/** The container goes on. */
const GOES_ON = new AbortController().signal;

function sessionOf(script: string) {
  return startSession({ argv: ["/bin/sh", "-c", script], env: { PATH } }, { stdin: false, tty: false });
}

function resultOf(session: ContainerSession, options: Parameters<typeof execIn>[2], execOverheadMs?: number) {
  return execIn({ open: () => Promise.resolve(session), execOverheadMs }, [], options);
}

test("A command beside a container comes to its exit code and what it says on both streams", async () => {
  const clock = new FakeClock();
  assertEquals(
    await resultOf(sessionOf("echo out; echo err >&2; exit 3"), { clock, timeoutMs: 1_000, over: GOES_ON }),
    {
      code: 3,
      output: "out\nerr\n",
    },
  );
  assertEquals(clock.pending, 0);
});

test("A command that takes too long is ended and has failed, though what it has started holds its output", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const left = `${folder.path}/left`;
  const result = resultOf(
    sessionOf(`setsid sh -c 'echo $$ >${left}; exec sleep 1000' & echo $$ >${folder.path}/pid; sleep 1000`),
    { clock, timeoutMs: 5_000, over: GOES_ON },
  );
  const [pid, held] = await Promise.all([pidIn(`${folder.path}/pid`), pidIn(left)]);
  try {
    await clock.advance(5_000);
    assertEquals(await result, { code: 124, output: "command timed out after 5 s" });
    await until(() => !isRunning(pid));
  } finally {
    Deno.kill(held, "SIGKILL");
  }
});

test("A command beside a container ends with it", async () => {
  await using folder = await temporaryFolder();
  const container = new AbortController();
  const result = resultOf(sessionOf(`echo $$ >${folder.path}/pid; exec sleep 1000`), {
    clock: new FakeClock(),
    timeoutMs: 5_000,
    over: container.signal,
  });
  // Until it is itself, it would ignore that it is hung up.
  await pidIn(`${folder.path}/pid`);
  container.abort();
  assertEquals((await result).code, 129);
});

test("A command that has ended is not waited for long where what left its group holds its output", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const left = `${folder.path}/left`;
  const session = sessionOf(
    `setsid sh -c 'echo $$ >${left}; exec sleep 1000' & until [ -s ${left} ]; do sleep 0.01; done`,
  );
  const result = resultOf(session, { clock, timeoutMs: 60_000, over: GOES_ON });
  const held = await pidIn(left);
  try {
    await session.ended;
    await clock.advance(2_000);
    assertEquals(await result, { code: 0, output: "" });
    assertEquals(clock.pending, 0);
  } finally {
    Deno.kill(held, "SIGKILL");
  }
});

test("A command that takes too long has failed, though the end of its session cuts off its output", async () => {
  const clock = new FakeClock();
  const { promise: ended, resolve } = Promise.withResolvers<number>();
  const output = new TransformStream<Uint8Array, Uint8Array>();
  const writer = output.writable.getWriter();
  writer.write(new TextEncoder().encode("said, "));
  writer.closed.catch(() => {});
  const end = () => {
    writer.abort().catch(() => {});
    resolve(137);
  };
  const session = { stdout: output.readable, ended, resize: () => {}, end };
  const result = resultOf(session, { clock, timeoutMs: 1_000, over: GOES_ON }, 2_000);
  await until(() => clock.pending === 1);
  await clock.advance(2_999);
  assertEquals(clock.pending, 1);
  await clock.advance(1);
  assertEquals(await result, { code: 124, output: "said, command timed out after 1 s" });
});

test("A plain process is looked at by commands, which have its variables and its directory", async () => {
  await using folder = await temporaryFolder();
  await using kubelet = await startKubelet();
  const go = `${folder.path}/go`;
  const look = (script: string) => ({ exec: { command: ["sh", "-c", script] }, periodSeconds: 1, timeoutSeconds: 60 });
  await kubelet.create(podOf("looked-at", {
    ...shell("touch here; trap 'exit 9' TERM; while :; do sleep 0.05; done"),
    env: [{ name: "WORD", value: "a b" }],
    readinessProbe: look('[ "$WORD" = "a b" ] && [ -e here ]'),
    livenessProbe: { ...look(`[ -e ${go} ] || exit 0; echo "not $WORD"; exit 1`), failureThreshold: 1 },
  }));
  await kubelet.until("looked-at", ({ status }) => status?.containerStatuses?.[0]?.ready);
  Deno.writeTextFileSync(go, "");
  const { status } = await kubelet.finished("looked-at");
  assertEquals(must(status!.containerStatuses![0]).state?.terminated?.exitCode, 9);
  const unhealthy = kubelet.events.filter(({ message }) => message.startsWith("Liveness"));
  assertMatch(must(unhealthy[0]).message, /^Liveness probe failed: not a b\n$/);
  assertEquals(kubelet.reasons().includes("Ignored"), false);
});
