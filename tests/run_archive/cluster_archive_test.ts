import { assert, assertEquals } from "@std/assert";
import type { CronJob } from "../../src/cronjob/api/cron_job.ts";
import { FLAVOURS, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { readCronJob, withType } from "../../src/cronjob/api/read_cron_job.ts";
import type { CronJobObject, RunRecord } from "../../src/cronjob/api/types.ts";
import { followChildren } from "../../src/cronjob/child_cache.ts";
import { JOBS } from "../../src/kube/resource.ts";
import { Informer } from "../../src/runtime/informer.ts";
import { ArchiveTables } from "../../src/run_archive/archive_tables.ts";
import { ClusterArchive } from "../../src/run_archive/cluster_archive.ts";
import { gapsIn } from "../../src/run_archive/watched.ts";
import { BATCH, SeededCluster, type SeededCronJob, time } from "../cli/support/seeded_cluster.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { eventually, temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";
import { running } from "../support/running.ts";

const DAY_MS = 86_400_000;

const SYNC: SeededCronJob = {
  name: "sync",
  api: BATCH,
  spec: { schedule: "*/30 * * * *" },
  jobs: [
    { at: "03-09 09:00", ended: "03-09 09:01" },
    { at: "03-09 09:30", ended: "03-09 09:31", failed: true, exitCode: 3 },
    { at: "03-09 10:00" },
  ],
};

function outcomesIn(database: string): Record<string, string> {
  using tables = new ArchiveTables(database);
  const rows = tables.runs({ namespace: "default", cronJob: "sync", limit: 10_000 });
  return Object.fromEntries(rows.map(({ value }) => [JSON.parse(value).job, JSON.parse(value).outcome]));
}

test("a replica keeps runs after their Jobs are gone, and names the time in which it did not watch", async () => {
  await using cluster = await SeededCluster.start("10:20", [SYNC]);
  await using folder = await temporaryFolder();
  const database = `${folder.path}/history.sqlite`;
  const { client } = cluster.api;
  const clock = new FakeClock(Date.parse(time("10:20")));
  const live = async (during: (archive: ClusterArchive, size: () => number) => Promise<void>) => {
    const jobs = followChildren({ client, clock, flavours: FLAVOURS });
    const archive = new ClusterArchive({ database, clock, jobs, runsMs: 90 * DAY_MS, bytes: 10_000_000 });
    await using _ = running(jobs, archive);
    await during(archive, () => jobs.store.size);
  };
  const remove = (name: string) =>
    client.delete(JOBS, { name, namespace: "default" }, { propagationPolicy: "Background" });
  const begin = Date.parse(time("10:20"));

  await live(async (archive, size) => {
    await eventually(
      "it watches",
      () => Promise.resolve(archive.watched().since === begin && size() === 3),
    );
    await remove("sync-29550780");
    await eventually("a Job is gone", () => Promise.resolve(size() === 2));
    await clock.advance(10 * 60_000);
  });
  await remove("sync-29550840");
  await clock.advance(10 * 60_000);
  await live(async (archive, size) => {
    await eventually(
      "it watches again",
      () => Promise.resolve(size() === 1 && archive.watched().gaps.length === 1),
    );
    await clock.advance(10 * 60_000);
    // The last mark says that all was seen until the one before it.
    const gap = { since: Date.parse(time("10:29:57.500")), until: Date.parse(time("10:40")) };
    assertEquals(archive.watched(), { since: begin, gaps: [gap] });
  });
  assertEquals(outcomesIn(database), {
    "sync-29550780": "Succeeded",
    "sync-29550810": "Failed",
    "sync-29550840": "Unknown",
  });
});

test("the oldest runs go first where the archive is too old or too large", () => {
  const folder = Deno.makeTempDirSync({ prefix: "archive-" });
  const database = `${folder}/history.sqlite`;
  const clock = new FakeClock(Date.parse(time("10:20")));
  const jobs = followChildren({ client: undefined!, clock, flavours: FLAVOURS });
  try {
    using tables = new ArchiveTables(database);
    const row = { api_version: "batch/v1", namespace: "default", cron_job: "sync", ended: 1 } as const;
    const value = (job: string) => JSON.stringify({ job, outcome: "Succeeded", message: "x".repeat(200) });
    tables.putRun({ ...row, id: "old", at: clock.now() - 91 * DAY_MS, value: value("old") });
    tables.putRun({ ...row, id: "goes on", ended: 0, at: clock.now() - 91 * DAY_MS, value: value("goes on") });
    for (let n = 0; n < 5_000; n++) {
      tables.putRun({ ...row, id: `${n}`, at: clock.now() - 5_000 + n, value: value(`${n}`) });
    }
    using archive = new ClusterArchive({ database, clock, jobs, runsMs: 90 * DAY_MS, bytes: 1_000_000 });
    tables.putWatched({ since: clock.now() - 91 * DAY_MS, until: clock.now() });
    const counts: number[] = [];
    do {
      archive.prune();
      counts.push(Object.keys(outcomesIn(database)).length);
    } while (tables.bytes() > 1_000_000);
    // So that nothing else waits for long.
    assert(counts.every((count, index) => count >= (counts[index - 1] ?? 5_002) - 1_001), counts.join(" "));
    const kept = Object.keys(outcomesIn(database));
    const oldest = Math.min(...kept.filter((job) => /^\d+$/.test(job)).map(Number));
    assertEquals(archive.watched(), { since: clock.now() - 5_000 + oldest, gaps: [] });
    assert(!kept.includes("old") && kept.includes("goes on"));
    assertEquals(kept.filter((job) => /^\d+$/.test(job)).map(Number).sort((a, b) => a - b).at(-1), 4_999);
    assertEquals(kept.length > 1_000 && !kept.includes("0"), true);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

for (
  const [name, watched, gaps] of [
    ["nothing was watched", [], [[10, 20]]],
    ["all of it was", [[5, 25]], []],
    ["a later replica began before the former ended", [[5, 15], [12, 20]], []],
    ["between two lives", [[0, 12], [14, 30]], [[12, 14]]],
    ["before, between and after", [[11, 12], [13, 14]], [[10, 11], [12, 13], [14, 20]]],
    ["one life within another", [[5, 18], [6, 7]], [[18, 20]]],
  ] as [string, [number, number][], [number, number][]][]
) {
  test(`gaps: ${name}`, () => {
    const spans = watched.map(([since, until]) => ({ since, until }));
    assertEquals(gapsIn({ since: 10, until: 20 }, spans), gaps.map(([since, until]) => ({ since, until })));
  });
}

test("a replica that stands by learns from statuses the runs that it did not see", async () => {
  const record = <T extends Partial<RunRecord>>(at: string, more: T) => ({
    scheduledTime: time(at),
    trigger: "Schedule" as const,
    ...more,
  });
  const report: SeededCronJob = {
    name: "report",
    status: {
      recentRuns: [
        record("10:00", { outcome: "Missed", reason: "MissSchedule" }),
        record("09:00", {
          outcome: "Succeeded",
          startTime: time("09:00"),
          endTime: time("09:01"),
          jobName: "report-9",
        }),
      ],
    },
  };
  await using cluster = await SeededCluster.start("10:20", [report]);
  await using folder = await temporaryFolder();
  const { client } = cluster.api;
  const clock = new FakeClock(Date.parse(time("10:20")));
  const jobs = followChildren({ client, clock, flavours: FLAVOURS });
  const cronJobs = new Informer<CronJobObject, never, CronJob>({
    client,
    clock,
    resource: TUTORIAL.resource,
    transform: (object) => readCronJob(TUTORIAL, withType(TUTORIAL, object)),
  });
  const database = `${folder.path}/history.sqlite`;
  const archive = new ClusterArchive({ database, clock, jobs, runsMs: 90 * DAY_MS, bytes: 10_000_000 });
  using _following = archive.follow(cronJobs);
  await using _running = running(jobs, cronJobs, archive);
  const outcomes = () =>
    archive.runs({ cronJobs: ["default/report"] }).map(({ run }) => [run.job ?? run.reason, run.outcome]);
  const learnt = async (count: number) => {
    await eventually(`it knows ${count} runs`, async () => {
      await clock.advance(5_000);
      return outcomes().length === count;
    });
  };
  await learnt(2);
  assertEquals(outcomes(), [["MissSchedule", "Missed"], ["report-9", "Succeeded"]]);

  // The leader refuses a run meanwhile, and says so: the status says it to all replicas.
  const skipped = record("10:30", { outcome: "Skipped", reason: "JobAlreadyActive" });
  const body = { status: { recentRuns: [skipped] } };
  const name = { namespace: "default", name: "report" };
  await client.patch(TUTORIAL.resource, name, { type: "merge", body }, { subresource: "status" });
  archive.takeEvent({
    outcome: "skipped",
    cronJob: "default/report",
    apiVersion: TUTORIAL.apiVersion,
    timeZone: "UTC",
    scheduledTime: Date.parse(time("10:31")),
    reason: "JobAlreadyActive",
  });
  await learnt(3);
  assertEquals(outcomes()[0], ["JobAlreadyActive", "Skipped"]);
  // No status of batch/v1 has a place for it.
  archive.takeEvent({
    outcome: "skipped",
    cronJob: "default/report",
    apiVersion: "batch/v1",
    timeZone: "UTC",
    scheduledTime: Date.parse(time("10:40")),
    reason: "MissSchedule",
  });
  assertEquals(outcomes().length, 4);
});

test("a replica keeps the termination message that a CronJob records of a failed run, when its Job goes", async () => {
  await using cluster = await SeededCluster.start("10:20", [SYNC]);
  const { client } = cluster.api;
  const clock = new FakeClock(Date.parse(time("10:20")));
  const jobs = followChildren({ client, clock, flavours: FLAVOURS });
  const cronJobs = new Informer<CronJobObject, never, CronJob>({
    client,
    clock,
    resource: BATCH.resource,
    transform: (object) => readCronJob(BATCH, withType(BATCH, object)),
  });
  const archive = new ClusterArchive({ database: ":memory:", clock, jobs, runsMs: 90 * DAY_MS, bytes: 10_000_000 });
  using _following = archive.follow(cronJobs);
  await using _running = running(jobs, cronJobs, archive);
  const sync = { namespace: "default", name: "sync" };
  const job = { namespace: "default", name: "sync-29550810" };
  const kept = () => archive.runs({ cronJobs: ["default/sync"], job: job.name })[0]?.run;
  const learnt = (what: string, isSo: () => boolean) =>
    eventually(what, async () => {
      await clock.advance(1_000);
      return isSo();
    });
  await learnt("the run is kept", () => kept()?.outcome === "Failed");

  const { metadata: { uid: jobUid } } = await client.get(JOBS, job);
  const failed = {
    scheduledTime: time("03-09 09:30"),
    trigger: "Schedule",
    outcome: "Failed",
    jobName: job.name,
    jobUid,
    terminated: { container: "main", exitCode: 3, reason: "Error", message: "reading\nno such table\n" },
  };
  const annotations = { "cronjob-controller.dev/failed-runs": JSON.stringify([failed]) };
  await client.patch(BATCH.resource, sync, { type: "merge", body: { metadata: { annotations } } });
  const said = () => kept()?.terminated?.message === failed.terminated.message;
  await learnt("its message is kept", said);
  await client.delete(JOBS, job, { propagationPolicy: "Background" });
  await learnt("the Job is gone", () => jobs.store.size === 2);
  await clock.advance(10_000);
  assertEquals([said(), kept()?.outcome, kept()?.message], [true, "Failed", "exit 3: no such table"]);
});
