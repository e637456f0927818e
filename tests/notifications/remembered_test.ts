import { assertEquals } from "@std/assert";
import { BATCH } from "../../src/cronjob/api/flavour.ts";
import { followChildren } from "../../src/cronjob/child_cache.ts";
import { JOBS } from "../../src/kube/resource.ts";
import type { RememberedRun } from "../../src/notifications/ended_run.ts";
import { RunArchive } from "../../src/run_archive/archive.ts";
import { temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";
import { KeptChannel, Notifying } from "./support/notifying.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

test("failures that a process has not reported before it died are reported by the next, though their Jobs are gone", async () => {
  await using folder = await temporaryFolder();
  const channel = new KeptChannel();
  channel.before = () => {
    throw new Error("the command cannot be called");
  };
  const dying = await Notifying.start({ channel });
  const { api, clock } = dying;
  const limits = { runsMs: 30 * DAY, logBytes: 1_000 };
  using archive = new RunArchive({ database: ":memory:", folder: `${folder.path}/logs`, clock, limits });
  const jobs = followChildren({ client: api, clock, flavours: [BATCH] });
  archive.follow(jobs);
  const stop = new AbortController();
  const running = Promise.all([jobs.run(stop.signal), archive.run(stop.signal)]);
  /** Ends Jobs, of which history keeps none. */
  const end = async (process: Notifying, ended: Record<string, "Complete" | "Failed">) => {
    for (const [name, type] of Object.entries(ended)) {
      await clock.advance(2_000);
      await process.end(api.all(BATCH.resource, "shop").at(-1)! as Parameters<Notifying["end"]>[0], name, type);
      api.remove(JOBS, { namespace: "shop", name });
      await clock.advance(100);
    }
  };
  dying.cronJob();
  await end(dying, { a: "Failed", b: "Complete", c: "Failed", d: "Failed" });
  await dying[Symbol.asyncDispose]();

  const next = await Notifying.start({ api, clock, history: archive });
  assertEquals(next.channel.inShort, ["failed 3 (2 in a row)"]);
  assertEquals(next.channel.told[0]?.jobNames, ["d", "c", "a"]);
  await clock.advance(20 * MINUTE);
  await next[Symbol.asyncDispose]();

  const third = await Notifying.start({ api, clock, history: archive });
  await clock.advance(20 * MINUTE);
  assertEquals(third.channel.inShort, [], "it is recorded");
  // A new one of the same name has nothing to do with them.
  api.remove(BATCH.resource, { namespace: "shop", name: "report" });
  await third[Symbol.asyncDispose]();
  third.cronJob();
  const fourth = await Notifying.start({ api, clock, history: archive });
  await clock.advance(20 * MINUTE);
  assertEquals(fourth.channel.inShort, []);
  await fourth[Symbol.asyncDispose]();
  stop.abort();
  await clock.advance(10_000);
  await running;
});

test("of many failures that a start finds the newest are reported, and all are counted, each once", async () => {
  const former = await Notifying.start();
  const { api, clock } = former;
  const cronJob = former.cronJob();
  await former[Symbol.asyncDispose]();
  const run = (i: number, uid = `gone-${i}`): RememberedRun => ({
    cronJob: { apiVersion: "batch/v1", namespace: "shop", name: "report" },
    createdAt: clock.now(),
    uid,
    jobName: `job-${i}`,
    outcome: "failed",
    endTime: clock.now() - (i + 1) * MINUTE,
    scheduledTime: undefined,
    byHand: false,
    reason: undefined,
    message: undefined,
  });
  // Of the oldest the Jobs are still there.
  for (const name of ["a", "b", "c"]) former.put(cronJob, name, "Failed");
  await clock.advance(200 * MINUTE);
  // As the archive has them: the newest first.
  const runs = Array.from({ length: 150 }, (_, i) => run(i));
  const uids = api.all(JOBS, "shop").map(({ metadata }) => metadata.uid);
  const again = uids.map((uid) => run(200, uid));
  const history = { failuresSince: () => [...runs, ...again], endedRunsOf: () => [] };
  const next = await Notifying.start({ api, clock, history });
  assertEquals(next.channel.inShort, ["failed 153 (153 in a row)"]);
  assertEquals(next.channel.told[0]?.jobNames.slice(0, 2), ["job-0", "job-1"]);
  assertEquals(next.channel.told[0]?.run.jobName, "job-0");
  await next[Symbol.asyncDispose]();
});
