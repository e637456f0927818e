import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { DataDir } from "../../src/apiserver/storage/data_dir.ts";
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

test("a start that fails leaves no data dir that it made, and every other one as it was", async () => {
  await using folder = await temporaryFolder();
  const failOn = async (dataDir: string) => {
    await using _prepared = await prepareDataDir(dataDir);
    await Deno.writeTextFile(`${dataDir}/token`, "");
  };
  const made = `${folder.path}/made`;
  await failOn(made);
  assertEquals([...Deno.readDirSync(folder.path)], []);
  await Deno.mkdir(made);
  await failOn(made);
  assertEquals([...Deno.readDirSync(made)].map(({ name }) => name), ["token"]);
  const prepared = await prepareDataDir(`${folder.path}/in-use`);
  using other = new DataDir(`${folder.path}/in-use`);
  await prepared[Symbol.asyncDispose]();
  assertEquals((await Deno.stat(other.paths.lock)).isFile, true);
});

test("a data dir that cannot be made is named in one line", async () => {
  await using folder = await temporaryFolder();
  await Deno.writeTextFile(`${folder.path}/file`, "");
  const error = await assertRejects(
    () => prepareDataDir(`${folder.path}/file/below`),
    Error,
  );
  const why = "it, or what it is in, is a file; name another with --data-dir";
  assertEquals(error.message, `Cannot use the data dir ${folder.path}/file/below: ${why}`);
});
