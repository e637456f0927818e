import { assertEquals } from "@std/assert";
import { HISTORY_PAGE_COMMANDS } from "../../src/cli/shared/page_commands.ts";
import { BATCH } from "../../src/cronjob/api/flavour.ts";
import type { KeptHistory } from "../../src/dashboard/commands.ts";
import { followChildren } from "../../src/cronjob/child_cache.ts";
import type { Calendar, Detail, Explained, LogMessage, Row, RowsMessage } from "../../src/dashboard/wire.ts";
import { EVENTS, JOBS } from "../../src/kube/resource.ts";
import { RunFiles } from "../../src/kubelet/files/run_files.ts";
import { RunArchive } from "../../src/run_archive/archive.ts";
import { historyPage } from "../../src/run_archive/pages.ts";
import { SystemClock } from "../../src/base/clock.ts";
import type { RunView } from "../../src/view/cron_job_view.ts";
import type { KeptRun, RunsAsked } from "../../src/view/kept_runs.ts";
import type { Watched } from "../../src/view/watched.ts";
import { SeededCluster } from "../cli/support/seeded_cluster.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { addFailedJob, applyCronJob, linesOf, startTestDashboard, type TestDashboard } from "./support/dashboard.ts";
import { must } from "../support/expected.ts";
import { eventually, temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";

const JOB = "report-29394780";

/** The first row that `isIt`. */
async function rowUntil(dashboard: TestDashboard, isIt: (row: Row) => boolean): Promise<Row> {
  for await (const message of linesOf<RowsMessage>(await dashboard.get("/api/rows"))) {
    const row = message.kind === "rows" ? message.rows.find(isIt) : undefined;
    if (row) return row;
  }
  throw new Error("there is no such row");
}

test("the page of a CronJob shows runs that are remembered after their Jobs, with what they wrote", async () => {
  await using folder = await temporaryFolder();
  const clock = new SystemClock();
  using archive = new RunArchive({
    database: ":memory:",
    folder: `${folder.path}/logs`,
    clock,
    limits: { runsMs: 20_000 * 86_400_000, logBytes: 1_000_000 },
  });
  await using api = await startTestApiServer({ ephemeral: true, pages: { history: historyPage(archive) } });
  const { client } = api;
  await applyCronJob(client, { name: "report" });
  await addFailedJob(client, "report");
  const jobs = followChildren({ client, clock, flavours: [BATCH] });
  const stop = new AbortController();
  archive.follow(jobs);
  const running = Promise.all([jobs.run(stop.signal), archive.run(stop.signal)]);
  await eventually(
    "it is remembered",
    () => Promise.resolve(archive.runs({ cronJobs: ["default/report"] }).length === 1),
  );
  const { metadata: { uid } } = await client.get(JOBS, { namespace: "default", name: JOB });
  await Deno.mkdir(`${folder.path}/pod`);
  // The container was started twice.
  for (const [restartCount, text] of ["first\n", "one\ntwo\n"].entries()) {
    const files = new RunFiles(`${folder.path}/pod`, restartCount);
    await Deno.writeTextFile(files.log, text);
    const pod = { namespace: "default", name: "report-x", uid: "x" };
    archive.keepLogs({ pod, jobUid: uid, runs: [{ container: "main", files }] });
  }
  await client.delete(JOBS, { namespace: "default", name: JOB }, { propagationPolicy: "Background" });
  await eventually("the Job is gone", () => Promise.resolve(jobs.store.size === 0));
  stop.abort();
  await running;

  await using dashboard = startTestDashboard({ client, commands: HISTORY_PAGE_COMMANDS });
  const asked = "namespace=default&name=report";
  const { runs }: Detail = await (await dashboard.get(`/api/cronjob?api=batch/v1&${asked}`)).json();
  assertEquals(runs.map(({ job, outcome }) => [job, outcome]), [[JOB, "Failed"]]);
  const from = Date.now() - 30 * 86_400_000;
  const calendar: Calendar = await (await dashboard.get(
    `/api/calendar?api=batch/v1&${asked}&from=${from}&to=${Date.now()}`,
  )).json();
  // Since the archive began: before, there may have been others.
  const days = (Date.now() - must(calendar.knownSince)) / 86_400_000;
  assertEquals(Math.round(days), 0);
  const remembered = await rowUntil(dashboard, ({ lastRuns }) => lastRuns.length > 0);
  assertEquals(remembered.lastRuns.map(({ job, outcome }) => [job, outcome]), [[JOB, "Failed"]]);
  const logs = async (query: string) =>
    (await Array.fromAsync(linesOf<LogMessage>(await dashboard.get(`/api/logs?${query}`))))
      .map((message) => message.kind === "line" ? message.text : message.kind);
  assertEquals(await logs(`${asked}&job=${JOB}`), ["one", "two", "end"]);
  assertEquals(await logs(`${asked}&job=${JOB}&tail=1`), ["two", "end"]);
  assertEquals(await logs(`${asked}&job=report-1`), ["end"]);

  const explained: Explained = await (await dashboard.get(`/api/explain?api=batch/v1&${asked}&job=${JOB}`)).json();
  assertEquals([explained.verdict.kind, explained.lastLines], ["Failed", ["one", "two"]]);

  // What the cluster knows is shown also where what is remembered cannot be read.
  const asks: RunsAsked[] = [];
  const history = {
    ...HISTORY_PAGE_COMMANDS.history!,
    runs: (_: unknown, asked: RunsAsked) => (asks.push(asked), Promise.reject(new Error("no disk"))),
    watched: () => Promise.reject(new Error("no disk")),
  };
  await using broken = startTestDashboard({ client, commands: { ...HISTORY_PAGE_COMMANDS, history } });
  const known = await broken.get(`/api/cronjob?api=batch/v1&${asked}`);
  assertEquals([known.status, (await known.json() as Detail).runs], [200, []]);
  // The list of rows may have asked by then, too.
  assertEquals(asks.filter(({ recent }) => !recent), [{ cronJobs: ["default/report"], api: "batch/v1", limit: 50 }]);

  // A cluster has no such thing, and is not asked for it.
  await using other = startTestDashboard({ client });
  const detail: Detail = await (await other.get(`/api/cronjob?api=batch/v1&${asked}`)).json();
  assertEquals(detail.runs, []);
});

/** A run at a minute of the day that took 30 seconds, as it is kept. */
function keptRun(minute: number, outcome: "Succeeded" | "Failed"): KeptRun {
  const at = DAY + minute * 60_000;
  const run: RunView = {
    scheduledTime: at,
    trigger: "Schedule",
    outcome,
    reason: outcome === "Failed" ? "BackoffLimitExceeded" : undefined,
    job: `report-${at / 60_000}`,
    startedAt: at,
    endedAt: at + 30_000,
  };
  return { apiVersion: "batch/v1", namespace: "default", name: "report", run, logs: [] };
}

const DAY = Date.parse("2026-03-10T00:00:00Z");

test("a row of batch/v1 shows since when it fails, how often, and its last runs, though their Jobs are gone", async () => {
  const failed = { at: "10:00", ended: "10:00:30", failed: true };
  const fleet = [{ name: "report", api: BATCH, spec: { schedule: "* * * * *" }, jobs: [failed] }];
  await using cluster = await SeededCluster.start("10:01", fleet);
  const { api: { client }, clock } = cluster;
  const kept = [...Array.from({ length: 60 }, (_, i) => keptRun(600 - i, "Failed")), keptRun(540, "Succeeded")];
  const asked: unknown[] = [];
  const history: KeptHistory = {
    ...HISTORY_PAGE_COMMANDS.history!,
    runs: (_client, about) => (asked.push(about), Promise.resolve(kept)),
  };
  await using dashboard = startTestDashboard({ client, clock, commands: { ...HISTORY_PAGE_COMMANDS, history } });
  const rows: Row[] = [];
  const reading = (async () => {
    for await (const message of linesOf<RowsMessage>(await dashboard.get("/api/rows"))) {
      if (message.kind === "rows") rows.push(...message.rows);
      if ((rows.at(-1)?.lastRuns.length ?? 0) > 1) break;
    }
  })();
  await eventually("what is remembered is shown", async () => {
    await clock.advance(500);
    return (rows.at(-1)?.lastRuns.length ?? 0) > 1;
  });
  await reading;
  const row = must(rows.at(-1));
  assertEquals([row.state, row.since, row.failuresInARow], [
    "Failing",
    must(kept[59]).run.endedAt,
    { count: 60, atLeast: false },
  ]);
  assertEquals(row.lastRuns.map(({ outcome }) => outcome), Array(10).fill("Failed"));
  assertEquals(row.lastSuccess, undefined);
  assertEquals(asked, [{ cronJobs: ["default/report"], recent: true }]);
});

/** The run of the night so many days after 10 March, as it is kept. */
function nightly(day: number, outcome: "Succeeded" | "Failed"): KeptRun {
  const { run, ...kept } = keptRun(day * 1_440 + 120, outcome);
  return { ...kept, run: { ...run, message: outcome === "Failed" ? `no space on day ${day}` : undefined } };
}

/** A page of a CronJob `report` of 10 March, 10:01, that remembers what is given. */
async function pageThatRemembers(kept: readonly KeptRun[], watched: Watched) {
  const stack = new AsyncDisposableStack();
  const fleet = [{ name: "report", api: BATCH, spec: { schedule: "0 2 * * *", startingDeadlineSeconds: 600 } }];
  const { api: { client }, clock } = stack.use(await SeededCluster.start("10:01", fleet));
  const history: KeptHistory = {
    ...HISTORY_PAGE_COMMANDS.history!,
    runs: (_client, { since = 0, until = Infinity, job, limit }) =>
      Promise.resolve(
        kept.filter(({ run: { scheduledTime = 0 } }) => since <= scheduledTime && scheduledTime <= until)
          .filter(({ run }) => job === undefined || run.job === job).slice(0, limit),
      ),
    watched: () => Promise.resolve(watched),
  };
  const dashboard = stack.use(startTestDashboard({ client, clock, commands: { ...HISTORY_PAGE_COMMANDS, history } }));
  const ask = async <T>(what: string, ...span: [from?: number, to?: number]): Promise<T> => {
    const [from, to] = span;
    const query = `api=batch/v1&namespace=default&name=report${from === undefined ? "" : `&from=${from}&to=${to}`}`;
    return await (await dashboard.get(`/api/${what}?${query}`)).json();
  };
  const explain = async (about: Readonly<Record<string, string>>): Promise<Explained> => {
    const query = new URLSearchParams({ api: "batch/v1", namespace: "default", name: "report", ...about });
    return await (await dashboard.get(`/api/explain?${query}`)).json();
  };
  return { client, ask, explain, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

const ONE_DAY = 86_400_000;

test("the page reads the outcomes of a month, and what the runs of a day said, gaps named, to the full depth", async () => {
  const kept = [-19, -20, -21, -23, -80].map((day) =>
    nightly(day, day === -21 || day === -80 ? "Failed" : "Succeeded")
  );
  const gap = { since: DAY - 22.5 * ONE_DAY, until: DAY - 21.5 * ONE_DAY };
  const watched = { since: DAY - 90 * ONE_DAY, gaps: [{ since: DAY - 60 * ONE_DAY, until: DAY - 59 * ONE_DAY }, gap] };
  await using page = await pageThatRemembers(kept, watched);
  const calendar = await page.ask<Calendar>("calendar", DAY - 30 * ONE_DAY, DAY);
  assertEquals(calendar.runs, kept.slice(0, 4).map(({ run }) => [run.scheduledTime!, run.outcome] as const));
  assertEquals([calendar.gaps, calendar.knownSince, calendar.cutAt], [
    [[gap.since, gap.until]],
    watched.since,
    undefined,
  ]);
  const day = (day: number) => page.ask<Detail>("cronjob", DAY + day * ONE_DAY, DAY + (day + 1) * ONE_DAY - 1);
  for (const failed of [-21, -80]) {
    const { runs, runsNote } = await day(failed);
    assertEquals([runs.map(({ outcome, why }) => [outcome, why]), runsNote], [
      [["Failed", `no space on day ${failed}`]],
      undefined,
    ]);
  }
  const unwatched = await day(-22);
  assertEquals([unwatched.runs, unwatched.watched], [[], { since: watched.since, gaps: [gap] }]);
});

test("of many runs of a day those are listed that did not succeed, and a month of too many is read in parts", async () => {
  const minutes = Array.from({ length: 9_000 }, (_, i) => keptRun(-i, i % 1_000 === 999 ? "Failed" : "Succeeded"));
  await using page = await pageThatRemembers(minutes, { since: DAY - 90 * ONE_DAY, gaps: [] });
  const [from, to] = [DAY - 20 * ONE_DAY, DAY];
  const parts = [await page.ask<Calendar>("calendar", from, to)];
  for (const _ of [1, 2]) parts.push(await page.ask<Calendar>("calendar", from, must(parts.at(-1)?.cutAt)));
  assertEquals(parts.map(({ runs, cutAt }) => [runs.length, cutAt]), [
    [4_000, DAY - 3_999 * 60_000],
    [4_000, DAY - 7_998 * 60_000],
    [1_002, undefined],
  ]);
  const day = await page.ask<Detail>("cronjob", DAY - ONE_DAY, DAY - 1);
  assertEquals([day.runs.map(({ outcome }) => outcome), day.runsNote], [
    ["Failed"],
    "The list leaves out runs that succeeded.",
  ]);
  const newest = await page.ask<Detail>("cronjob");
  assertEquals([newest.runs.length, newest.runsNote], [
    50,
    "The newest 50 are listed: the calendar leads to older ones.",
  ]);
  const month = await page.ask<Detail>("cronjob", from, to);
  assertEquals([month.runs.length, month.runsNote], [
    4,
    "The list leaves out runs that succeeded, and runs before Sat 2026-03-07 05:21.",
  ]);
});

test("a run is explained however many newer ones are remembered, by its Job and by its time", async () => {
  const kept = Array.from({ length: 70 }, (_, i) => nightly(-i, i === 60 ? "Failed" : "Succeeded"));
  await using page = await pageThatRemembers(kept, { since: DAY - 90 * ONE_DAY, gaps: [] });
  const { job, scheduledTime } = must(kept[60]).run;
  for (const about of [{ job: must(job) }, { at: new Date(must(scheduledTime)).toISOString() }]) {
    const { verdict, run } = await page.explain(about);
    assertEquals([verdict.kind, run?.job, run?.message], ["Failed", job, "no space on day -60"]);
  }
});

test("a time that was skipped is so in the list, in the calendar, and where it is explained", async () => {
  await using page = await pageThatRemembers([], { since: DAY - 90 * ONE_DAY, gaps: [] });
  const scheduledTime = DAY + 120 * 60_000;
  const at = new Date(scheduledTime).toISOString();
  const { apiVersion, metadata: { uid } } = await page.client.get(BATCH.resource, {
    namespace: "default",
    name: "report",
  });
  await page.client.create(EVENTS, {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: "report.skipped", namespace: "default" },
    involvedObject: { apiVersion, kind: "CronJob", name: "report", namespace: "default", uid },
    type: "Normal",
    reason: "JobAlreadyActive",
    message: "Not starting job because prior execution is running and concurrency policy is Forbid",
    count: 1,
    firstTimestamp: at,
    lastTimestamp: at,
  });
  const { runs } = await page.ask<Detail>("cronjob");
  const calendar = await page.ask<Calendar>("calendar", DAY, DAY + ONE_DAY - 1);
  const { verdict } = await page.explain({ at });
  assertEquals([runs.map(({ outcome }) => outcome), calendar.runs, verdict.kind], [
    ["Skipped"],
    [[scheduledTime, "Skipped"]],
    "Skipped",
  ]);
});
