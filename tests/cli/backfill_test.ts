import { assertEquals, assertRejects } from "@std/assert";
import { addBackfillCommand } from "../../src/cli/backfill/command.ts";
import { MANAGED } from "../../src/cronjob/api/annotations.ts";
import { formatTime, parseTime } from "../../src/base/epoch_ms.ts";
import { BATCH, type Flavour, FLAVOURS, Running } from "../cronjob/support/running.ts";
import { test } from "../support/test.ts";
import { askForRefused, type Refused } from "./support/refused.ts";
import { type Printed, runCommand } from "./support/run_command.ts";
import { asRealCluster, SeededCluster, type SeededCronJob } from "./support/seeded_cluster.ts";

const SYNC: SeededCronJob = {
  name: "sync",
  spec: { timeZone: "Europe/Berlin" },
  jobs: [
    { at: "06:00", ended: "06:02" },
    { at: "07:00", ended: "07:02", failed: true },
    { at: "09:00", ended: "09:02" },
    { at: "10:00" },
  ],
};

function add(clock: Parameters<typeof addBackfillCommand>[1]) {
  return (program: Parameters<typeof addBackfillCommand>[0]) => addBackfillCommand(program, clock);
}

async function seeded(cronJob: SeededCronJob, ...args: string[]): Promise<Printed> {
  await using cluster = await SeededCluster.start("10:20", [cronJob]);
  return await run(cluster, ...args);
}

function run(cluster: SeededCluster, ...args: string[]): Promise<Printed> {
  return cluster.run(addBackfillCommand, "backfill", ...args);
}

test("backfill --dry-run says which times would be run, and which not", async () => {
  assertEquals(
    (await seeded(SYNC, "sync", "--from", "06:00", "--dry-run")).stdout,
    `
6 scheduled times: 2 ran, 1 running, 1 failed, 2 missing -> starts 2, one at a time (dry run)
TIME (Europe/Berlin)  WAS      JOB
Tue 2026-03-10 06:00  missing  sync-1773118800
Tue 2026-03-10 09:00  missing  sync-1773129600`.slice(1),
  );
  assertEquals(
    (await seeded(SYNC, "sync", "--from", "07:00", "--to", "10:00", "--reprocess", "all", "--reverse", "--dry-run"))
      .stdout
      .split("\n").map((line) => line.replace(/-r\w+$/, "-r…")),
    `
3 scheduled times: 1 ran, 1 failed, 1 missing -> starts 3, one at a time (dry run)
TIME (Europe/Berlin)  WAS        JOB
Tue 2026-03-10 09:00  missing    sync-1773129600
Tue 2026-03-10 08:00  failed     sync-1773126000-r…
Tue 2026-03-10 07:00  succeeded  sync-1773122400-r…`.slice(1).split("\n"),
  );
  assertEquals(
    (await seeded(SYNC, "sync", "--from", "09:30", "--to", "09:50", "--dry-run")).stdout,
    "0 scheduled times -> nothing to start (dry run)",
  );
});

const NIGHT: readonly SeededCronJob[] = [
  { name: "a", labels: { team: "x" }, jobs: [{ at: "10:00" }] },
  { name: "b", labels: { team: "x" }, jobs: [{ at: "06:00", ended: "06:02" }, { at: "10:00" }] },
  { name: "late", labels: { team: "y" }, spec: { schedule: "* * * * *" } },
];

test("backfill of several CronJobs sums up what it would do, and asks each", async () => {
  await using cluster = await SeededCluster.start("10:20", NIGHT);
  const range = ["--from", "today 06:00", "--to", "today 08:00"];
  assertEquals(
    (await run(cluster, "-l", "team=x", ...range, "--dry-run")).stdout,
    `
default/a: 2 scheduled times: 2 missing -> starts 2, one at a time (dry run)
TIME (UTC)            WAS      JOB
Tue 2026-03-10 06:00  missing  a-1773122400
Tue 2026-03-10 07:00  missing  a-1773126000

default/b: 2 scheduled times: 1 ran, 1 missing -> starts 1, one at a time (dry run)
TIME (UTC)            WAS      JOB
Tue 2026-03-10 07:00  missing  b-1773126000

2 CronJobs: 4 scheduled times: 1 ran, 3 missing -> starts 3, one of each at a time (dry run)`.slice(1),
  );
  const { stdout, exitCode } = await run(cluster, "-l", "team=x", ...range);
  assertEquals(
    stdout.replaceAll(/ \(back-fill .*\)/g, ""),
    `
2 CronJobs: 4 scheduled times: 1 ran, 3 missing -> starts 3, one of each at a time
a asked to run what lies from Tue 2026-03-10 06:00 UTC to Tue 2026-03-10 08:00 UTC
b asked to run what lies from Tue 2026-03-10 06:00 UTC to Tue 2026-03-10 08:00 UTC
2 CronJobs: 2 done`.slice(1),
  );
  assertEquals(exitCode, 0);
  const json: { name: string }[] = JSON.parse(
    (await run(cluster, "late", "--from", "1h", "--dry-run", "-o", "json")).stdout,
  );
  assertEquals(Array.isArray(json), false);
  assertEquals(
    (await run(cluster, "--all", "--cancel")).stdout.split("\n").at(-1),
    "3 CronJobs: 2 done, 1 as it was asked for already",
  );
});

/** What several CronJobs are refused for together: it is done to none of them. */
const NONE_OF_ALL: readonly (readonly [args: readonly string[], message: string])[] = [
  [["a", "nope", "--from", "2h"], "There is no CronJob nope in namespace default"],
  [["--all", "--from", "2d"], "There are 2976 scheduled times, of 3 CronJobs: give --yes to run them"],
  [
    ["a", "late", "--from", "2h", "--max-slots", "5"],
    "late: There are 120 scheduled times, more than --max-slots 5 allows",
  ],
  [["a", "b", "--from", "2h", "--follow"], "--follow needs one CronJob, and these are 2"],
  [
    ["a", "asked", "--from", "2h"],
    "Nothing was changed: asked: back-fill x goes on: wait for its end, or give --cancel first. Name the others, or " +
    "choose them by -l",
  ],
  [["a", "--all", "--from", "2h"], "Give either names or --all, not both"],
];

test("backfill of several CronJobs is all or nothing", async () => {
  const annotations = {
    "cronjob-controller.dev/backfill": '{"id":"x","from":"2026-03-09T00:00:00Z","to":"2026-03-09T02:00:00Z"}',
  };
  for (const [args, message] of NONE_OF_ALL) {
    const others = args.includes("asked") ? [{ name: "asked", api: BATCH, annotations }] : [];
    await using cluster = await SeededCluster.start("10:20", [...NIGHT, ...others]);
    await assertRejects(() => run(cluster, ...args), Error, message);
    assertEquals((await run(cluster, "a", "--cancel")).stdout, "a has no back-fill that goes on");
  }
});

const HOURLY = { schedule: "0 * * * *" };

/** Hours of runs that ended so, as long as the back-fill goes on. */
async function workOff(running: Running, api: Flavour, failing: readonly string[], printed: Promise<Printed>) {
  let isOver = false;
  const over = printed.finally(() => isOver = true);
  const isFailing = (slot: string | undefined) => failing.includes(formatTime(parseTime(slot)!).slice(11, 16));
  while (!isOver) {
    for (const job of await running.jobs()) {
      if (job.status?.conditions) continue;
      const slot = job.metadata.annotations?.[api.scheduledTimeAnnotation];
      await running.finish(job, isFailing(slot) ? "Failed" : "Complete").catch(() => {/* it is cleaned up */});
    }
    await running.clock.sleep(25);
  }
  return await over;
}

for (const api of FLAVOURS) {
  test(`backfill starts the Jobs that its dry run names, and --follow says how they ended (${api.controllerName})`, async () => {
    await using running = await Running.start("2026-03-10T10:20:00Z");
    await running.create(api, {
      ...HOURLY,
      successfulJobsHistoryLimit: 10,
      failedJobsHistoryLimit: 10,
      ...(api === BATCH && { suspend: true }),
    }, { annotations: api === BATCH ? { [MANAGED]: "true" } : undefined });
    const backfill = (...args: string[]) => {
      const kubeconfig = running.server.server.kubeconfigPath;
      return runCommand(add(running.clock), "backfill", "c", "--kubeconfig", kubeconfig, ...args);
    };
    const range = ["--from", "2026-03-10T06:00:00Z", "--to", "10:00", "--max-active", "2"];
    const { slots } = JSON.parse((await backfill(...range, "--dry-run", "-o", "json")).stdout);
    const { stdout, exitCode } = await workOff(running, api, ["07:00"], backfill(...range, "--follow"));
    assertEquals(
      stdout.replace(/cli-\w+-/, "cli-TIME-"),
      `
4 scheduled times: 4 missing -> starts 4, 2 at a time
c asked to run what lies from Tue 2026-03-10 06:00 UTC to Tue 2026-03-10 10:00 UTC (back-fill cli-TIME-kubernetes-admin)
c back-fill completed: 4 of 4 done: 3 succeeded, 1 failed`.slice(1),
    );
    assertEquals(exitCode, 1);
    const started = (await running.jobs()).map(({ metadata }) => metadata.name).sort();
    assertEquals(started, slots.map(({ jobName }: { jobName: string }) => jobName).sort());
    assertEquals((await backfill("--cancel")).stdout, "c has no back-fill that goes on");
    running.clock.set("2026-03-10T10:21:00Z");
    const again = await workOff(running, api, [], backfill(...range, "--reprocess", "failed", "--follow"));
    assertEquals(again.stdout.split("\n").at(-1), "c back-fill completed: 4 of 4 done: 1 succeeded, 3 had run before");
    assertEquals(again.exitCode, 0);
  });
}

test("backfill --cancel stops the one that goes on, which another does not", async () => {
  await using cluster = await SeededCluster.start("10:20", [SYNC]);
  const backfill = (...args: string[]) => run(cluster, "sync", ...args);
  await backfill("--from", "06:00");
  const id = "cli-20260310T102000Z-kubernetes-admin";
  await assertRejects(
    () => backfill("--from", "07:00"),
    Error,
    `sync: back-fill ${id} goes on: wait for its end, or give --cancel first`,
  );
  assertEquals(
    (await backfill("--cancel", "--dry-run")).stdout,
    "sync back-fill cancelled; what it has started goes on (dry run)",
  );
  assertEquals((await backfill("--cancel")).stdout, "sync back-fill cancelled; what it has started goes on");
  assertEquals((await backfill("--cancel")).stdout, "sync has no back-fill that goes on");
});

const MINUTELY: SeededCronJob = { name: "minutely", spec: { schedule: "* * * * *" } };

const WRONG: readonly Refused[] = [
  ["nope --from 2d", "There is no CronJob nope in namespace default"],
  ["sync --from soon", "--from must be a time such as 02:00"],
  [
    "sync --from 2027-01-01T00:00:00Z",
    "--from must lie in the past, 2027-01-01T00:00:00Z is Fri 2027-01-01 01:00 Europe/Berlin",
  ],
  [
    "sync --from 08:00 --to 07:00",
    "--to must lie after --from, they are Tue 2026-03-10 07:00 Europe/Berlin and Tue 2026-03-10 08:00 Europe/Berlin",
  ],
  ["minutely --from 2d", "There are 2880 scheduled times: give --yes to run them"],
  ["minutely --from 2d --max-slots 2000 --yes", "There are 2880 scheduled times, more than --max-slots 2000 allows"],
  [
    "minutely --from 90d --yes",
    "There are more than 100000 scheduled times, more than a back-fill can have: give a shorter range",
  ],
  ["native --from 2d", "native: kube-controller-manager runs it, which knows no back-fills"],
];

test("backfill says in a sentence what is wrong", async (context) => {
  using _real = asRealCluster();
  await using cluster = await SeededCluster.start("10:20", [SYNC, MINUTELY, { name: "native", api: BATCH }]);
  await askForRefused(context, WRONG, (...args) => run(cluster, ...args));
});

test("backfill of more than 1000 scheduled times is asked for with --yes", async () => {
  const { stdout } = await seeded(MINUTELY, "minutely", "--from", "2d", "--yes", "--dry-run");
  assertEquals(stdout.split("\n").length, 2 + 2880);
  const asked = await seeded(MINUTELY, "minutely", "--from", "2d", "--dry-run");
  assertEquals([asked.stdout, asked.exitCode], [stdout, 0]);
  assertEquals(asked.stderr, "cronjob-controller: There are 2880 scheduled times: give --yes to run them");
});

test("what the schedule itself may still start is left to it", async () => {
  const suspended: SeededCronJob = {
    name: "sync",
    spec: { suspend: true },
    status: { lastScheduleTime: "2026-03-10T08:00:00Z" },
  };
  assertEquals(
    (await seeded(suspended, "sync", "--from", "08:00", "--dry-run")).stdout,
    `
3 scheduled times: 3 missing -> starts 1, one at a time; leaves 2 to the schedule (dry run)
TIME (UTC)            WAS      JOB
Tue 2026-03-10 08:00  missing  sync-1773129600
Tue 2026-03-10 09:00  missing  waits: the schedule itself may still start it
Tue 2026-03-10 10:00  missing  waits: the schedule itself may still start it`.slice(1),
  );
});
