import { assertEquals, assertMatch } from "@std/assert";
import { test } from "../support/test.ts";
import { temporaryFolder } from "../support/program.ts";

test("a machine without kubectl and npm leads to one line that says how to get kubectl", async () => {
  await using folder = await temporaryFolder();
  const root = new URL("../../", import.meta.url).pathname;
  const args = [
    "run",
    "-A",
    "--no-check",
    "--config",
    `${root}deno.json`,
    `${root}tests/support/fetch_tools.ts`,
    "kubectl",
  ];
  const env = { PATH: folder.path, HOME: Deno.env.get("HOME") ?? "", DENO_DIR: Deno.env.get("DENO_DIR") ?? "" };
  const command = new Deno.Command(Deno.execPath(), { args, cwd: folder.path, clearEnv: true, env });
  const { code, stderr } = await command.output();
  assertEquals(code, 1);
  assertMatch(
    new TextDecoder().decode(stderr),
    /^Missing for the tests: kubectl; put kubectl 1\.28 or newer on PATH \(https:.*\)\. Fetching failed: /m,
  );
});
