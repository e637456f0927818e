import { assertEquals, assertThrows } from "@std/assert";
import { ConfigError } from "../../src/cli/errors.ts";
import { openLogFile } from "../../src/cli/standalone/log_file.ts";
import { LogFile } from "../../src/telemetry/log_file.ts";
import { temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";

test("a log in a file goes on where it was, keeps one former file, and is never larger than both", async () => {
  await using folder = await temporaryFolder();
  const path = `${folder.path}/log`;
  const read = () => [`${path}.1`, path].map((file) => Deno.readTextFileSync(file));
  for (const text of ["one", "two"]) {
    using log = new LogFile(path, 10);
    log.write(text);
  }
  using log = new LogFile(path, 10);
  log.write("three");
  assertEquals(read(), ["one\ntwo\n", "three\n"]);
  log.write("four");
  assertEquals(read(), ["three\n", "four\n"]);
  log.write("a line that is too long for any file");
  assertEquals(read(), ["four\n", "a line that is too long for any file\n"]);
});

test("a log whose folder is gone costs lines alone, and goes on once it is there", async () => {
  await using folder = await temporaryFolder();
  const path = `${folder.path}/logs/log`;
  using log = new LogFile(path, 10);
  log.write("lost");
  Deno.mkdirSync(`${folder.path}/logs`);
  log.write("kept");
  assertEquals(Deno.readTextFileSync(path), "kept\n");
  log.write("renamed");
  Deno.removeSync(`${folder.path}/logs`, { recursive: true });
  log.write("also lost");
  Deno.mkdirSync(`${folder.path}/logs`);
  log.write("there");
  assertEquals(Deno.readTextFileSync(path), "there\n");
});

test("a log that cannot be written is refused at the start", async () => {
  await using folder = await temporaryFolder();
  const refused = (path: string, why: string) =>
    assertThrows(() => openLogFile(path), ConfigError, `Cannot write --log-file ${path}: ${why}`);
  refused(`${folder.path}/missing/log`, "its folder is not there; name a file in a folder");
  refused(folder.path, "Is a directory");
  openLogFile(`${folder.path}/log`)[Symbol.dispose]();
  assertEquals(Deno.readTextFileSync(`${folder.path}/log`), "");
});

test("a log that cannot be renamed goes on as it is, and says so once", async () => {
  await using folder = await temporaryFolder();
  const path = `${folder.path}/log`;
  // Nothing can take its place.
  Deno.mkdirSync(`${path}.1/full`, { recursive: true });
  const complaints: string[] = [];
  using log = new LogFile(path, 10, (line) => complaints.push(line));
  const lines = Array.from({ length: 20 }, (_, i) => `line ${i}`);
  lines.forEach((line) => log.write(line));
  assertEquals(Deno.readTextFileSync(path), `${lines.join("\n")}\n`);
  assertEquals(complaints.map((line) => line.replace(/:.*/, "")), [`Cannot rename ${path}, which grows on`]);
});

test("a log that is a device is not renamed", async () => {
  await using folder = await temporaryFolder();
  const path = `${folder.path}/log`;
  Deno.symlinkSync("/dev/null", path);
  const complaints: string[] = [];
  using log = new LogFile(path, 10, (line) => complaints.push(line));
  for (let i = 0; i < 5; i++) log.write("a line that is too long for any file");
  assertEquals(complaints, []);
  assertEquals([...Deno.readDirSync(folder.path)].map(({ name }) => name), ["log"]);
});
