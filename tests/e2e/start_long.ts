import { RunningProgram, temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

test("deno task start has its first run", async () => {
  await using folder = await temporaryFolder();
  const elsewhere = ["--data-dir", `${folder.path}/data`, "--port", "0", "--dashboard-address", "127.0.0.1:0"];
  const program = new RunningProgram([Deno.execPath(), "task", "--cwd", ROOT, "start", ...elsewhere]);
  try {
    await program.waitFor(/ succeeded {2}/, { timeoutMs: 60_000 });
  } finally {
    // It hands the signal on, which it could not with a SIGKILL.
    await program.end("SIGTERM");
  }
});
