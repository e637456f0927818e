import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { createProgram, main } from "../../src/cli/main.ts";
import { must } from "../support/expected.ts";
import { test } from "../support/test.ts";

async function complaint(...args: string[]): Promise<{ code: number; said: string[] }> {
  const said: string[] = [];
  const { error } = console;
  console.error = (text: string) => said.push(text);
  try {
    return { code: await main(args, "windows"), said };
  } finally {
    console.error = error;
  }
}

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
    const { code, said } = await complaint(...args);
    assertEquals([code, said.length], [2, 1]);
    assertMatch(must(said[0]), new RegExp(`^cronjob-controller: ${args[0]} is not there on Windows: [^\n]+WSL$`));
  }
});
