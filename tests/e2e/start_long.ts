import { relative } from "node:path";
import { assertEquals, assertMatch } from "@std/assert";
import { processesOf } from "../support/processes.ts";
import { RunningProgram, temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

test("the start task runs the samples, kubectl works against it, and SIGINT ends everything with exit code 0", async () => {
  await using folder = await temporaryFolder();
  // As the task's own `.data` is: relative.
  const elsewhere = ["--data-dir", relative(ROOT, folder.path), "--port", "0", "--dashboard-address", "127.0.0.1:0"];
  const program = new RunningProgram([Deno.execPath(), "task", "--cwd", ROOT, "start", ...elsewhere], { cwd: ROOT });
  try {
    await program.waitFor(/succeeded +default\/hello /, { count: 2 });
    assertMatch(program.output, new RegExp(`export KUBECONFIG=${folder.path}/kubeconfig`));
    assertMatch(program.output, /hello-\d+-[a-z0-9]{5} \| /);
  } finally {
    // It hands the signal on, which it could not with a SIGKILL.
    assertEquals((await program.end("SIGINT")).code, 0, program.output);
  }
  assertEquals(await processesOf(folder.path), []);
});
