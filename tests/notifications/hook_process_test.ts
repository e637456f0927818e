import { assert, assertEquals, assertMatch } from "@std/assert";
import { hookChannel } from "../../src/notifications/hook_channel.ts";
import { runHook } from "../../src/notifications/hook_process.ts";
import type { Clock } from "../../src/base/clock.ts";
import { isRunning, pidIn, until } from "../kubelet/support/test_kubelet.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { notification } from "./support/notification.ts";

interface Surroundings {
  readonly input?: string;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
}

function run(command: string, { input = "", clock = new FakeClock(), signal }: Surroundings = {}) {
  return runHook({ command, env: { MESSAGE: 'it\'s $(bad) "news"' }, input, timeoutMs: 20_000 }, {
    clock,
    signal: signal ?? new AbortController().signal,
  });
}

test("a hook has the facts in its environment and on its standard input, and nothing of them is run", async () => {
  const folder = await Deno.makeTempDir();
  try {
    assertEquals(await run(`printf %s "$MESSAGE" > ${folder}/a; cat > ${folder}/b`, { input: '{"a":1}' }), undefined);
    assertEquals(await Deno.readTextFile(`${folder}/a`), 'it\'s $(bad) "news"');
    assertEquals(await Deno.readTextFile(`${folder}/b`), '{"a":1}');
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

test("a hook that fails says how, with the end of what it wrote", async () => {
  assertEquals(await run("echo out; echo err >&2; exit 7"), "exit code 7: out\nerr");
  assertEquals(await run("exit 7"), "exit code 7");
  const flood = await run("yes | head -c 3000000; exit 1");
  assert(flood!.length < 1_100, String(flood!.length));
  // It does not read, and the pipe breaks before it ends: an end at the same time might outlast the test by its write.
  assertEquals(await run("exec 0<&-; sleep 0.2", { input: "x".repeat(1_000_000) }), undefined);
});

test("a hook that fails says what arrives after its exit, until its output ends", async () => {
  // The shell is gone before the line is written.
  assertEquals(await run("(while kill -0 $$; do :; done; echo late) 2>&- & exit 7"), "exit code 7: late");
});

test("a hook that fails and leaves a process behind is waited for a second", async () => {
  const file = await Deno.makeTempFile();
  try {
    const clock = new FakeClock();
    const trouble = run(`echo out; sleep 600 & echo $! > ${file}; exit 7`, { clock });
    const pid = await pidIn(file);
    await until(() => clock.pending === 2);
    await clock.advance(1_000);
    assertEquals(await trouble, "exit code 7: out");
    Deno.kill(pid, "SIGKILL");
  } finally {
    await Deno.remove(file);
  }
});

test("a hook that hangs is ended with all that it started", async () => {
  const file = await Deno.makeTempFile();
  try {
    const clock = new FakeClock();
    const trouble = run(`trap '' TERM; sleep 600 & echo $! > ${file}; sleep 600`, { clock });
    const pid = await pidIn(file);
    await clock.advance(20_000);
    assertEquals(await trouble, "it took longer than 20 s, and was ended");
    await until(() => !isRunning(pid));
    const end = new AbortController();
    const ending = run("sleep 600", { signal: end.signal });
    end.abort();
    assertMatch((await ending)!, /ended by SIGKILL/);
  } finally {
    await Deno.remove(file);
  }
});

test("a hook that leaves a process behind is not waited for", async () => {
  const file = await Deno.makeTempFile();
  try {
    assertEquals(await run(`sleep 600 & echo $! > ${file}`), undefined);
    const pid = await pidIn(file);
    assertEquals(isRunning(pid), true);
    Deno.kill(pid, "SIGKILL");
  } finally {
    await Deno.remove(file);
  }
});

test("the channel runs the command of its kind alone, and one that fails is not run again", async () => {
  const channel = hookChannel({
    clock: new FakeClock(),
    commands: { failed: '[ "$EXIT_CODE" = 3 ] && [ "$FAILURES_IN_A_ROW" = 2 ]', recovered: undefined },
    timeoutMs: 20_000,
    localFactsOf: () => Promise.resolve({ exitCode: 3 }),
  });
  const { signal } = new AbortController();
  assertEquals(await channel.deliver(notification({ failuresInARow: 2 }), signal), "sent");
  assertEquals(await channel.deliver(notification({ failuresInARow: 1 }), signal), "failed");
  assertEquals(await channel.deliver(notification({ kind: "recovered" }), signal), "skipped");
});
