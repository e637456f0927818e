import { assertEquals } from "@std/assert";
import { addExplainCommand } from "../../src/cli/explain/command.ts";
import { addHistoryCommand } from "../../src/cli/history/command.ts";
import { addStatusCommand } from "../../src/cli/status/command.ts";
import { BATCH, SeededCluster } from "../cli/support/seeded_cluster.ts";
import { FAILED, STUCK } from "../cli/support/seeded_fleet.ts";
import { test } from "../support/test.ts";
import { blocksOf, readPage } from "./support/pages.ts";

const SUCCESSES = ["07:00", "08:00", "09:00", "10:00"].map((at) => ({ at, ended: at.replace(":00", ":02") }));

/** What README.md shows. */
const FLEET = [{ ...STUCK, api: BATCH }, FAILED, { name: "ship", api: BATCH, jobs: SUCCESSES }];

/** Nights of two months, and what the backup said in those in which it failed, as its status keeps them. */
const NIGHTS: [day: string, message?: string][] = [
  ["03-10"],
  ["02-25", "exit 2: rsync: No space left on device"],
  ["02-24"],
  ["02-23"],
  ["02-20", "exit 12: connection reset by peer"],
  ["02-19"],
];

const BACKUP = {
  name: "backup",
  spec: { schedule: "0 2 * * *", timeZone: "Europe/Berlin", failedJobs: "KeepUntilSuccess" as const },
  status: {
    recentRuns: NIGHTS.map(([day, message]) => ({
      scheduledTime: `2026-${day}T01:00:00Z`,
      trigger: "Schedule" as const,
      outcome: message ? "Failed" as const : "Succeeded" as const,
      startTime: `2026-${day}T01:00:00Z`,
      endTime: `2026-${day}T01:04:00Z`,
      jobName: `backup-${Date.parse(`2026-${day}T01:00:00Z`) / 1_000}`,
      ...message && { message },
    })),
  },
};

/** The block of README.md of this kind. */
async function shown(info: string): Promise<string> {
  return blocksOf(await readPage("README.md")).find((block) => block.info === info)!.text.trimEnd();
}

test("README.md shows what status, explain and history print", async () => {
  await using cluster = await SeededCluster.start("10:20", FLEET);
  const { stdout: status } = await cluster.run(addStatusCommand, "status");
  await using later = await SeededCluster.start("10:20", [BACKUP]);
  const asked = ["history", "backup", "--failed", "--since", "2026-02-01", "--until", "2026-03-01"] as const;
  const { stdout: history } = await later.run(addHistoryCommand, ...asked);
  const { stdout: explain } = await cluster.run(addExplainCommand, "explain", "nightly-report");
  assertEquals(await shown("text status"), `$ cronjob-controller status\n${status}`);
  assertEquals(await shown("text explain"), `$ cronjob-controller explain nightly-report\n${explain}`);
  assertEquals(
    await shown("text history"),
    `$ cronjob-controller ${asked.join(" ")}\n${history}`,
  );
});
