import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { addExplainCommand } from "../../src/cli/explain/command.ts";
import { addHistoryCommand } from "../../src/cli/history/command.ts";
import { addLogsCommand } from "../../src/cli/logs/command.ts";
import { MAX_RUNS } from "../../src/view/kept_runs.ts";
import { test } from "../support/test.ts";
import { BATCH, SeededCluster, TUTORIAL } from "./support/seeded_cluster.ts";
import { KEPT_FAILURE, keptHistory } from "./support/kept_history.ts";

const GONE = "cronjob-controller: There is no CronJob old in namespace default now: its runs are remembered";

test("history, explain and logs of a CronJob that was deleted know its remembered runs, and say that it is gone", async () => {
  using archive = keptHistory([
    { ...KEPT_FAILURE, cronJob: "old" },
    { cronJob: "old", at: "09:00", outcome: "Succeeded", job: "old-2" },
  ]);
  await using cluster = await SeededCluster.start("10:20", [], { pages: archive.pages });
  const run = cluster.run.bind(cluster);
  const shown = await run(addHistoryCommand, "history", "old");
  assertEquals(shown.stderr, GONE);
  assertEquals(
    shown.stdout,
    `
TIME (UTC)            TRIGGER   START  DURATION  OUTCOME    WHY                    JOB
Tue 2026-03-10 09:00  schedule  +0s    1m        Succeeded                         old-2
Tue 2026-03-10 08:00  schedule  +0s    1m        Failed     exit 3: no such table  old-1
p50 1m, p95 1m over 2 runs that ended; 50 % of them succeeded`.slice(1),
  );
  const json = await run(addHistoryCommand, "history", "old", "--failed", "-o", "json");
  assertEquals(json.stderr, GONE);
  assertEquals(JSON.parse(json.stdout).map(({ job, why }: Record<string, string>) => [job, why]), [
    ["old-1", "exit 3: no such table"],
  ]);
  await assertRejects(
    () => run(addHistoryCommand, "history", "older"),
    Error,
    "There is no CronJob older in namespace default",
  );

  const explained = await run(addExplainCommand, "explain", "old", "--at", "08:00");
  assertEquals(explained.stderr, GONE);
  assertEquals(
    explained.stdout,
    `
old ran at Tue 2026-03-10 08:00 UTC: failed after 1m.
Why     old-1: exit 3: no such table
Since   last success Tue 2026-03-10 09:01 UTC (1h 19m ago)
Next    nothing is scheduled as things stand`.slice(1),
  );
  assertStringIncludes((await run(addExplainCommand, "explain", "old", "--job", "old-2")).stdout, "succeeded after 1m");
  await assertRejects(
    () => run(addExplainCommand, "explain", "old", "--at", "07:00"),
    Error,
    "No such run of old is remembered: history old shows those that are",
  );
  const written = await run(addLogsCommand, "logs", "old", "--run", "2h ago");
  assertEquals(written.stdout, "exit 3: no such table");
  assertEquals(written.stderr, `${GONE}\ncronjob-controller: The Pods of old-1 are gone. How it ended:`);
  await assertRejects(
    () => run(addLogsCommand, "logs", "old", "--run", "09:00"),
    Error,
    "The Job old-2 is gone, and what it wrote with it: explain old --job old-2 -n default says what is known of it",
  );
  await assertRejects(
    () => run(addLogsCommand, "logs", "old", "--run", "07:00"),
    Error,
    "old has no run of Tue 2026-03-10 07:00 UTC with a Job: history old shows the runs that are remembered",
  );
});

test("explain knows what an earlier CronJob of the name did, and says whose run it was", async () => {
  using archive = keptHistory([{ ...KEPT_FAILURE, cronJob: "again", at: "02-28 08:00", job: "again-1" }]);
  const again = { name: "again", api: BATCH };
  await using cluster = await SeededCluster.start("10:20", [again], { pages: archive.pages });
  const { stdout } = await cluster.run(addExplainCommand, "explain", "again", "--at", "2026-02-28 08:00");
  assertStringIncludes(stdout, "again ran at Sat 2026-02-28 08:00 UTC: failed after 1m.\nWhy     again-1: exit 3");
  assertStringIncludes(stdout, "?     created Sun 2026-03-01 00:00 UTC: the run is of an earlier CronJob of its name");
});

test("history, explain and logs find a run that is older than all that are handed out at once", async () => {
  const newest = Date.parse("2026-03-10T10:00:00Z");
  const minutes = Array.from({ length: MAX_RUNS }, (_, i) => new Date(newest - i * 60_000).toISOString().slice(5, 16));
  using archive = keptHistory([
    ...minutes.map((at, i) => ({
      cronJob: "busy",
      at: at.replace("T", " "),
      outcome: "Succeeded" as const,
      job: `busy-${i}`,
    })),
    { ...KEPT_FAILURE, cronJob: "busy", at: "03-01 08:00", job: "busy-old" },
  ]);
  await using cluster = await SeededCluster.start("10:20", [{ name: "busy", api: BATCH }], { pages: archive.pages });
  const ran = async (command: Parameters<typeof cluster.run>[0], name: string, ...args: string[]) =>
    (await cluster.run(command, name, ...args)).stdout;
  const failed = await ran(addHistoryCommand, "history", "busy", "--failed", "--until", "2026-03-02");
  assertStringIncludes(failed, "exit 3: no such table  busy-old");
  assertStringIncludes(failed, "over 1 run that ended; 0 % of them succeeded");
  assertStringIncludes(await ran(addExplainCommand, "explain", "busy", "--at", "2026-03-01 08:00"), "busy-old: exit 3");
  assertStringIncludes(await ran(addExplainCommand, "explain", "busy", "--job", "busy-old"), "busy-old: exit 3");
  assertEquals(await ran(addLogsCommand, "logs", "busy", "--run", "2026-03-01 08:00"), "exit 3: no such table");
  assertEquals(await ran(addLogsCommand, "logs", "busy", "--run", "busy-old"), "exit 3: no such table");
  assertStringIncludes(
    await ran(addHistoryCommand, "history", "busy"),
    "The newest 50 of at least 10001: --last shows",
  );
});

test("history without a name asks once for the remembered runs of all CronJobs, of those that are gone too", async () => {
  using archive = keptHistory([
    { ...KEPT_FAILURE, cronJob: "old" },
    { ...KEPT_FAILURE, cronJob: "sync", at: "07:00", job: "sync-1" },
    { cronJob: "sync", at: "06:00", outcome: "Succeeded", job: "sync-0" },
    { ...KEPT_FAILURE, namespace: "team", cronJob: "feed", at: "05:00", job: "feed-1" },
  ]);
  const asked: string[] = [];
  const pages: typeof archive.pages = {
    history: (request) => {
      asked.push(request.path);
      return archive.pages.history(request);
    },
  };
  const sync = { name: "sync", api: BATCH, labels: { app: "sync" } };
  await using cluster = await SeededCluster.start("10:20", [sync], { pages });
  const history = async (...args: string[]) => (await cluster.run(addHistoryCommand, "history", ...args)).stdout;
  assertEquals(
    await history("-A", "--failed", "--since", "02:00"),
    `
TIME (UTC)            CRONJOB       TRIGGER   DURATION  OUTCOME  WHY                    JOB
Tue 2026-03-10 08:00  default/old   schedule  1m        Failed   exit 3: no such table  old-1
Tue 2026-03-10 07:00  default/sync  schedule  1m        Failed   exit 3: no such table  sync-1
Tue 2026-03-10 05:00  team/feed     schedule  1m        Failed   exit 3: no such table  feed-1`.slice(1),
  );
  assertEquals(asked, ["/history/runs"]);
  const jobsOf = async (...args: string[]) =>
    JSON.parse(await history(...args, "-o", "json")).map(({ job }: { job: string }) => job);
  assertEquals(await jobsOf(), ["old-1", "sync-1", "sync-0"]);
  assertEquals(await jobsOf("-l", "app=sync"), ["sync-1", "sync-0"]);
  assertStringIncludes(await history("-A", "--last", "2"), "\nThe newest 2 of at least 3: --last shows more");
  assertStringIncludes(await history("sync", "--last", "1"), "\nThe newest 1 of 2: --last shows more\np50 1m");
});

test("history without a name shows the runs of a CronJob that is gone, where one of another API has its name", async () => {
  using archive = keptHistory([{ ...KEPT_FAILURE, cronJob: "moved", job: "moved-1" }]);
  const moved = { name: "moved", api: TUTORIAL };
  await using cluster = await SeededCluster.start("10:20", [moved], { pages: archive.pages });
  const { stdout } = await cluster.run(addHistoryCommand, "history", "-o", "json");
  assertEquals(JSON.parse(stdout).map(({ job, apiVersion }: Record<string, string>) => [job, apiVersion]), [
    ["moved-1", "batch/v1"],
  ]);
});

test("history, explain and logs of a name know the runs of a CronJob that is gone, beside one of another API", async () => {
  using archive = keptHistory([{ ...KEPT_FAILURE, cronJob: "moved", job: "moved-1" }]);
  const moved = { name: "moved", api: TUTORIAL, jobs: [{ at: "09:00", ended: "09:01" }] };
  await using cluster = await SeededCluster.start("10:20", [moved], { pages: archive.pages });
  const run = async (command: Parameters<typeof cluster.run>[0], name: string, ...args: string[]) =>
    (await cluster.run(command, name, "moved", ...args)).stdout;
  const jobs = async (...args: string[]) =>
    JSON.parse(await run(addHistoryCommand, "history", "-o", "json", ...args))
      .map(({ outcome, apiVersion }: Record<string, string>) => [outcome, apiVersion]);
  assertEquals(await jobs(), [["Succeeded", TUTORIAL.apiVersion], ["Failed", "batch/v1"]]);
  assertEquals(await jobs("--since", "08:30"), [["Succeeded", undefined]]);
  assertStringIncludes(await run(addHistoryCommand, "history"), "\nmoved (batch/v1)\nTIME");
  assertEquals((await run(addExplainCommand, "explain")).includes("(batch/v1)"), false);
  assertStringIncludes(
    await run(addExplainCommand, "explain", "--job", "moved-1"),
    "moved (batch/v1) ran at Tue 2026-03-10 08:00 UTC: failed after 1m.\nWhy     moved-1: exit 3: no such table",
  );
  assertEquals(await run(addLogsCommand, "logs", "--run", "moved-1"), "exit 3: no such table");
});
