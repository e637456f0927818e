import { assert } from "@std/assert";
import { RunningProgram, temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

test("deno task start has its first run within 20 s of its call", async () => {
  await using folder = await temporaryFolder();
  const began = performance.now();
  const elsewhere = ["--data-dir", `${folder.path}/data`, "--port", "0", "--dashboard-address", "127.0.0.1:0"];
  const program = new RunningProgram([Deno.execPath(), "task", "--cwd", ROOT, "start", ...elsewhere]);
  try {
    await program.waitFor(/ succeeded {2}/, { timeoutMs: 30_000 });
    const tookMs = performance.now() - began;
    assert(tookMs <= 20_000, `the first run has ended after ${tookMs} ms`);
  } finally {
    // It hands the signal on, which it could not with a SIGKILL.
    await program.end("SIGTERM");
  }
});
