import { assertEquals } from "@std/assert";
import { kubectlOk, runProgram, Standalone, temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";

const CRONTAB = `GREETING = "  it's $(HOME) & $$  "
# Greets.
0 4 1 1 * printf '[\\%s]\\n' "$GREETING"; cat; echo "$(pwd) $((1 + 1))"%one%50\\% off
`;

test("what import crontab prints runs on standalone as cron would run it", async () => {
  await using folder = await temporaryFolder();
  const home = await Deno.realPath(Deno.env.get("HOME")!);
  const file = `${folder.path}/crontab`;
  await Deno.writeTextFile(file, CRONTAB);
  const imported = await runProgram(["import", "crontab", file, "--time-zone", "Europe/Berlin"]);
  assertEquals([imported.code, imported.stderr], [0, ""]);
  await Deno.writeTextFile(`${folder.path}/cron-jobs.yaml`, imported.stdout);
  await using standalone = await Standalone.start(`${folder.path}/data`, ["--apply", `${folder.path}/cron-jobs.yaml`]);
  const { kubeconfig } = standalone;
  const { code } = await runProgram(["trigger", "printf", "--follow"], { env: { KUBECONFIG: kubeconfig } });
  assertEquals(code, 0);
  assertEquals(
    await kubectlOk(kubeconfig, ["logs", "--selector", "batch.kubernetes.io/job-name"]),
    `[  it's $(HOME) & $$  ]\none\n50% off\n${home} 2\n`,
  );
});
