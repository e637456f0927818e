import { DatabaseSync } from "node:sqlite";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { openHistory } from "../../src/cli/controller/history.ts";
import { FLAVOURS, TUTORIAL } from "../../src/cronjob/api/flavour.ts";
import { readCronJob, withType } from "../../src/cronjob/api/read_cron_job.ts";
import type { CronJobObject } from "../../src/cronjob/api/types.ts";
import { type ChildCache, followChildren } from "../../src/cronjob/child_cache.ts";
import type { Child } from "../../src/cronjob/api/job.ts";
import { ArchiveTables } from "../../src/run_archive/archive_tables.ts";
import { keepJob, keepRecords } from "../../src/run_archive/job_runs.ts";
import { configureLogging } from "../../src/telemetry/logging.ts";
import { UnreachableError } from "../../src/kube/unreachable_error.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { ArchivedCluster, BEGIN } from "./support/archived_cluster.ts";

const MINUTE_MS = 60_000;

/** The lines that are logged until that is disposed of. */
function logged(): Disposable & { readonly lines: string[] } {
  const lines: string[] = [];
  configureLogging({ level: "info", format: "text", write: (line) => lines.push(line) });
  return { lines, [Symbol.dispose]: () => configureLogging({ level: "fatal", format: "json", write: () => {} }) };
}

test("a watch that goes on where it broke has missed nothing; a list anew makes a gap", async () => {
  await using cluster = new ArchivedCluster();
  const { api, clock } = cluster;
  const replica = cluster.replica();
  await replica.start();
  await clock.advance(MINUTE_MS);

  const isAway = Promise.withResolvers<void>();
  api.intercept = () => isAway.promise;
  api.endWatches(new UnreachableError("Cannot watch jobs: the connection broke"));
  await clock.advance(MINUTE_MS);
  const first = cluster.create("sync", BEGIN);
  cluster.end(first, "Failed");
  cluster.remove(first);
  assertEquals(replica.archive.watched().gaps.length, 1);
  api.intercept = undefined;
  isAway.resolve();
  await clock.advance(MINUTE_MS);
  assertEquals(replica.outcomes("sync"), { [first]: "Failed" });
  assertEquals(replica.archive.watched(), { since: BEGIN, gaps: [] });

  api.endWatches(new UnreachableError("Cannot watch jobs: the connection broke"));
  const second = cluster.create("sync", BEGIN + MINUTE_MS);
  cluster.end(second, "Failed");
  cluster.remove(second);
  api.compact();
  const broken = clock.now();
  await clock.advance(MINUTE_MS);
  assertEquals(Object.keys(replica.outcomes("sync")), [first]);
  const { gaps: [gap, ...others] } = replica.archive.watched();
  assertEquals(others, []);
  assert(
    gap!.since >= broken - 5_000 && gap!.since <= broken && gap!.until >= broken && gap!.until < broken + MINUTE_MS,
  );
});

test("a time in which nothing could be written is a gap; what is still there is filled in, and the log is not flooded", async () => {
  await using cluster = new ArchivedCluster();
  const { clock } = cluster;
  const replica = cluster.replica();
  await replica.start();
  const job = cluster.create("sync", BEGIN);
  await clock.advance(MINUTE_MS);
  using log = logged();
  const failed = clock.now();
  {
    using database = new DatabaseSync(replica.database);
    database.exec("ALTER TABLE kept_runs RENAME TO away");
    cluster.end(job, "Succeeded");
    for (let n = 1; n <= 20; n++) {
      cluster.create("sync", BEGIN + n * MINUTE_MS);
      await clock.advance(10_000);
    }
    database.exec("ALTER TABLE away RENAME TO kept_runs");
  }
  const healed = clock.now();
  await clock.advance(10_000);
  assertEquals(log.lines.length, 1, log.lines.join("\n"));
  assertMatch(log.lines[0]!, /history: Cannot keep the history of runs: no such table: kept_runs/);
  const outcomes = replica.outcomes("sync");
  assertEquals([Object.keys(outcomes).length, outcomes[job]], [21, "Succeeded"]);
  const { gaps: [gap, ...others] } = replica.archive.watched();
  assertEquals(others, []);
  assert(gap!.since >= failed - 5_000 && gap!.since <= failed && gap!.until >= healed && gap!.until <= healed + 2_500);
});

test("the ends of Jobs that went while nothing could be written are kept", async () => {
  await using cluster = new ArchivedCluster();
  const { clock } = cluster;
  const replica = cluster.replica();
  await replica.start();
  const jobs = Array.from({ length: 70 }, (_, n) => cluster.create("sync", BEGIN + n * MINUTE_MS));
  await clock.advance(10_000);
  {
    using database = new DatabaseSync(replica.database);
    database.exec("ALTER TABLE kept_runs RENAME TO away");
    for (const job of jobs) {
      cluster.end(job, "Succeeded");
      cluster.remove(job);
    }
    await clock.advance(10_000);
    database.exec("ALTER TABLE away RENAME TO kept_runs");
  }
  await clock.advance(10_000);
  assertEquals(replica.outcomes("sync"), Object.fromEntries(jobs.map((job) => [job, "Succeeded"])));
});

test("a clock that is set makes no time that was watched", async () => {
  await using cluster = new ArchivedCluster();
  const { clock } = cluster;
  const replica = cluster.replica();
  await replica.start();
  await clock.advance(MINUTE_MS);
  await clock.jump(2 * 60 * MINUTE_MS);
  await clock.advance(MINUTE_MS);
  const { since, gaps: [gap] } = replica.archive.watched();
  assertEquals(since, BEGIN);
  assert(gap!.until - gap!.since >= 2 * 60 * MINUTE_MS);
  await clock.jump(-3 * 60 * MINUTE_MS);
  await clock.advance(MINUTE_MS);
  const { since: earlier, gaps } = replica.archive.watched();
  assertEquals(gaps, []);
  assert(earlier! >= BEGIN - 60 * MINUTE_MS && earlier! < BEGIN);
});

test("the run of a Job that a deleted CronJob has left behind is kept to its end", async () => {
  await using cluster = new ArchivedCluster();
  const { clock } = cluster;
  const replica = cluster.replica();
  await replica.start();
  const job = cluster.create("sync", BEGIN);
  const foreign = cluster.create("other", BEGIN, { isForeign: true });
  await clock.advance(1_000);
  cluster.orphan(job);
  cluster.end(job, "Failed");
  await clock.advance(1_000);
  cluster.remove(job);
  cluster.remove(foreign);
  await clock.advance(1_000);
  assertEquals(replica.outcomes("sync"), { [job]: "Failed" });
  assertEquals(replica.outcomes("other"), {});
  const [kept] = replica.archive.runs({ cronJobs: ["default/sync"] });
  assertEquals(kept?.run.trigger, "Schedule");
});

test("a limit of runs is a whole number, or none", async () => {
  await using cluster = new ArchivedCluster();
  const replica = cluster.replica();
  await replica.start();
  for (let n = 0; n < 3; n++) cluster.create("sync", BEGIN + n * MINUTE_MS);
  await cluster.clock.advance(1_000);
  const counts = [2, 1.5, 0, -1, NaN, Infinity].map((limit) =>
    replica.archive.runs({ cronJobs: ["default/sync"], limit }).length
  );
  assertEquals(counts, [2, 1, 3, 3, 3, 3]);
});

test("a run that a status records before its Job is seen is one run", () => {
  using tables = new ArchiveTables(":memory:");
  const record = { scheduledTime: "2026-03-10T10:00:00Z", trigger: "Schedule", outcome: "Running", jobName: "sync-1" };
  const metadata = { namespace: "default", name: "sync", uid: "sync" };
  const cronJob = readCronJob(
    TUTORIAL,
    withType(TUTORIAL, { metadata, spec: {}, status: { recentRuns: [record] } } as unknown as CronJobObject),
  );
  const jobs = { store: { byIndex: () => [] } } as unknown as ChildCache;
  const child = {
    metadata: { namespace: "default", name: "sync-1", uid: "job" },
    owner: { flavour: TUTORIAL, uid: "sync", name: "sync" },
    state: "active",
    scheduledTime: Date.parse("2026-03-10T10:00:00Z"),
  } as Child;
  const rows = () => {
    return tables.runs({ namespace: "default", cronJob: "sync", api: TUTORIAL.apiVersion, limit: 10 })
      .map(({ id, value }) => `${id} ${JSON.parse(value).outcome}`);
  };
  keepRecords(tables, cronJob, { jobs, onlyRefused: false });
  keepJob(tables, { type: "added", object: child });
  assertEquals(rows(), ["job Running"]);
  keepRecords(tables, cronJob, { jobs, onlyRefused: false });
  assertEquals(rows(), ["job Running"]);
});

test("times that were watched are forgotten up to an instant, whichever of two lives watched it longer", () => {
  using tables = new ArchiveTables(":memory:");
  for (const [since, until] of [[0, 100], [50, 60], [120, 130]] as const) tables.putWatched({ since, until });
  tables.removeWatchedBefore(55);
  tables.removeWatchedBefore(55);
  assertEquals(tables.watched().map(({ since, until }) => [since, until]), [[55, 100], [120, 130]]);
  tables.removeWatchedBefore(110);
  assertEquals(tables.watched().length, 1);
});

for (const damage of ["a file that is no database", "a folder that cannot be made"]) {
  test(`a controller goes on without history where it finds ${damage}`, async () => {
    const folder = Deno.makeTempDirSync({ prefix: "archive-" });
    try {
      const historyDir = damage.startsWith("a file") ? folder : `${folder}/file/history`;
      Deno.writeTextFileSync(`${folder}/${damage.startsWith("a file") ? "history.sqlite" : "file"}`, "x".repeat(5_000));
      const clock = new FakeClock();
      const jobs = followChildren({ client: undefined!, clock, flavours: FLAVOURS });
      using log = logged();
      assertEquals(
        await openHistory({ historyDir, historySize: 1_000_000 }, { clock, jobs, peers: undefined }),
        undefined,
      );
      assertMatch(log.lines.join("\n"), /history: Cannot keep history in --history-dir \S+, going on without: /);
    } finally {
      Deno.removeSync(folder, { recursive: true });
    }
  });
}
