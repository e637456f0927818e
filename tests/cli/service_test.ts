import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { CommanderError } from "commander";
import { addServiceCommand } from "../../src/cli/service/command.ts";
import { LAUNCHD } from "../../src/cli/service/launchd.ts";
import { leftBy } from "../../src/cli/service/left_containers.ts";
import { readStandaloneFlags } from "../../src/cli/service/standalone_flags.ts";
import { readNote, readStatus, type ServiceDefinition } from "../../src/cli/service/supervisor.ts";
import { parseAccount, serviceEnvironment } from "../../src/cli/service/surroundings.ts";
import { SYSTEMD } from "../../src/cli/service/systemd.ts";
import { usageErrorText } from "../../src/cli/usage_error.ts";
import { readUnit } from "../e2e/support/stand_in_systemd.ts";
import { atLeast, must } from "../support/expected.ts";
import { temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";
import { testAlone } from "../support/test_alone.ts";
import { runCommand } from "./support/run_command.ts";

const ODD = `a b$HOME $$ %h "q" 'q' back\\slash <&>; é`;

const DEFINITION: ServiceDefinition = {
  scope: "user",
  command: ["/opt/my programs/cronjob-controller", "standalone", "--data-dir", "/data & <more> -- x", "--apply", ODD],
  environment: { PATH: "/bin:/usr/bin", ODD },
  workingDirectory: "/home/ana/100% mine",
  left: { dataDir: "/data & <more> -- x", engineArgs: ["--log-level", "error"], allowed: ["podman"] },
  account: { name: "ana", uid: 1000, gid: 1000, home: "/home/ana", shell: "/bin/zsh" },
};

test("a unit says what was meant, whatever characters it has, and ends its main process alone", () => {
  const text = SYSTEMD.render(DEFINITION);
  const { command, environment, settings } = readUnit(text);
  assertEquals(command, DEFINITION.command);
  assertEquals(environment, DEFINITION.environment);
  assertEquals(settings.get("WorkingDirectory"), ["-/home/ana/100%% mine"], "it may be gone later");
  assertEquals(
    settings.get("RequiresMountsFor"),
    ['"/data & <more> -- x"'],
    "no new data dir where one is to be mounted",
  );
  assertEquals(settings.get("StartLimitIntervalSec"), ["0"], "a trouble that passes does not end it for good");
  assertEquals(settings.get("RestartPreventExitStatus"), ["64"], "wrong flags stay wrong");
  assertEquals(settings.get("Type"), ["notify"]);
  assertEquals(settings.get("KillMode"), ["process"]);
  assertEquals(settings.get("User"), undefined);
});

test("a unit of the machine runs as the user that was chosen, in a folder that systemd makes for it", () => {
  const text = SYSTEMD.render({
    ...DEFINITION,
    scope: "system",
    left: { ...DEFINITION.left, dataDir: SYSTEMD.systemDataDir },
  });
  const { settings } = readUnit(text);
  assertEquals(settings.get("User"), ["ana"]);
  assertEquals(settings.get("StateDirectory"), ["cronjob-controller"]);
  assertEquals(settings.get("WantedBy"), ["multi-user.target"]);
  assertEquals(readUnit(SYSTEMD.render({ ...DEFINITION, scope: "system" })).settings.get("StateDirectory"), undefined);
});

test("a property list says what was meant, whatever characters it has", () => {
  const text = LAUNCHD.render({ ...DEFINITION, scope: "system" });
  const list = readPropertyList(text) as Record<string, unknown>;
  assertEquals(list.ProgramArguments, DEFINITION.command);
  assertEquals(list.EnvironmentVariables, DEFINITION.environment);
  assertEquals(list.WorkingDirectory, DEFINITION.workingDirectory);
  assertEquals(list.KeepAlive, { SuccessfulExit: false });
  assertEquals([list.AbandonProcessGroup, list.RunAtLoad, list.ExitTimeOut], [true, true, 30]);
  assertEquals(list.UserName, "ana");
  const comments = [...text.matchAll(/<!--(.*?)-->/gs)].map(([, comment = ""]) => comment);
  assertEquals(comments.map((comment) => comment.includes("--")), [false, false], "XML takes no two dashes there");
});

for (const { name, render } of [{ name: "systemd", ...SYSTEMD }, { name: "launchd", ...LAUNCHD }]) {
  test(`what uninstall needs stands in the file of ${name}, whatever characters it has`, () => {
    const { left, environment } = DEFINITION;
    assertEquals(readNote(render(DEFINITION)), { left, environment });
    assertEquals(readNote(render({ ...DEFINITION, scope: "system" })), { left, environment, user: "ana" });
    assertEquals(readNote("[Unit]\nDescription=another program\n"), undefined);
  });
}

test("systemd and launchd are called as they want to be", () => {
  const place = { scope: "user", file: "/f", uid: 501, home: "/Users/ana" } as const;
  const lines = (calls: readonly (readonly string[])[]) => calls.map((call) => call.join(" "));
  assertEquals(lines(LAUNCHD.install(place)), [
    "launchctl enable gui/501/dev.cronjob-controller",
    "launchctl bootstrap gui/501 /f",
  ]);
  assertEquals(lines(LAUNCHD.stop({ ...place, scope: "system" })), ["launchctl bootout system/dev.cronjob-controller"]);
  assertEquals(LAUNCHD.flags(place), ["--log-file", "/Users/ana/Library/Logs/cronjob-controller.log"]);
  assertEquals(LAUNCHD.logs(place, { follow: true, lines: 5 }), [
    "tail",
    "-n",
    "5",
    "-F",
    "/Users/ana/Library/Logs/cronjob-controller.log",
  ]);
  assertEquals(lines(SYSTEMD.stop({ ...place, scope: "system" })), [
    "systemctl disable --now cronjob-controller.service",
  ]);
  assertEquals(
    SYSTEMD.logs(place, { follow: false, lines: 5 }).join(" "),
    "journalctl --user --unit cronjob-controller.service --lines 5",
  );
});

test("what systemd and launchd say is read", () => {
  const shown =
    "ActiveState=active\nSubState=running\nMainPID=7\nActiveEnterTimestamp=Mon 2026-11-23 CET\nNRestarts=2\n";
  const lines = [["State", "active"], ["Detail", "running"], ["Since", "Mon 2026-11-23 CET"], ["Pid", "7"]] as const;
  assertEquals(readStatus(SYSTEMD, shown), { isRunning: true, lines: [...lines, ["Restarts", "2"]] });
  assertEquals(readStatus(SYSTEMD, "ActiveState=failed\n"), { isRunning: false, lines: [["State", "failed"]] });
  assertEquals(readStatus(SYSTEMD, ""), { isRunning: false, lines: [["State", "unknown"]] });
  const printed =
    "gui/501/dev.cronjob-controller = {\n\tactive count = 1\n\tstate = running\n\tpid = 7\n\tlast exit code = 1\n}";
  assertEquals(readStatus(LAUNCHD, printed), {
    isRunning: true,
    lines: [["State", "running"], ["Pid", "7"], ["Last exit code", "1"]],
  });
});

test("the environment is that of a login, and of the shell what counts for scripts", () => {
  const shell = new Map(
    Object.entries({ PATH: "/mine", HOME: "/root", USER: "root", TZ: "Asia/Tokyo", SECRET: "x", CJC_PORT: "0" }),
  );
  assertEquals(serviceEnvironment(DEFINITION.account, shell, ["CJC_PORT", "CJC_APPLY"]), {
    USER: "ana",
    LOGNAME: "ana",
    HOME: "/home/ana",
    SHELL: "/bin/zsh",
    PATH: "/mine",
    TZ: "Asia/Tokyo",
    CJC_PORT: "0",
  });
});

test("hooks are run by sh where the account has a shell that runs nothing", () => {
  for (const shell of ["/usr/sbin/nologin", "/sbin/nologin", "/bin/false", "/usr/bin/false", "/bin/sync"]) {
    assertEquals(serviceEnvironment({ ...DEFINITION.account, shell }, new Map(), []).SHELL, "/bin/sh", shell);
  }
});

test("users are read as getent and macOS' id print them", () => {
  const ana = { name: "ana", uid: 1000, gid: 1001, home: "/home/ana", shell: "/bin/zsh" };
  assertEquals(parseAccount("ana:x:1000:1001:Ana,,,:/home/ana:/bin/zsh\n"), ana);
  assertEquals(parseAccount("ana:********:1000:1001::0:0:Ana:/home/ana:/bin/zsh\n"), ana);
  assertEquals(parseAccount("ana:x:1000:1001::/home/ana:\n")?.shell, "/bin/sh");
  assertEquals(parseAccount(""), undefined);
});

test("flags that standalone would refuse, or no service can have, are refused before anything is written", async () => {
  const install = (...args: string[]) => runCommand(addServiceCommand, "service", "install", "--dry-run", ...args);
  await assertRejects(() => install("--", "--nope"), Error, "unknown option '--nope'");
  await assertRejects(() => install("--", "--port", "x"), Error, "must be a whole number");
  await assertRejects(() => install("--", "--ephemeral"), Error, "cannot be --ephemeral");
  await assertRejects(() => install("--run-as", "ana"), Error, "--run-as is of --system alone");
  await assertRejects(() => install("--", "--apply", "a\nExecStartPre=/bin/evil"), Error, "takes no line breaks");
  const { stdout } = await install("--", "--data-dir", "rel", "--ephemeral=false");
  assert(stdout.includes(`"--data-dir" "rel" "--ephemeral=false" "--data-dir" "${Deno.cwd()}/rel"\n`), stdout);
  assertMatch(stdout, /# Then:\nsystemctl --user daemon-reload\n/);
});

const UNFIT_FILES = [
  ["--crontab DIR/none", "Cannot follow --crontab DIR/none: no such file; name a file that can be read"],
  ["--manifests DIR/good", "Cannot follow --manifests DIR/good: it is a file; name a folder that can be read"],
  ["--apply DIR/none", "Cannot read manifest DIR/none: no such file or folder"],
  ["--apply-once DIR/bad.yaml", "Cannot read manifest DIR/bad.yaml: "],
  ["--apply -", "A service has no standard input to apply: name a file"],
] as const;

for (const [flags, message] of UNFIT_FILES) {
  test(`a service is not installed that could not start: ${flags}`, async () => {
    await using folder = await temporaryFolder();
    const dir = folder.path;
    await Deno.writeTextFile(`${dir}/good`, "0 2 * * * true\n");
    await Deno.writeTextFile(`${dir}/bad.yaml`, "kind: [");
    const words = flags.replaceAll("DIR", dir).split(" ");
    await assertRejects(
      () => runCommand(addServiceCommand, "service", "install", "--dry-run", "--", ...words),
      Error,
      message.replaceAll("DIR", dir),
    );
  });
}

testAlone(import.meta.url, "a variable that standalone would refuse is refused by its name", () => {
  Deno.env.set("CJC_PORT", "many");
  const error = assertThrows(() => readStandaloneFlags([]), CommanderError);
  assertEquals(
    usageErrorText(error, []),
    "CJC_PORT must be a whole number from 0 to 65535, current value is many",
  );
});

testAlone(import.meta.url, "what a service leaves is what its flags and variables let Pods choose", () => {
  const left = (...flags: string[]) => leftBy(readStandaloneFlags(flags).options, "/data");
  assertEquals(left(), { dataDir: "/data", engineArgs: [], allowed: ["process"] });
  Deno.env.set("CJC_CONTAINER_RUNTIME", "podman,docker");
  Deno.env.set("CJC_CONTAINER_RUNTIME_ARGS", "--root /r");
  assertEquals(left(), { dataDir: "/data", engineArgs: ["--root", "/r"], allowed: ["podman", "docker"] });
  const flags = ["--container-runtime", "auto,process", "--container-runtime-args=--root /f"];
  assertEquals(left(...flags), { dataDir: "/data", engineArgs: ["--root", "/f"], allowed: ["process"] });
});

/** Reads a property list, of the parts that ours have. */
function readPropertyList(text: string): unknown {
  const tokens = [...text.slice(text.indexOf("<plist")).matchAll(/<(\/?)(\w+)[^>]*?(\/?)>([^<]*)/g)];
  const value = (): unknown => {
    const [, , tag, isEmpty, content] = atLeast(5, tokens.shift()!);
    if (isEmpty) return tag === "true";
    const plain = content.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
    if (tag === "string" || tag === "key" || tag === "integer") {
      assertEquals(tokens.shift()!.slice(1, 3), ["/", tag]);
      return tag === "integer" ? Number(plain) : plain;
    }
    const members: unknown[] = [];
    while (must(tokens[0])[1] !== "/") members.push(value());
    assertEquals(tokens.shift()![2], tag);
    if (tag === "array") return members;
    return Object.fromEntries(members.flatMap((key, index) => index % 2 === 0 ? [[key, members[index + 1]]] : []));
  };
  tokens.shift();
  return value();
}
