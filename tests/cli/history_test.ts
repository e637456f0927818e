import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { addExplainCommand } from "../../src/cli/explain/command.ts";
import { addHistoryCommand } from "../../src/cli/history/command.ts";
import { addLogsCommand } from "../../src/cli/logs/command.ts";
import { must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { BATCH, SeededCluster, type SeededCronJob } from "./support/seeded_cluster.ts";

const FLEET: readonly SeededCronJob[] = [
  {
    name: "sync",
    api: BATCH,
    spec: { schedule: "*/30 * * * *", concurrencyPolicy: "Forbid" },
    jobs: [
      { at: "08:00", ended: "08:35" },
      { at: "09:00", ended: "09:01" },
      { at: "09:30", ended: "09:31", failed: true, exitCode: 3 },
      { at: "10:00", waiting: ["ImagePullBackOff", "not found"] },
    ],
    warning: ["JobAlreadyActive", "Not starting job because prior execution is running", "08:30"],
  },
  {
    name: "report",
    spec: { timeZone: "Europe/Berlin" },
    status: {
      recentRuns: [
        {
          scheduledTime: "2026-03-10T09:00:00Z",
          trigger: "Schedule",
          outcome: "Missed",
          reason: "MissSchedule",
        },
        {
          scheduledTime: "2026-03-10T08:00:00Z",
          trigger: "Schedule",
          outcome: "Succeeded",
          startTime: "2026-03-10T08:00:03Z",
          endTime: "2026-03-10T08:02:00Z",
          jobName: "report-1773129600",
        },
      ],
      lastScheduleTime: "2026-03-10T08:00:00Z",
    },
  },
  { name: "new" },
];

function history(cluster: SeededCluster, ...args: string[]) {
  return cluster.run(addHistoryCommand, "history", ...args);
}

test("history merges Jobs, records and Events, the newest first", async () => {
  await using cluster = await SeededCluster.start("10:20", FLEET);
  assertEquals(
    (await history(cluster, "sync")).stdout,
    `
TIME (UTC)            TRIGGER   START  DURATION    OUTCOME    WHY                                                     JOB
Tue 2026-03-10 10:00  schedule  +0s    20m so far  Pending    its Pod has not started: ImagePullBackOff: "not found"  sync-29552280
Tue 2026-03-10 09:30  schedule  +0s    1m          Failed     exit 3                                                  sync-29552250
Tue 2026-03-10 09:00  schedule  +0s    1m          Succeeded                                                          sync-29552220
Tue 2026-03-10 08:30  schedule                     Skipped    JobAlreadyActive
Tue 2026-03-10 08:00  schedule  +0s    35m         Succeeded                                                          sync-29552160
p50 1m, p95 35m over 3 runs that ended; 66 % of them succeeded`.slice(1),
  );
  assertEquals(
    (await history(cluster, "report")).stdout,
    `
TIME (Europe/Berlin)  TRIGGER   START  DURATION  OUTCOME    WHY           JOB
Tue 2026-03-10 10:00  schedule                   Missed     MissSchedule
Tue 2026-03-10 09:00  schedule  +3s    1m 57s    Succeeded                report-1773129600
p50 1m 57s, p95 1m 57s over 1 run that ended; 100 % of them succeeded`.slice(1),
  );
  assertEquals(
    (await history(cluster, "sync", "--failed", "--since", "09:00")).stdout,
    `
TIME (UTC)            TRIGGER   START  DURATION  OUTCOME  WHY     JOB
Tue 2026-03-10 09:30  schedule  +0s    1m        Failed   exit 3  sync-29552250
p50 1m, p95 1m over 2 runs that ended; 50 % of them succeeded`.slice(1),
  );
  assertEquals((await history(cluster, "new")).stdout, "No run is known");
  assertEquals(
    (await history(cluster, "sync", "--since", "1m ago")).stdout,
    "No such run is known: leave out --failed, --since and --until to see the others",
  );
  const beforeTen = (await history(cluster, "sync", "--since", "09:00", "--until", "09:30")).stdout;
  assertEquals(beforeTen.match(/sync-\d+/g), ["sync-29552220"]);
  await assertRejects(
    () => history(cluster, "sync", "--since", "09:00", "--until", "08:00"),
    Error,
    "--until must be after --since, current values are 08:00 and 09:00",
  );
  const json = await history(cluster, "report", "-o", "json", "--last", "1");
  assertEquals(json.stderr, "cronjob-controller: The newest 1 of 2: --last shows more");
  assertEquals(JSON.parse(json.stdout), [
    {
      scheduledTime: "2026-03-10T09:00:00Z",
      trigger: "Schedule",
      outcome: "Missed",
      reason: "MissSchedule",
      why: "MissSchedule",
    },
  ]);
});

test("history without a name says what went wrong of all CronJobs, the newest first", async () => {
  const elsewhere: SeededCronJob = {
    name: "feed",
    namespace: "team",
    jobs: [{ at: "09:45", ended: "09:46", failed: true, exitCode: 127 }],
  };
  await using cluster = await SeededCluster.start("10:20", [...FLEET, elsewhere]);
  assertEquals(
    (await history(cluster, "--failed", "--since", "yesterday", "-A")).stdout,
    `
TIME (UTC)            CRONJOB         TRIGGER   DURATION  OUTCOME  WHY                          JOB
Tue 2026-03-10 09:45  team/feed       schedule  1m        Failed   exit 127, command not found  feed-1773135900
Tue 2026-03-10 09:30  default/sync    schedule  1m        Failed   exit 3                       sync-29552250
Tue 2026-03-10 09:00  default/report  schedule            Missed   MissSchedule
Tue 2026-03-10 08:30  default/sync    schedule            Skipped  JobAlreadyActive`.slice(1),
  );
  const [newest, ...others] = JSON.parse((await history(cluster, "-n", "team", "-o", "json")).stdout);
  assertEquals([newest.namespace, newest.name, newest.why, others.length], [
    "team",
    "feed",
    "exit 127, command not found",
    0,
  ]);
  const { stdout } = await history(cluster, "-A", "--last", "1");
  assertEquals(stdout.split("\n").at(-1), "The newest 1 of 8: --last shows more");
  assertEquals((await history(cluster, "-l", "app=none")).stdout, "No run is known");
  await assertRejects(() => history(cluster, "sync", "-A"), Error, "Names need one namespace");
});

test("runs of a back-fill that started in the same second are listed as all others, the newest first", async () => {
  await using cluster = await SeededCluster.start("10:20", [{
    name: "sync",
    status: {
      recentRuns: ["2026-03-01", "2026-03-02", "2026-03-03"].map((day) => ({
        scheduledTime: `${day}T09:00:00Z`,
        trigger: "Backfill",
        outcome: "Succeeded",
        startTime: "2026-03-10T08:00:03Z",
        endTime: "2026-03-10T08:02:00Z",
        jobName: `sync-${day}`,
      })),
    },
  }]);
  const runs: { job: string }[] = JSON.parse((await history(cluster, "sync", "-o", "json")).stdout);
  assertEquals(runs.map(({ job }) => job), ["sync-2026-03-03", "sync-2026-03-02", "sync-2026-03-01"]);
});

test("history of two CronJobs of one name is one JSON text", async () => {
  const own: SeededCronJob = { name: "sync", jobs: [{ at: "09:00", ended: "09:01" }] };
  await using cluster = await SeededCluster.start("10:20", [must(FLEET[0]), own]);
  const runs: { apiVersion: string }[] = JSON.parse((await history(cluster, "sync", "-o", "json")).stdout);
  assertEquals(runs.map(({ apiVersion }) => apiVersion), [
    ...Array(5).fill("batch/v1"),
    "batch.tutorial.kubebuilder.io/v1",
  ]);
  assertEquals((await history(cluster, "sync")).stdout.split("\n")[0], "sync (batch/v1)");
});

test("history and logs say in a sentence what they cannot do", async () => {
  await using cluster = await SeededCluster.start("10:20", FLEET);
  const logs = (...args: string[]) => cluster.run(addLogsCommand, "logs", ...args);
  await assertRejects(() => history(cluster, "none"), Error, "There is no CronJob none in namespace default");
  await assertRejects(() => history(cluster, "sync", "--since", "soon"), Error, "--since must be a time such as");
  await assertRejects(() => logs("none"), Error, "There is no CronJob none in namespace default");
  await assertRejects(() => logs("new"), Error, "new has no run with a Job");
  await assertRejects(
    () => logs("sync", "--run", "09:15"),
    Error,
    "sync has no run of Tue 2026-03-10 09:15 UTC with a Job: its schedule does not name that time",
  );
  await assertRejects(
    () => logs("sync", "--run", "sync-1"),
    Error,
    "sync has no Job sync-1: history limits may have deleted it",
  );
  await assertRejects(
    () => logs("sync", "--run", "soon"),
    Error,
    "--run must be last, failed, a Job's name, or a time",
  );
  await assertRejects(() => logs("report"), Error, "The Job report-1773129600 is gone, and what it wrote with it");
});

const CLEARED: SeededCronJob = {
  name: "cleared",
  api: BATCH,
  annotations: {
    "cronjob-controller.dev/failed-jobs": "KeepUntilSuccess",
    "cronjob-controller.dev/failed-runs": JSON.stringify([{
      scheduledTime: "2026-03-10T09:00:00Z",
      trigger: "Schedule",
      startTime: "2026-03-10T09:00:00Z",
      endTime: "2026-03-10T09:01:00Z",
      outcome: "Failed",
      reason: "BackoffLimitExceeded",
      message: "Job has reached the specified backoff limit",
      jobName: "cleared-29552220",
      jobUid: "gone",
      terminated: { container: "main", exitCode: 3, reason: "Error", message: "no such table\n" },
    }]),
  },
  jobs: [{ at: "10:00", ended: "10:01" }],
};

test("history, explain and logs say how a run failed whose Job a success has removed", async () => {
  await using cluster = await SeededCluster.start("10:20", [CLEARED]);
  const why = "exit 3: no such table (its Job is gone, as failedJobs is KeepUntilSuccess)";
  assertStringIncludes((await history(cluster, "cleared", "--failed")).stdout, why);
  const explained = await cluster.run(
    addExplainCommand,
    "explain",
    "cleared",
    "--job",
    "cleared-29552220",
  );
  assertStringIncludes(explained.stdout, `cleared-29552220: ${why}`);
  const printed = await cluster.run(addLogsCommand, "logs", "cleared", "--run", "failed");
  assertEquals(printed.stdout, "no such table");
  assertEquals(
    printed.stderr,
    "cronjob-controller: The Pods of cleared-29552220 are gone. The last lines of its termination message:",
  );
});
