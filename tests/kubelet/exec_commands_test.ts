import { assertEquals, assertMatch } from "@std/assert";
import { ExecCommands } from "../../src/kubelet/process/exec_commands.ts";
import { startSession } from "../../src/kubelet/session_process.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { temporaryFolder } from "../support/program.ts";
import { must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { isRunning, pidIn, podOf, shell, startKubelet, until } from "./support.ts";

const PATH = Deno.env.get("PATH") ?? "";

function sessionOf(script: string) {
  return startSession({ argv: ["/bin/sh", "-c", script], env: { PATH } }, { stdin: false, tty: false });
}

test("A command beside a container comes to its exit code and what it says on both streams", async () => {
  const clock = new FakeClock();
  const commands = new ExecCommands({ clock, ended: new Promise(() => {}) });
  assertEquals(await commands.run(sessionOf("echo out; echo err >&2; exit 3"), 1_000), {
    code: 3,
    output: "out\nerr\n",
  });
  assertEquals(clock.pending, 0);
});

test("A command that takes too long is ended and has failed, though what it has started holds its output", async () => {
  await using folder = await temporaryFolder();
  const clock = new FakeClock();
  const commands = new ExecCommands({ clock, ended: new Promise(() => {}) });
  const left = `${folder.path}/left`;
  const result = commands.run(
    sessionOf(`setsid sh -c 'echo $$ >${left}; exec sleep 1000' & echo $$ >${folder.path}/pid; sleep 1000`),
    5_000,
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
  const ended = Promise.withResolvers<void>();
  const commands = new ExecCommands({ clock: new FakeClock(), ended: ended.promise });
  const result = commands.run(sessionOf(`echo $$ >${folder.path}/pid; exec sleep 1000`), 5_000);
  // Until it is itself, it would ignore that it is hung up.
  await pidIn(`${folder.path}/pid`);
  ended.resolve();
  assertEquals((await result).code, 129);
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
