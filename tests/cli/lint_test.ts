import { assert, assertEquals, assertRejects } from "@std/assert";
import { ConfigError } from "../../src/cli/errors.ts";
import { addLintCommand } from "../../src/cli/lint/command.ts";
import { ManifestFileError } from "../../src/manifest_files/manifest_file_error.ts";
import { batch, OK } from "../lint/support/manifests.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { runProgram, temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";
import { runCommand } from "./support/run_command.ts";

const NOW = "2026-06-15T10:00:00Z";

function run(...args: string[]) {
  return runCommand((program) => addLintCommand(program, new FakeClock(NOW)), "lint", ...args);
}

const FILES = {
  "a/bad.yaml": batch(`  schedule: 0 0 * * 7\n${OK}`),
  "b.json": JSON.stringify({ apiVersion: "batch/v1", kind: "CronJob", metadata: { name: "x" }, spec: 5 }),
  "package.json": "{ // not even JSON",
  "notes.txt": "kind: CronJob",
  ".hidden/c.yaml": "kind: CronJob",
  "warn.yaml": batch("  schedule: 0 0 31 2 *\n  concurrencyPolicy: Forbid", "{name: warned}"),
};

test("lint prints a line for each finding in a directory, and a sum; it exits with 1 on errors", async () => {
  await using folder = await temporaryFolder(FILES);
  const { stdout, exitCode } = await run(folder.path);
  assertEquals(stdout.replaceAll(folder.path, "DIR").split("\n"), [
    'DIR/a/bad.yaml:5:13: error: default/report spec.schedule: day-of-week "7": must be 0-6 or SUN-SAT; Sunday is 0; ' +
    "the annotation cronjob-controller.dev/schedule takes it [schedule]",
    "DIR/b.json:1:74: error: default/x spec: cannot be 5: must be an object [type]",
    'DIR/warn.yaml:5:13: warning: default/warned spec.schedule: "0 0 31 2 *" never comes: no year has 31 February [never-runs]',
    "DIR/warn.yaml:5:13: hint: default/warned spec.schedule: these are times of UTC: set spec.timeZone, such as " +
    "Europe/Berlin, or UTC to say that it is meant [no-time-zone]",
    "3 CronJobs: 2 errors, 1 warning, 1 hint",
  ]);
  assertEquals(exitCode, 1);
});

test("lint shows three hints of a rule, and counts the others", async () => {
  const many = Array.from({ length: 5 }, (_, i) => batch(`  schedule: ${i + 1} 2 * * *\n${OK}`, `{name: c${i}}`));
  await using folder = await temporaryFolder({ "a.yaml": many.join("\n---\n") });
  const lines = (await run(folder.path)).stdout.split("\n");
  assertEquals(lines.map((line) => /default\/(c\d)/.exec(line)?.[1] ?? line), [
    "c0",
    "c1",
    "c2",
    "2 more hints of no-time-zone: -o json shows all",
    "5 CronJobs: 0 errors, 0 warnings, 5 hints",
  ]);
  assertEquals(JSON.parse((await run(folder.path, "-o", "json")).stdout).findings.length, 5);
});

test("lint exits with 0 on warnings alone, unless --fail-on says warning", async () => {
  await using folder = await temporaryFolder(FILES);
  assertEquals((await run(`${folder.path}/warn.yaml`)).exitCode, 0);
  assertEquals((await run(`${folder.path}/warn.yaml`, "--fail-on", "warning")).exitCode, 1);
});

test("lint exits with 1 on hints if --fail-on says hint, and --disable leaves them out", async () => {
  await using folder = await temporaryFolder({ "a.yaml": batch(`  schedule: 5 2 * * *\n${OK}`) });
  const file = `${folder.path}/a.yaml`;
  assertEquals((await run(file, "--fail-on", "warning")).exitCode, 0);
  assertEquals((await run(file, "--fail-on", "hint")).exitCode, 1);
  assertEquals((await run(file, "--fail-on", "hint", "--disable", "no-time-zone")).exitCode, 0);
  assert((await run(file, "-o", "github")).stdout.startsWith("::notice file="));
  const disable = () => run(file, "--disable", "ended", "--disable", "no-timezone");
  await assertRejects(
    disable,
    ConfigError,
    "Cannot disable no-timezone: there is no rule no-timezone: did you mean no-time-zone?",
  );
});

test("lint's exit code is the program's", async () => {
  await using folder = await temporaryFolder(FILES);
  const code = async (file: string) => {
    const { code, stdout } = await runProgram(["lint", `${folder.path}/${file}`]);
    assert(stdout.includes("1 CronJob: "));
    return code;
  };
  assertEquals([await code("a/bad.yaml"), await code("warn.yaml")], [1, 0]);
});

test("lint -o json and -o github say the same to programs", async () => {
  await using folder = await temporaryFolder(FILES);
  const file = `${folder.path}/a/bad.yaml`;
  const message =
    'day-of-week "7": must be 0-6 or SUN-SAT; Sunday is 0; the annotation cronjob-controller.dev/schedule takes it';
  assertEquals(JSON.parse((await run(file, "-o", "json")).stdout), {
    cronJobs: 1,
    errors: 1,
    warnings: 0,
    hints: 0,
    findings: [{
      severity: "error",
      rule: "schedule",
      field: "spec.schedule",
      message,
      line: 5,
      column: 13,
      source: file,
      name: "default/report",
    }],
  });
  assertEquals(
    (await run(file, "-o", "github")).stdout,
    `::error file=${file},line=5,col=13,title=schedule default/report spec.schedule::${message}`,
  );
});

test("lint refuses paths without a CronJob", async () => {
  await using folder = await temporaryFolder({ "a.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: x}\n" });
  await assertRejects(() => run(folder.path), ConfigError, `There is no CronJob in ${folder.path}`);
  await assertRejects(() => run(`${folder.path}/none.yaml`), ManifestFileError, "Cannot read");
});
