import { assertEquals, assertRejects } from "@std/assert";
import { startSession } from "../../../src/kubelet/process/session_process.ts";
import { test } from "../../support/test.ts";
import { isRunning, until } from "../support/test_kubelet.ts";

const MODULE = import.meta.resolve("../../../src/kubelet/process/session_process.ts");

const PATH = Deno.env.get("PATH") ?? "";

for (const tty of [false, true]) {
  test(`A command that signals its own group ends with its client ${tty ? "at" : "without"} a terminal`, async () => {
    const script = `trap : INT QUIT TERM USR1 USR2 ALRM
      for signal in INT QUIT TERM USR1 USR2 ALRM; do kill -$signal 0; done
      echo $$
      while :; do sleep 1; done`;
    const session = startSession({ argv: ["/bin/sh", "-c", script], env: { PATH } }, { stdin: false, tty });
    const reader = session.stdout.getReader();
    let said = "";
    while (!/\d\r?\n/.test(said)) said += new TextDecoder().decode((await reader.read()).value);
    const pid = parseInt(said, 10);
    assertEquals(isRunning(pid), true);
    session.end();
    try {
      await until(() => !isRunning(pid));
    } finally {
      if (isRunning(pid)) Deno.kill(pid, "SIGKILL");
      await session.ended;
      // Both come to their end by themselves, a little later at times.
      const stderr = new Response(session.stderr as ReadableStream<Uint8Array<ArrayBuffer>>).text();
      while (!(await reader.read()).done);
      await stderr;
    }
  });
}

for (const tty of [false, true]) {
  test(`A command ends with the program, whatever that dies of, ${tty ? "at" : "without"} a terminal`, async () => {
    const script = `import { startSession } from "${MODULE}";
      const command = { argv: ["/bin/sh", "-c", "echo $$; exec sleep 1000"], env: { PATH: "${PATH}" } };
      const { stdout } = startSession(command, { stdin: false, tty: ${tty} });
      await stdout.pipeTo(Deno.stdout.writable);`;
    const args = ["run", "--no-check", "--allow-all", "--unstable-net", "-"];
    const program = new Deno.Command(Deno.execPath(), { args, stdin: "piped", stdout: "piped" }).spawn();
    await ReadableStream.from([new TextEncoder().encode(script)]).pipeTo(program.stdin);
    const reader = program.stdout.getReader();
    const pid = parseInt(new TextDecoder().decode((await reader.read()).value), 10);
    assertEquals(isRunning(pid), true);
    program.kill("SIGKILL");
    await until(() => !isRunning(pid));
    await Promise.all([reader.cancel(), program.status]);
  });
}

test("A command that cannot be started says why", async () => {
  const tooLong = "x".repeat(1024 * 1024);
  const session = startSession({ argv: ["/bin/echo", tooLong], env: {} }, { stdin: true, tty: false });
  session.resize({ width: 80, height: 24 });
  await assertRejects(() => session.ended, Error, "Argument list too long");
  session.end();
  assertEquals(await new Response(session.stdout as ReadableStream<Uint8Array<ArrayBuffer>>).text(), "");
}, { sanitize: false }); // Deno 2.7 itself leaks the pipe of a process that it cannot start.
