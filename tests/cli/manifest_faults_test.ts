import { assertEquals, assertRejects } from "@std/assert";
import { addExplainCommand } from "../../src/cli/explain/command.ts";
import { ConfigError } from "../../src/cli/errors.ts";
import { addNextCommand } from "../../src/cli/next/command.ts";
import { addSimulateCommand } from "../../src/cli/simulate/command.ts";
import { test } from "../support/test.ts";
import { runCommand } from "./support/run_command.ts";
import { withFile } from "./support/with_file.ts";

const cronJob = (apiVersion: string, name: string) =>
  `apiVersion: ${apiVersion}\nkind: CronJob\nmetadata: { name: ${name} }\n` +
  `spec: { schedule: "0 0 * * *", jobTemplate: { spec: { template: { spec: {} } } } }\n---\n`;

const GOOD = cronJob("batch/v1", "good");
const BAD = `${cronJob("batch/v1beta1", "old")}a: [\n`;

const said = (path: string, lines: readonly [number, number]) => [
  `${path}:${
    lines[0]
  }: Cannot read the manifest: Flow sequence in block collection must be sufficiently indented and end with a ]`,
  `${path}:${
    lines[1]
  }: CronJob default/old: no CronJob of batch/v1beta1 is known; Kubernetes 1.25 removed it: use batch/v1`,
];

const COMMANDS = [
  { words: ["next"], add: addNextCommand, exitCode: 1 },
  { words: ["simulate"], add: addSimulateCommand, exitCode: 1 },
  { words: ["explain", "good"], add: addExplainCommand, exitCode: 0 },
] as const;

for (const { words, add, exitCode } of COMMANDS) {
  const [command] = words;

  test(`${command} -f names each fault of a manifest in the same words, and shows the CronJobs beside it`, async () => {
    await withFile(GOOD + BAD, async (path) => {
      const printed = await runCommand(add, ...words, "-f", path);
      assertEquals(printed.stderr.split("\n"), said(path, [12, 6]));
      assertEquals([printed.stdout !== "", printed.exitCode], [true, exitCode]);
    });
  });
}

test("explain -f says in one sentence why the CronJob that it is asked about cannot be read", async () => {
  await withFile(BAD, async (path) => {
    const [first = ""] = said(path, [7, 1]);
    await assertRejects(() => runCommand(addExplainCommand, "explain", "good", "-f", path), ConfigError, first);
  });
});
