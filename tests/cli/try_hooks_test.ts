import { assertEquals, assertRejects } from "@std/assert";
import { addStandaloneCommand } from "../../src/cli/standalone/command.ts";
import { test } from "../support/test.ts";
import { runCommand } from "./support/run_command.ts";

const tried = (...flags: string[]) => runCommand(addStandaloneCommand, "standalone", "--try-hooks", ...flags);

test("--try-hooks runs each hook once, and shows its message, what it writes and how it ends", async () => {
  const { stdout, exitCode } = await tried(
    ...["--on-failure", 'echo "$FAILURE, $EXIT_CODE"; cat "$LOG_FILE"'],
    ...["--on-recovery", 'echo "$EVENT" >&2'],
  );
  assertEquals(stdout.split("\n"), [
    '--on-failure runs echo "$FAILURE, $EXIT_CODE"; cat "$LOG_FILE"',
    '--on-failure gets the message "default/made-up: exit 3: made up"',
    "exit 3: made up, 3",
    "This is the log of a run that is made up.",
    "--on-failure ended with exit code 0",
    '--on-recovery runs echo "$EVENT" >&2',
    '--on-recovery gets the message "default/made-up succeeded again after 1 failed run in a row (made-up-1)"',
    "recovered",
    "--on-recovery ended with exit code 0",
  ]);
  assertEquals(exitCode, 0);
});

test("--try-hooks fails where a hook does, and where there is none", async () => {
  const { stdout, exitCode } = await tried("--on-failure", "echo no mailer; exit 7");
  assertEquals(stdout.split("\n").slice(2), ["no mailer", "--on-failure failed: exit code 7"]);
  assertEquals(exitCode, 1);
  await assertRejects(() => tried(), Error, "--try-hooks needs --on-failure or --on-recovery");
});
