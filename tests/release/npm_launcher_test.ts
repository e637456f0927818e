import { assertEquals, assertStringIncludes } from "@std/assert";
import process from "node:process";
import { RunningProgram, temporaryFolder } from "../support/program.ts";
import { runToEnd } from "../support/run_to_end.ts";
import { test } from "../support/test.ts";

const LAUNCHER = await Deno.readTextFile(new URL("../../deploy/release/npm/cronjob-controller.js", import.meta.url));
const PLATFORM = `node_modules/@cronjob-controller/${process.platform}-${process.arch}`;

/** A folder in which the launcher is installed beside a platform's package that has this program, if any. */
async function installed(program?: string, mode = 0o755) {
  const folder = await temporaryFolder({
    "launcher.mjs": LAUNCHER,
    ...program && { [`${PLATFORM}/package.json`]: "{}", [`${PLATFORM}/cronjob-controller`]: program },
  });
  if (program) await Deno.chmod(`${folder.path}/${PLATFORM}/cronjob-controller`, mode);
  return Object.assign(folder, { command: ["node", `${folder.path}/launcher.mjs`] });
}

test("npm's launcher hands arguments on, and ends as the program does", async () => {
  await using folder = await installed('#!/bin/sh\necho "$# $2"\nexit 7\n');
  const { code, stdout } = await runToEnd([...folder.command, "a", "b c"]);
  assertEquals([code, stdout], [7, "2 b c\n"]);
  await using killed = await installed("#!/bin/sh\nkill -KILL $$\n");
  assertEquals((await runToEnd(killed.command)).code, 137);
});

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR2"] as const) {
  test(`npm's launcher hands ${signal} on`, async () => {
    const name = signal.slice(3);
    await using folder = await installed(
      `#!/bin/sh\ntrap 'echo got; exit 5' ${name}\necho up\nwhile :; do sleep 0.05; done\n`,
    );
    await using program = new RunningProgram(folder.command);
    await program.waitFor(/up/);
    assertEquals((await program.end(signal)).code, 5);
  });
}

test("npm's launcher says what to do where its platform's package is missing, or cannot be run", async () => {
  await using missing = await installed();
  const { code, stderr } = await runToEnd(missing.command);
  assertEquals(code, 1);
  assertStringIncludes(
    stderr,
    "install cronjob-controller with optional dependencies (npm install --include=optional)",
  );
  await using broken = await installed("#!/none\n");
  const ended = await runToEnd(broken.command);
  assertEquals(ended.code, 1);
  assertStringIncludes(ended.stderr, `Cannot run ${broken.path}/${PLATFORM}/cronjob-controller: `);
});
