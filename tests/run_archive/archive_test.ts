import { assert, assertEquals } from "@std/assert";
import { addHistoryCommand } from "../../src/cli/history/command.ts";
import { addLogsCommand } from "../../src/cli/logs/command.ts";
import { addStatusCommand } from "../../src/cli/status/command.ts";
import { followChildren } from "../../src/cronjob/child_cache.ts";
import { FLAVOURS } from "../../src/cronjob/api/flavour.ts";
import type { Child } from "../../src/cronjob/api/job.ts";
import { JOBS } from "../../src/kube/resource.ts";
import type { PodLogs } from "../../src/kubelet/files/pod_directory.ts";
import { RunFiles } from "../../src/kubelet/files/run_files.ts";
import { nextNotification } from "../../src/notifications/next_notification.ts";
import { SystemClock } from "../../src/base/clock.ts";
import { type KeepLimits, RunArchive } from "../../src/run_archive/archive.ts";
import { ArchiveTables } from "../../src/run_archive/archive_tables.ts";
import { keepJob, keepReplaced } from "../../src/run_archive/job_runs.ts";
import { runOf } from "../../src/run_archive/rows.ts";
import { historyPage } from "../../src/run_archive/pages.ts";
import { type KeptRun, queryOf } from "../../src/view/kept_runs.ts";
import { BATCH, SeededCluster, type SeededCronJob, type SeededJob, time } from "../cli/support/seeded_cluster.ts";
import { world } from "../cronjob/support/world.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { eventually, temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";
import { running } from "../support/running.ts";

const DAY_MS = 86_400_000;
const LIMITS: KeepLimits = { runsMs: 30 * DAY_MS, logBytes: 1_000_000 };

/** An archive in a folder of its own, with a clock that a test moves by hand. */
class Kept implements Disposable {
  readonly folder = Deno.makeTempDirSync({ prefix: "archive-" });
  readonly clock = new FakeClock(Date.parse(time("10:00")));
  archive: RunArchive;

  constructor(readonly limits = LIMITS) {
    this.archive = this.open();
  }

  open(): RunArchive {
    const { folder, clock, limits } = this;
    return new RunArchive({ database: `${folder}/objects.sqlite`, folder: `${folder}/logs`, clock, limits });
  }

  /** As at the next start of the program. */
  reopen(): void {
    this.archive[Symbol.dispose]();
    this.archive = this.open();
  }

  /** A Pod that is gone, with what its container wrote. */
  pod(name: string, jobUid: string, text: string): PodLogs {
    const directory = `${this.folder}/pods/${name}/main`;
    Deno.mkdirSync(directory, { recursive: true });
    const files = new RunFiles(directory, 0);
    Deno.writeTextFileSync(files.log, text);
    return { pod: { namespace: "default", name, uid: name }, jobUid, runs: [{ container: "main", files }] };
  }

  read(file: string): string | undefined {
    const kept = this.archive.openLog(file);
    return kept && new TextDecoder().decode(kept.log.read(0).bytes);
  }

  files(): string[] {
    return [...Deno.readDirSync(`${this.folder}/logs`)].map(({ name }) => name).sort();
  }

  [Symbol.dispose](): void {
    this.archive[Symbol.dispose]();
    Deno.removeSync(this.folder, { recursive: true });
  }
}

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

test("history shows yesterday's runs, and logs what they wrote, after their Jobs are gone", async () => {
  using kept = new Kept();
  await using cluster = await SeededCluster.start("10:20", [SYNC], {
    pages: { history: (request) => historyPage(kept.archive)(request) },
  });
  const { client } = cluster.api;
  const { items } = await client.list(JOBS, { namespace: "default" });
  const jobs = followChildren({ client, clock: new SystemClock(), flavours: FLAVOURS });
  kept.archive.follow(jobs);
  const following = running(jobs, kept.archive);
  kept.archive.takeEvent({
    outcome: "skipped",
    cronJob: "default/sync",
    apiVersion: "batch/v1",
    timeZone: "UTC",
    scheduledTime: Date.parse(time("03-09 08:30")),
    reason: "JobAlreadyActive",
  });
  await eventually(
    "all runs are written down",
    () => Promise.resolve(kept.archive.runs({ cronJobs: ["default/sync"] }).length === 4),
  );
  const done = items.find(({ metadata }) => metadata.name === "sync-29550780")!;
  kept.archive.keepLogs(kept.pod("sync-29550780-x", done.metadata.uid, "first\nlast\n"));
  for (const { metadata: { name } } of items) {
    await client.delete(JOBS, { name, namespace: "default" }, { propagationPolicy: "Background" });
  }
  await eventually("all Jobs are gone", () => Promise.resolve(jobs.store.size === 0));
  await following[Symbol.asyncDispose]();
  kept.reopen();

  const command = cluster.run.bind(cluster);
  assertEquals(
    (await command(addHistoryCommand, "history", "sync")).stdout,
    `
TIME (UTC)            TRIGGER   START  DURATION  OUTCOME    WHY               JOB
Mon 2026-03-09 10:00  schedule  +0s              Unknown    JobDeleted        sync-29550840
Mon 2026-03-09 09:30  schedule  +0s    1m        Failed     its Pods failed   sync-29550810
Mon 2026-03-09 09:00  schedule  +0s    1m        Succeeded                    sync-29550780
Mon 2026-03-09 08:30  schedule                   Skipped    JobAlreadyActive
p50 1m, p95 1m over 2 runs that ended; 50 % of them succeeded`.slice(1),
  );
  const logs = (...args: string[]) => command(addLogsCommand, "logs", "sync", ...args);
  assertEquals((await logs("--run", "sync-29550780")).stdout, "first\nlast");
  assertEquals((await logs("--run", "2026-03-09 09:00", "--tail", "1")).stdout, "last");
  const refusal = await logs("--run", "last").catch(({ message }) => message);
  assertEquals(
    refusal,
    "The Job sync-29550840 is gone, and what it wrote with it: explain sync --job sync-29550840 -n default says what is known of it",
  );
});

test("a run whose Job was replaced is kept so, whether the news of that come before or after the Job is gone", () => {
  using tables = new ArchiveTables(":memory:");
  const { jobs } = world(BATCH, { now: "10:20", jobs: [{ time: "09:00" }, { time: "09:30" }, { time: "10:00" }] });
  const [before, after, deleted] = jobs as [Child, Child, Child];
  const keep = (type: "added" | "deleted", object: Child) => keepJob(tables, { type, object }, "JobDeleted");
  const about = { outcome: "replaced", cronJob: "default/report", apiVersion: "batch/v1", timeZone: "UTC" } as const;
  for (const job of jobs) keep("added", job);
  keepReplaced(tables, { ...about, jobName: before.metadata.name });
  keep("added", before);
  for (const job of [before, after, deleted]) keep("deleted", job);
  keepReplaced(tables, { ...about, jobName: after.metadata.name });
  const runs = tables.runs({ limit: 3 }).map((row) => runOf(row));
  assertEquals(runs.map(({ outcome, reason }) => `${outcome} ${reason}`), [
    "Unknown JobDeleted",
    "Unknown Replaced",
    "Unknown Replaced",
  ]);
});

const FLAKY: SeededCronJob = {
  name: "flaky",
  api: BATCH,
  spec: { schedule: "*/30 * * * *", failedJobsHistoryLimit: 1 },
  jobs: [
    { at: "09:00", ended: "09:01", failed: true, exitCode: 3 },
    { at: "09:30", ended: "09:31", failed: true, exitCode: 3 },
    { at: "10:00", ended: "10:01", failed: true, exitCode: 3 },
  ],
};

test("status counts failures in a row as notifications do, also those whose Jobs are gone", async () => {
  using kept = new Kept();
  await using cluster = await SeededCluster.start("10:20", [FLAKY], {
    pages: { history: (request) => historyPage(kept.archive)(request) },
  });
  const { client } = cluster.api;
  const { items } = await client.list(JOBS, { namespace: "default" });
  const jobs = followChildren({ client, clock: new SystemClock(), flavours: FLAVOURS });
  kept.archive.follow(jobs);
  const following = running(jobs, kept.archive);
  const whose = { apiVersion: "batch/v1", namespace: "default", name: "flaky" };
  await eventually("all runs are written down", () => Promise.resolve(kept.archive.endedRunsOf(whose, 0).length === 3));
  for (const { metadata: { name } } of items.sort((a, b) => a.metadata.name < b.metadata.name ? -1 : 1).slice(0, 2)) {
    await client.delete(JOBS, { name, namespace: "default" }, { propagationPolicy: "Background" });
  }
  await eventually("two Jobs are gone", () => Promise.resolve(jobs.store.size === 1));
  await following[Symbol.asyncDispose]();

  const { stdout } = await cluster.run(addStatusCommand, "status");
  assert(stdout.includes("exit 3 (3 in a row)"), stdout);
  const json = await cluster.run(addStatusCommand, "status", "-o", "json");
  assertEquals(Date.parse(JSON.parse(json.stdout)[0].since), kept.archive.endedRunsOf(whose, 0).at(-1)!.endTime);
  const [last, ...history] = kept.archive.endedRunsOf(whose, 0);
  const next = nextNotification({
    cronJob: { ...whose, uid: "u", zone: "UTC" },
    record: undefined,
    ended: [last!],
    history,
    now: last!.endTime,
    intervalMs: 0,
  });
  assertEquals(next.kind === "notify" && next.notification.failuresInARow, 3);
});

test("of the runs of a name so many of the newest are to be had, and those of one API or one Job", () => {
  using kept = new Kept({ runsMs: 100 * DAY_MS, logBytes: 0 });
  const now = kept.clock.now();
  for (let i = 0; i < 5; i++) {
    const apiVersion = i === 2 ? "batch.tutorial.kubebuilder.io/v1" : "batch/v1";
    const about = { outcome: "skipped", cronJob: "default/c", apiVersion, timeZone: "UTC" } as const;
    kept.archive.takeEvent({ ...about, scheduledTime: now + i * 60_000 });
  }
  const page = historyPage(kept.archive);
  const of = (query: string) => {
    const answer = page({ path: "/history/runs", query: new URLSearchParams(query) } as Parameters<typeof page>[0]);
    const { runs } = JSON.parse((answer as { body: string }).body);
    return runs.map(({ run }: { run: { scheduledTime: number } }) => (run.scheduledTime - now) / 60_000);
  };
  const name = "cronjob=default/c";
  assertEquals(of(name), [4, 3, 2, 1, 0]);
  assertEquals(of(`${name}&limit=2`), [4, 3]);
  assertEquals(of(`${name}&limit=3&api=batch/v1`), [4, 3, 1]);
  assertEquals(of(`${name}&limit=none`), [4, 3, 2, 1, 0]);
  assertEquals(of(`${name}&job=c-1`), []);
});

test("the newest runs are to be had of many CronJobs at once: ten, or all since the last that succeeded", async () => {
  const jobs = (count: number, failed: number) =>
    Array.from({ length: count }, (_, i): SeededJob => {
      const minute = String(10 + i);
      return { at: `09:${minute}`, ended: `09:${minute}:30`, failed: i >= count - failed };
    });
  const every = { api: BATCH, spec: { schedule: "* * * * *" } };
  using kept = new Kept();
  await using cluster = await SeededCluster.start("10:20", [
    { name: "failing", ...every, jobs: jobs(15, 13) },
    { name: "fine", ...every, jobs: jobs(15, 1) },
  ]);
  const { client } = cluster.api;
  const children = followChildren({ client, clock: new SystemClock(), flavours: FLAVOURS });
  kept.archive.follow(children);
  const following = running(children, kept.archive);
  const isWritten = (cronJob: string) => kept.archive.runs({ cronJobs: [`default/${cronJob}`] }).length === 15;
  await eventually("all are written down", () => Promise.resolve(isWritten("failing") && isWritten("fine")));
  await following[Symbol.asyncDispose]();
  const page = historyPage(kept.archive);
  const names = ["failing", "fine", "other"];
  const query = queryOf({ cronJobs: names.map((name) => `default/${name}`), recent: true });
  const answer = page({ path: "/history/runs", query } as Parameters<typeof page>[0]);
  const { runs }: { runs: KeptRun[] } = JSON.parse((answer as { body: string }).body);
  const outcomes = names.map((name) => runs.filter((run) => run.name === name).map(({ run: { outcome } }) => outcome));
  const failures = (count: number) => Array(count).fill("Failed");
  assertEquals(outcomes, [[...failures(13), "Succeeded"], [...failures(1), ...Array(9).fill("Succeeded")], []]);
});

test("a run without a Job is kept as a status records it: in whole seconds, and as missed where its deadline passed", async () => {
  using kept = new Kept();
  await kept.clock.advance(500);
  const about = { outcome: "skipped", cronJob: "default/c", apiVersion: "batch/v1", timeZone: "UTC" } as const;
  const refusedAt = kept.clock.now() - 3_000;
  kept.archive.takeEvent({ ...about, refusedAt, reason: "JobAlreadyActive" });
  kept.archive.takeEvent({ ...about, reason: "MissSchedule", scheduledTime: 0 });
  kept.archive.takeEvent({ ...about, outcome: "waits", scheduledTime: -60_000 });
  // Of many runs at once.
  kept.archive.takeEvent({ ...about, reason: "TooManyMissedTimes" });
  const runs = kept.archive.runs({ cronJobs: ["default/c"] });
  const byHand = Math.floor(refusedAt / 1_000) * 1_000;
  assertEquals(runs.map(({ run: { outcome, reason, startedAt } }) => [outcome, reason, startedAt]), [
    ["Skipped", "JobAlreadyActive", byHand],
    ["Missed", "MissSchedule", undefined],
    ["Waiting", "JobAlreadyActive", undefined],
  ]);
});

test("history is kept since its begin, and for so many days at most", async () => {
  using kept = new Kept({ runsMs: 2 * DAY_MS, logBytes: 0 });
  const begin = kept.clock.now();
  await kept.clock.advance(DAY_MS);
  assertEquals(kept.archive.watched(), { since: begin, gaps: [] });
  await kept.clock.advance(2 * DAY_MS);
  assertEquals(kept.archive.watched(), { since: begin + DAY_MS, gaps: [] });
});

test("what is too old goes, with its logs, and of logs what is too much, the oldest first", async () => {
  using kept = new Kept({ runsMs: 2 * DAY_MS, logBytes: 10_000 });
  const { archive, clock } = kept;
  const skip = (at: number) =>
    archive.takeEvent({
      outcome: "skipped",
      cronJob: "default/c",
      apiVersion: "batch/v1",
      timeZone: "UTC",
      scheduledTime: at,
    });
  const count = () => archive.runs({ cronJobs: ["default/c"] }).length;
  skip(clock.now());
  archive.keepLogs(kept.pod("a", "job-a", "a"));
  await clock.advance(DAY_MS);
  skip(clock.now());
  archive.keepLogs(kept.pod("b", "job-b", "b"));
  archive.prune();
  assertEquals([count(), kept.files()], [2, ["a_main_0.log", "b_main_0.log"]]);
  await clock.advance(1.5 * DAY_MS);
  archive.prune();
  assertEquals([count(), kept.files()], [1, ["b_main_0.log"]]);
  // Blocks on disk count: 4 kB each.
  for (const name of ["c", "d"]) {
    await clock.advance(1_000);
    archive.keepLogs(kept.pod(name, `job-${name}`, name));
  }
  assertEquals(kept.files(), ["c_main_0.log", "d_main_0.log"]);
  assertEquals([kept.read("b_main_0"), kept.read("c_main_0")], [undefined, "c"]);
});

test("an archive survives a crash between any two steps", () => {
  using kept = new Kept();
  const pod = kept.pod("p", "job", "text\n");
  kept.archive.keepLogs(pod);
  // Nothing has changed for the kubelet that asks once more, nor where a part of it was done.
  kept.archive.keepLogs(pod);
  assertEquals(kept.read("p_main_0"), "text\n");
  Deno.writeTextFileSync(`${kept.folder}/logs/unknown_main_0.log`, "no row knows it");
  Deno.removeSync(`${kept.folder}/logs/p_main_0.log`);
  kept.reopen();
  assertEquals(kept.files(), []);
  assertEquals(kept.read("p_main_0"), undefined);
});

test("a container that wrote nothing leaves nothing, and a Pod of no Job neither", () => {
  using kept = new Kept();
  kept.archive.keepLogs(kept.pod("p", "job", ""));
  kept.archive.keepLogs({ ...kept.pod("q", "", "text"), jobUid: undefined });
  assertEquals(kept.read("p_main_0"), undefined);
  assertEquals(kept.files().filter((name) => name.startsWith("q")), []);
});

test("history keeps no run from starting where it cannot write", async () => {
  await using folder = await temporaryFolder();
  const archive = new RunArchive({
    database: ":memory:",
    folder: `${folder.path}/logs`,
    clock: new FakeClock(0),
    limits: LIMITS,
  });
  archive[Symbol.dispose]();
  archive.takeEvent({
    outcome: "skipped",
    cronJob: "default/c",
    apiVersion: "batch/v1",
    timeZone: "UTC",
    scheduledTime: 0,
  });
});

test("what a container engine wrote is read without its times", async () => {
  using kept = new Kept();
  const line = (text: string) => `2026-03-10T10:00:00.000000000Z stdout F ${text}\n`;
  const logs = kept.pod("p", "job", line("one") + line("two"));
  logs.runs[0]!.files.writeIntent({ attempt: "a", bootId: "b", backOffMs: 0, startedAt: 0, runtime: "podman" });
  kept.archive.keepLogs(logs);
  await using api = await startTestApiServer({ pages: { history: historyPage(kept.archive) } });
  const read = async (query: string) => await (await api.client.raw(`/history/log?file=p_main_0_cri${query}`)).text();
  assertEquals([await read(""), await read("&tailLines=1")], ["one\ntwo\n", "two\n"]);
});

test("A folder or a file of others' beside the logs keeps nothing from starting, and stays", () => {
  using kept = new Kept();
  Deno.mkdirSync(`${kept.folder}/logs/lost+found/x`, { recursive: true });
  Deno.writeTextFileSync(`${kept.folder}/logs/notes.txt`, "mine");
  kept.reopen();
  assertEquals(kept.files(), ["lost+found", "notes.txt"]);
});
