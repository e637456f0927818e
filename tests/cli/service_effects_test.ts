import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { ConfigError } from "../../src/cli/errors.ts";
import { assertReached, callToInstall, outputOf, stopService } from "../../src/cli/service/calls.ts";
import { addServiceCommand } from "../../src/cli/service/command.ts";
import { makeFolderFor } from "../../src/cli/service/files.ts";
import { LAUNCHD } from "../../src/cli/service/launchd.ts";
import { endingCommand } from "../../src/cli/service/left_containers.ts";
import { lastingPath } from "../../src/cli/service/surroundings.ts";
import { SYSTEMD } from "../../src/cli/service/systemd.ts";
import { temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";
import { testAlone } from "../support/test_alone.ts";
import { runCommand } from "./support/run_command.ts";

const ANA = { name: "ana", uid: 1000, gid: 1001, home: "/home/ana", shell: "/bin/zsh" };

test("what a service of the machine left is ended with the rights of its user", async () => {
  assertEquals(SYSTEMD.as(ANA), ["setpriv", "--reuid=1000", "--regid=1001", "--init-groups"]);
  assertEquals(LAUNCHD.as(ANA), ["sudo", "-n", "-E", "-u", "ana", "--"]);
  await using folder = await temporaryFolder();
  const dataDir = `${folder.path}/data`;
  const command = endingCommand({ dataDir, engineArgs: ["--log-level", "error"], allowed: ["podman", "docker"] });
  const flags = ["--data-dir", dataDir, "--allowed", "podman,docker"];
  assertEquals(command, ["service", "end-containers", ...flags, "--", "--log-level", "error"]);
  assertEquals((await runCommand(addServiceCommand, ...command)).exitCode, 0, "there is nothing to end");
  await Deno.mkdir(dataDir);
  await runCommand(addServiceCommand, ...command);
  assertEquals(await Deno.stat(`${dataDir}/lock`).then(() => true), true, "it has looked");
});

test("a supervisor that does not answer is said, with what to do, before anything is written", async () => {
  const place = { scope: "user", file: "/f", uid: 0, home: "/root" } as const;
  const reachedBy = (...probe: string[]) => ({ ...SYSTEMD, reach: () => ({ ...SYSTEMD.reach!(place), probe }) });
  await assertReached(reachedBy("true"), place);
  await assertReached(LAUNCHD, place);
  const sentence = "Cannot reach systemd (false fails): log in as this user, not by su or sudo";
  await assertRejects(() => assertReached(reachedBy("false"), place), ConfigError, sentence);
});

test("logs are pointed to where the program may have said something", async () => {
  const refused = async (...calls: string[][]) =>
    (await assertRejects(() => callToInstall(calls, "service logs"), Error)).message;
  assertEquals(await refused(["false", "reload"], ["true"]), "false reload ended with exit code 1");
  assertEquals(
    await refused(["true"], ["false", "start"]),
    "false start ended with exit code 1; what the program says of it: service logs",
  );
});

testAlone(import.meta.url, "status and logs say where a service that is not installed was looked for", async () => {
  await using folder = await temporaryFolder();
  const { path } = folder;
  const log = Deno.build.os === "darwin" ? "tail" : "journalctl";
  await Deno.writeTextFile(`${path}/${log}`, "#!/bin/sh\nexit 0\n", { mode: 0o755 });
  const set = { HOME: path, XDG_CONFIG_HOME: "", PATH: `${path}:${Deno.env.get("PATH")}` };
  const before = Object.keys(set).map((name) => [name, Deno.env.get(name)] as const);
  for (const [name, value] of Object.entries(set)) Deno.env.set(name, value);
  try {
    const status = await runCommand(addServiceCommand, "service", "status");
    assertStringIncludes(status.stdout, `The service is not installed: there is no ${path}/`);
    assertStringIncludes(status.stdout, "; --system is for one of the machine");
    assertEquals(status.exitCode, 1);
    const logs = await runCommand(addServiceCommand, "service", "logs");
    assertEquals([logs.stdout, logs.stderr, logs.exitCode], ["", status.stdout, 1]);
  } finally {
    for (const [name, value] of before) value === undefined ? Deno.env.delete(name) : Deno.env.set(name, value);
  }
});

test("a program that is missing prints nothing", async () => {
  assertEquals(await outputOf(["/none"]), "");
  assertEquals(await outputOf(["echo", "a"]), "a\n");
});

testAlone(import.meta.url, "folders above the data dir are open to the user of the service", async () => {
  await using folder = await temporaryFolder();
  const umask = Deno.umask(0o077);
  try {
    await makeFolderFor({ uid: Deno.uid()!, gid: Deno.gid()! }, `${folder.path}/a/b/data`);
  } finally {
    Deno.umask(umask);
  }
  const modes = ["a", "a/b", "a/b/data"].map((path) =>
    (Deno.statSync(`${folder.path}/${path}`).mode! & 0o777).toString(8)
  );
  assertEquals(modes, ["755", "755", "700"]);
});

test("a service runs the link on PATH that an upgrade sets anew, not the version behind it", async () => {
  await using folder = await temporaryFolder();
  const root = await Deno.realPath(folder.path);
  for (const each of ["bin", "other", "1.0"]) await Deno.mkdir(`${root}/${each}`);
  const executable = `${root}/1.0/cronjob-controller`;
  for (const path of [executable, `${root}/other/cronjob-controller`]) await Deno.writeTextFile(path, "");
  const path = `.:${root}/missing:${root}/other:${root}/bin`;
  assertEquals(await lastingPath(executable, path), executable);
  await Deno.symlink(executable, `${root}/bin/cronjob-controller`);
  assertEquals(await lastingPath(executable, path), `${root}/bin/cronjob-controller`);
});

test("a service of launchd that is not loaded is stopped, and a slow one is waited for", async () => {
  await using folder = await temporaryFolder();
  let now = 0;
  const clock = { monotonic: () => now, sleep: (ms: number) => Promise.resolve(void (now += ms)) };
  const place = { scope: "user", file: "/f", uid: 501, home: "/Users/ana" } as const;
  const loaded = `${folder.path}/loaded`;
  const stopWith = (script: string, probe: string) => ({
    ...LAUNCHD,
    stop: () => [["sh", "-c", script]],
    isLoaded: () => ["sh", "-c", probe],
  });
  await stopService(stopWith("exit 3", `test -e ${loaded}`), place, clock);
  // It ends between two looks.
  await stopService(stopWith(`touch ${loaded}; exit 36`, `rm ${loaded}`), place, clock);
  await assertRejects(() => stopService(stopWith("exit 36", "true"), place, clock), Error, "The service does not stop");
  assertEquals(LAUNCHD.isLoaded!(place), ["launchctl", "print", "gui/501/dev.cronjob-controller"]);
});
