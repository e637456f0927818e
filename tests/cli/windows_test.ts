import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { createProgram } from "../../src/cli/main.ts";
import { test } from "../support/test.ts";
import { runMain } from "./support/run_command.ts";

test("on Windows the program offers what needs no processes of Unix", () => {
  const help = createProgram("windows").helpInformation();
  for (const command of ["controller", "next", "lint", "version"]) assertMatch(help, new RegExp(`^  ${command} `, "m"));
  for (const command of ["standalone", "backup", "restore"]) assertEquals(help.includes(command), false, command);
  assertStringIncludes(createProgram("linux").helpInformation(), "standalone");
});

test("on Windows standalone, backup and restore say in one line why they are not there", async () => {
  for (
    const args of [["standalone", "--port", "0"], ["standalone", "--help"], ["backup", "file"], ["restore", "file"]]
  ) {
    const { exitCode, stderr } = await runMain(args, "windows");
    assertEquals(exitCode, 2);
    assertMatch(stderr, new RegExp(`^cronjob-controller: ${args[0]} is not there on Windows: [^\n]+WSL$`));
  }
});
