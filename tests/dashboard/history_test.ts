import { assertEquals } from "@std/assert";
import { HISTORY_PAGE_COMMANDS } from "../../src/cli/shared/page_commands.ts";
import { BATCH } from "../../src/cronjob/api/flavour.ts";
import { followChildren } from "../../src/cronjob/child_cache.ts";
import type { Detail, Explained, LogMessage } from "../../src/dashboard/wire.ts";
import { JOBS } from "../../src/kube/resource.ts";
import { RunFiles } from "../../src/kubelet/files/run_files.ts";
import { RunArchive } from "../../src/run_archive/archive.ts";
import { historyPage } from "../../src/run_archive/pages.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { startTestApiServer } from "../support/api_server.ts";
import { addFailedJob, applyCronJob, linesOf, startTestDashboard } from "./support/dashboard.ts";
import { eventually, temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";

const JOB = "report-29394780";

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
  const name = { namespace: "default", cronJob: "report" };
  await eventually("it is remembered", () => Promise.resolve(archive.runsOf(name).length === 1));
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
  const logs = async (query: string) =>
    (await Array.fromAsync(linesOf<LogMessage>(await dashboard.get(`/api/logs?${query}`))))
      .map((message) => message.kind === "line" ? message.text : message.kind);
  assertEquals(await logs(`${asked}&job=${JOB}`), ["one", "two", "end"]);
  assertEquals(await logs(`${asked}&job=${JOB}&tail=1`), ["two", "end"]);
  assertEquals(await logs(`${asked}&job=report-1`), ["end"]);

  const explained: Explained = await (await dashboard.get(`/api/explain?api=batch/v1&${asked}&job=${JOB}`)).json();
  assertEquals([explained.verdict.kind, explained.lastLines], ["Failed", ["one", "two"]]);

  // What the cluster knows is shown also where what is remembered cannot be read.
  const asks: unknown[] = [];
  const history = {
    runsOf: (_: unknown, __: unknown, only: unknown) => (asks.push(only), Promise.reject(new Error("no disk"))),
    linesOf: HISTORY_PAGE_COMMANDS.history!.linesOf,
  };
  await using broken = startTestDashboard({ client, commands: { ...HISTORY_PAGE_COMMANDS, history } });
  const known = await broken.get(`/api/cronjob?api=batch/v1&${asked}`);
  assertEquals([known.status, (await known.json() as Detail).runs], [200, []]);
  assertEquals(asks, [{ api: "batch/v1", limit: "50" }]);

  // A cluster has no such thing, and is not asked for it.
  await using other = startTestDashboard({ client });
  const detail: Detail = await (await other.get(`/api/cronjob?api=batch/v1&${asked}`)).json();
  assertEquals(detail.runs, []);
});
