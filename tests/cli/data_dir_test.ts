import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { defaultDataDir, prepareDataDir } from "../../src/cli/shared/data_dir.ts";
import { ConfigError } from "../../src/cli/errors.ts";
import { temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";

function environment(variables: Record<string, string>) {
  return { get: (name: string) => variables[name] };
}

test("the data dir is below XDG_STATE_HOME, else below the home", () => {
  assertEquals(defaultDataDir(environment({ XDG_STATE_HOME: "/s", HOME: "/h" })), "/s/cronjob-controller");
  assertEquals(defaultDataDir(environment({ HOME: "/h" })), "/h/.local/state/cronjob-controller");
  assertEquals(defaultDataDir(environment({ XDG_STATE_HOME: "s", HOME: "/h" })), "/h/.local/state/cronjob-controller");
  assertEquals(defaultDataDir(environment({ HOME: "h" })), `${Deno.cwd()}/h/.local/state/cronjob-controller`);
  assertThrows(() => defaultDataDir(environment({})), ConfigError, "give --data-dir");
});

test("a data dir is made for its owner alone, and is new until a start was completed on it", async () => {
  await using folder = await temporaryFolder();
  const dataDir = `${folder.path}/a/b`;
  const first = await prepareDataDir(dataDir);
  assertEquals((await Deno.stat(dataDir)).mode! & 0o777, 0o700);
  assertEquals([first.isNew, (await prepareDataDir(dataDir)).isNew], [true, true]);
  await first.markUsed();
  assertEquals((await prepareDataDir(dataDir)).isNew, false);
});

test("a data dir that cannot be made is named in one line", async () => {
  await using folder = await temporaryFolder();
  await Deno.writeTextFile(`${folder.path}/file`, "");
  const error = await assertRejects(
    () => prepareDataDir(`${folder.path}/file/below`),
    Error,
    "Cannot use the data dir",
  );
  assertEquals(error.message.includes("\n"), false);
});
