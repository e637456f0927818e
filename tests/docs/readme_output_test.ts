import { assertEquals } from "@std/assert";
import { addExplainCommand } from "../../src/cli/explain/command.ts";
import { addStatusCommand } from "../../src/cli/status/command.ts";
import { BATCH, SeededCluster } from "../cli/support/seeded_cluster.ts";
import { FAILED, STUCK } from "../cli/support/seeded_fleet.ts";
import { test } from "../support/test.ts";
import { blocksOf, readPage } from "./support/pages.ts";

const SUCCESSES = ["07:00", "08:00", "09:00", "10:00"].map((at) => ({ at, ended: at.replace(":00", ":02") }));

/** What README.md shows. */
const FLEET = [{ ...STUCK, api: BATCH }, FAILED, { name: "ship", api: BATCH, jobs: SUCCESSES }];

/** The block of README.md of this kind. */
async function shown(info: string): Promise<string> {
  return blocksOf(await readPage("README.md")).find((block) => block.info === info)!.text.trimEnd();
}

test("README.md shows what status and explain print", async () => {
  await using cluster = await SeededCluster.start("10:20", FLEET);
  const { stdout: status } = await cluster.run(addStatusCommand, "status");
  const { stdout: explain } = await cluster.run(addExplainCommand, "explain", "nightly-report");
  assertEquals(await shown("text status"), `$ cronjob-controller status\n${status}`);
  assertEquals(await shown("text explain"), `$ cronjob-controller explain nightly-report\n${explain}`);
});
