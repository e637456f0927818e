import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { addStatusCommand } from "../../src/cli/status/command.ts";
import type { RunRecord } from "../../src/cronjob/api/types.ts";
import { JOBS, LEASES } from "../../src/kube/resource.ts";
import { temporaryFolder } from "../support/program.ts";
import { startSlowFront } from "../support/slow_front.ts";
import { test } from "../support/test.ts";
import { askForRefused, type Refused } from "./support/refused.ts";
import { type Printed, runCommand } from "./support/run_command.ts";
import { startAna } from "./support/ana.ts";
import { Watching } from "./support/watching.ts";
import { asRealCluster, BATCH, SeededCluster, type SeededCronJob, time, TUTORIAL } from "./support/seeded_cluster.ts";

function status(cluster: SeededCluster, ...args: string[]): Promise<Printed> {
  return cluster.run(addStatusCommand, "status", ...args);
}

const CRON_JOBS = ["cronjobs.batch", "cronjobs.batch.tutorial.kubebuilder.io"];
const SUCCESSES = ["06:00", "07:00", "08:00"].map((at) => ({ at, ended: at.replace(":00", ":02") }));

const FLEET: readonly SeededCronJob[] = [
  { name: "fine", jobs: [...SUCCESSES, { at: "09:00", ended: "09:02" }, { at: "10:00", ended: "10:02" }] },
  { name: "running", api: BATCH, jobs: [{ at: "10:00" }] },
  {
    name: "stuck",
    spec: { concurrencyPolicy: "Forbid", timeZone: "Europe/Berlin" },
    jobs: [{ at: "09:00", waiting: ["ImagePullBackOff", 'Back-off pulling image "report:1.9"'] }],
  },
  {
    name: "broken",
    api: BATCH,
    spec: { schedule: "*/30 * * * *" },
    jobs: [{ at: "09:30", ended: "09:31" }, { at: "10:00", ended: "10:01", failed: true, exitCode: 3 }],
  },
  {
    name: "refused",
    namespace: "infra",
    status: { lastScheduleTime: "2026-03-10T09:00:00Z" },
    warning: ["FailedCreate", "Error creating job: exceeded quota: pods=50", "10:00"],
  },
  {
    name: "vacuum",
    namespace: "infra",
    spec: { schedule: "0 8 * * 1", pause: { until: "2026-03-13T08:00:00Z", reason: "migration" } },
  },
];

test("status says how CronJobs are, worst first", async () => {
  await using cluster = await SeededCluster.start("10:20", FLEET);
  assertEquals(
    (await status(cluster, "-A")).stdout,
    `
NAMESPACE  NAME     API                               STATE    SINCE   LAST RUNS       LAST OK  NEXT                                          WHY
default    stuck    batch.tutorial.kubebuilder.io/v1  Blocked  20m     pend                     12:00 Europe/Berlin (40m)                     waits for stuck-1773133200: its Pod has not started: ImagePullBackOff: Back-off pulling image "report:1.9"; starts when it ends, unless a later time comes first (concurrencyPolicy Forbid)
default    broken   batch/v1                          Failing  19m     ok FAIL         49m      10:30 UTC (10m)                               exit 3 (at least 1 in a row)
infra      refused  batch.tutorial.kubebuilder.io/v1  Overdue  20m                              11:00 UTC (40m)                               Error creating job: exceeded quota: pods=50
infra      vacuum   batch.tutorial.kubebuilder.io/v1  Paused   9d 10h                           Fri 08:00 UTC (2d 21h), the run of Mon 08:00  migration, until Fri 2026-03-13 08:00 UTC
default    running  batch/v1                          Running  20m     run                      11:00 UTC (40m)
default    fine     batch.tutorial.kubebuilder.io/v1  Waiting          ok ok ok ok ok  18m      11:00 UTC (40m)`.slice(
      1,
    ),
  );
  assertEquals(
    (await status(cluster, "-o", "name")).stdout,
    `
cronjob.batch.tutorial.kubebuilder.io/stuck
cronjob.batch/broken
cronjob.batch/running
cronjob.batch.tutorial.kubebuilder.io/fine`.slice(1),
  );
  assertEquals(
    (await status(cluster, "fine", "-o", "wide")).stdout,
    `
NAME  STATE    LAST RUNS       LAST OK  NEXT             SCHEDULE   P50  P95
fine  Waiting  ok ok ok ok ok  18m      11:00 UTC (40m)  0 * * * *  2m   2m`.slice(1),
  );
  const [view] = JSON.parse((await status(cluster, "broken", "-o", "json")).stdout);
  assertEquals(view, {
    apiVersion: "batch/v1",
    runner: {
      by: "cronjob-controller",
      leads: "yes",
      why: "standalone leads (Lease default/cronjob-controller)",
    },
    notes: [],
    namespace: "default",
    name: "broken",
    schedule: "*/30 * * * *",
    zone: "UTC",
    state: "Failing",
    needsAttention: true,
    since: "2026-03-10T10:01:00Z",
    cause: { reason: "Error", message: "exit 3", job: "broken-29552280" },
    active: [],
    lastRuns: [
      {
        scheduledTime: "2026-03-10T10:00:00Z",
        trigger: "Schedule",
        outcome: "Failed",
        reason: "BackoffLimitExceeded",
        job: "broken-29552280",
        startedAt: "2026-03-10T10:00:00Z",
        endedAt: "2026-03-10T10:01:00Z",
        durationSeconds: 60,
      },
      {
        scheduledTime: "2026-03-10T09:30:00Z",
        trigger: "Schedule",
        outcome: "Succeeded",
        job: "broken-29552250",
        startedAt: "2026-03-10T09:30:00Z",
        endedAt: "2026-03-10T09:31:00Z",
        durationSeconds: 60,
      },
    ],
    lastSuccess: "2026-03-10T09:31:00Z",
    failuresInARow: { count: 1, atLeast: true },
    nextRun: {
      kind: "known",
      scheduledTime: "2026-03-10T10:30:00Z",
      startsAt: "2026-03-10T10:30:00Z",
      expected: "Start",
    },
    durations: { runs: 2, p50Seconds: 60, p95Seconds: 60 },
    actions: [{ do: "ReadLogs", job: "broken-29552280" }, { do: "RunNow" }],
  });
});

test("status --check exits with 1 if anything needs attention", async () => {
  await using cluster = await SeededCluster.start("10:20", FLEET);
  assertEquals((await status(cluster, "-A", "--check")).exitCode, 1);
  assertEquals((await status(cluster, "fine", "running", "--check")).exitCode, 0);
});

test("status shows all where they are few, so that a first look is not of nothing", async () => {
  const few = Array.from({ length: 24 }, (_, i) => ({ name: `c${i}` }));
  await using cluster = await SeededCluster.start("03-01 00:00:30", few);
  assertEquals((await status(cluster)).stdout.split("\n").length, 25);
});

test("status counts those that are fine where there are many", async () => {
  const many = Array.from({ length: 50 }, (_, i) => ({ name: `c${i}`, labels: { half: String(i % 2) } }));
  const paused = { name: "paused", spec: { pause: {} } };
  await using cluster = await SeededCluster.start("03-01 00:00:30", [...many, paused]);
  assertEquals(
    (await status(cluster)).stdout,
    `
NAME    STATE   SINCE  WHY
paused  Paused  30s    spec.pause is set
1 shown of 51; 50 are fine: 50 waiting (status --all)`.slice(1),
  );
  assertEquals((await status(cluster, "--all")).stdout.split("\n").length, 52);
  assertEquals((await status(cluster, "-l", "half=0")).stdout.split("\n").length, 26);
});

test("status says the same of those that it shows whether it reads all Jobs or not", async () => {
  const many = Array.from({ length: 55 }, (_, i): SeededCronJob => ({
    name: `c${i}`,
    api: BATCH,
    jobs: [{ at: "09:00", ended: "09:02" }, { at: "10:00", ended: "10:02", failed: i === 3 }],
  }));
  const mended: SeededCronJob = {
    name: "mended",
    api: BATCH,
    jobs: [{ at: "09:00", ended: "09:02", failed: true }, { at: "10:00", ended: "10:02" }],
    status: { lastSuccessfulTime: time("10:02") },
  };
  // Its controller died before it could record the run.
  const unrecorded: SeededCronJob = { ...many[0], name: "unrecorded", status: { lastScheduleTime: time("09:00") } };
  const pending: SeededCronJob = {
    name: "pending",
    api: BATCH,
    spec: { schedule: "18 * * * *" },
    jobs: [{ at: "09:18", ended: "09:20" }, { at: "10:18", waiting: ["ImagePullBackOff", "no such image"] }],
  };
  const suspicious: SeededCronJob = {
    name: "suspicious",
    spec: { expect: { minimumDurationSeconds: 300 } },
    jobs: [{ at: "10:00", ended: "10:02" }],
  };
  const troubled = [mended, unrecorded, pending, suspicious];
  await using cluster = await SeededCluster.start("10:20", [...FLEET, ...many, ...troubled]);
  const all = (await status(cluster, "-A", "--all")).stdout.split("\n").map(words);
  const shown = (await status(cluster, "-A")).stdout.split("\n").map(words);
  assertEquals(shown.at(-1), "7 shown of 65; 58 are fine: 1 running, 57 waiting (status --all)");
  assertEquals(shown.slice(0, -1), all.slice(0, 8));
});

function words(line: string): string {
  return line.replaceAll(/ +/g, " ");
}

/** Ana may not look who leads. */
const LEADER = [
  "get leases.coordination.k8s.io in cronjob-controller-system",
  "list leases.coordination.k8s.io in all",
];

test("status --watch prints what has changed, and goes on where a CronJob that is named is gone", async () => {
  await using ana = await startAna("default", [], FLEET);
  ana.may = () => true;
  const { api: { client }, clock } = ana.cluster;
  await using watching = new Watching(() =>
    ana.runAll(addStatusCommand, "status", "--watch", "fine", "running", "-o", "name")
  );
  await watching.waitFor("cronjob.batch/running\ncronjob.batch.tutorial.kubebuilder.io/fine", clock);
  const running = { namespace: "default", name: "running-29552280" };
  const conditions = ["SuccessCriteriaMet", "Complete"].map((type) => ({
    type,
    status: "True",
    lastTransitionTime: time("10:20"),
  }));
  const body = { status: { active: 0, ready: 0, succeeded: 1, completionTime: time("10:20"), conditions } };
  await client.patch(JOBS, running, { type: "merge", body }, { subresource: "status" });
  await watching.waitFor("fine\ncronjob.batch/running", clock);
  const fine = { namespace: "default", name: "fine" };
  await client.patch(TUTORIAL.resource, fine, { type: "merge", body: { spec: { suspend: true } } });
  await watching.waitFor("running\ncronjob.batch.tutorial.kubebuilder.io/fine", clock);
  const { spec, ...suspended } = await client.get(TUTORIAL.resource, fine);
  await client.delete(TUTORIAL.resource, fine);
  const missing = "cronjob-controller: There is no CronJob fine in namespace default";
  await watching.waitFor(missing, clock);
  await client.create(TUTORIAL.resource, { ...suspended, metadata: fine, spec: { ...spec, suspend: false } });
  await watching.waitFor("shows all\ncronjob.batch.tutorial.kubebuilder.io/fine\n", clock);
  await client.delete(TUTORIAL.resource, fine);
  await watching.waitFor(`kubebuilder.io/fine\ncronjob.batch/running\n${missing}`, clock);
  assertEquals(ana.forbidden.toSorted(), LEADER);
});

test("status --watch ends where the right to look is taken away", async () => {
  await using ana = await startAna("default", [], FLEET);
  const { clock } = ana.cluster;
  let mayRead = true;
  ana.may = ({ resource }) => mayRead || resource !== "jobs.batch";
  const watching = new Watching(() => ana.runAll(addStatusCommand, "status", "-w"));
  let isOver = false;
  const message = "You may not list jobs of batch/v1 in namespace default";
  const refused = assertRejects(() => watching.ended, Error, message).finally(() => isOver = true);
  await watching.waitFor("running", clock);
  mayRead = false;
  while (!isOver) {
    await clock.advance(250);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await refused;
});

test("status --watch ends at once where it is stopped while a server does not answer", async () => {
  await using cluster = await SeededCluster.start("10:20", FLEET);
  const held = Promise.withResolvers<void>();
  let isHeld = false;
  await using front = startSlowFront(cluster.api.server, () => isHeld ? held.promise : undefined);
  await using folder = await temporaryFolder();
  const kubeconfig = `${folder.path}/kubeconfig`;
  const { url, token } = cluster.api.server;
  const config = await Deno.readTextFile(cluster.kubeconfig);
  assert(config.includes(token));
  await Deno.writeTextFile(kubeconfig, config.replace(url, front.url));
  await using watching = new Watching(() =>
    runCommand(
      (program) => addStatusCommand(program, cluster.clock),
      ...["status", "--watch", "fine", "-o", "name", "--kubeconfig", kubeconfig],
    )
  );
  await watching.waitFor("fine", cluster.clock);
  isHeld = true;
  while (front.waiting === 0) {
    await cluster.clock.advance(250);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await watching[Symbol.asyncDispose]();
  held.resolve();
  assertEquals((await watching.ended).stderr, "", "it has not waited for the look to fail");
});

test("status --watch does without Events, and asks for them once", async () => {
  await using ana = await startAna("default", ["jobs.batch", ...CRON_JOBS], FLEET);
  const { clock } = ana.cluster;
  await using watching = new Watching(() => ana.runAll(addStatusCommand, "status", "-w", "-o", "name", "fine"));
  await watching.waitFor("cronjob.batch.tutorial.kubebuilder.io/fine", clock);
  await clock.advance(10_000);
  assertEquals(ana.forbidden.toSorted(), [...LEADER, "list events. in default"].toSorted());
});

const WRONG: readonly Refused[] = [
  ["nothing", "There is no CronJob nothing in namespace default"],
  ["x y -n infra", "There is no CronJob x, y in namespace infra"],
];

test("status says in a sentence what it cannot do", async (context) => {
  await using cluster = await SeededCluster.start("10:20", FLEET);
  await askForRefused(context, WRONG, (...args) => status(cluster, ...args));
});

test("status shows an empty cluster as one, and a check of nothing fails", async () => {
  await using cluster = await SeededCluster.start("10:20", []);
  const { stdout, exitCode } = await status(cluster, "-A");
  assertEquals([stdout, exitCode], ["There are no CronJobs", 0]);
  const check = await status(cluster, "-n", "typo", "--check");
  assertEquals(check.exitCode, 1);
  assertEquals(check.stderr, "cronjob-controller: There is nothing to check: no CronJob is in namespace typo");
  assert((await status(cluster, "-o", "json")).stdout === "[]");
});

test("status shows a run that a later one replaced as that, and not as one of unknown end", async () => {
  const replaced: RunRecord = {
    scheduledTime: "2026-03-10T09:00:00Z",
    trigger: "Schedule",
    outcome: "Deleted",
    reason: "Replaced",
    jobName: "report-1",
  };
  await using cluster = await SeededCluster.start("10:20", [{
    name: "report",
    spec: { concurrencyPolicy: "Replace" },
    status: { lastScheduleTime: "2026-03-10T10:00:00Z", recentRuns: [replaced] },
    jobs: [{ at: "10:00" }],
  }]);
  assertEquals(/ repl run /.test((await status(cluster)).stdout), true, (await status(cluster)).stdout);
});

const LEASE = ["cronjob-controller-system", "cronjob-controller"] as const;
const MANAGED = "cronjob-controller.dev/managed";
const STARTED = { api: BATCH, status: { lastScheduleTime: time("10:00") } };
const MIXED: readonly SeededCronJob[] = [
  { ...STARTED, name: "plain", annotations: { "cronjob-controller.dev/pause": "{}" } },
  { ...STARTED, name: "adopted", spec: { suspend: true }, annotations: { [MANAGED]: "true" } },
  { ...STARTED, name: "typo", spec: { suspend: true }, annotations: { [MANAGED]: "True" } },
];

test("status shows who runs each, and begins with what runs nowhere while no controller leads", async () => {
  using _real = asRealCluster();
  await using cluster = await SeededCluster.start("10:20", MIXED);
  const serves = { apis: ["batch/v1"], managedOnly: true, namespaces: [] };
  await cluster.addLease(...LEASE, { heldSince: "09:00", renewed: "10:19:58", serves });
  const rows = (await status(cluster)).stdout.split("\n").map((line) => line.split(/ +/).slice(0, 3));
  assertEquals(rows, [
    ["NAME", "BY", "STATE"],
    ["typo", "none", "Invalid"],
    ["adopted", "cronjob-controller", "Waiting"],
    ["plain", "kube-controller-manager", "Waiting"],
  ]);
  assertEquals((await status(cluster, "--by", "cronjob-controller", "-o", "name")).stdout, "cronjob.batch/adopted");
  assertEquals((await status(cluster, "adopted", "plain", "--check")).exitCode, 0);

  cluster.clock.set("2026-03-10T10:21:00Z");
  const { stdout, exitCode } = await status(cluster, "adopted", "plain", "--check");
  const [first, ...rest] = stdout.split("\n");
  assertEquals(
    first,
    `1 CronJob runs nowhere: no controller leads: Lease ${
      LEASE.join("/")
    } was last renewed by replica-1 at 2026-03-10T10:19:58Z`,
  );
  assertEquals(rest.map((line) => line.split(/ +/)[2]), ["STATE", "Stopped", "Waiting"]);
  assertEquals(exitCode, 1);
});

test("those that run nowhere are not counted among the fine ones", async () => {
  using _real = asRealCluster();
  const adopted = Array.from({ length: 31 }, (_, i) => ({ ...MIXED[1]!, name: `a${i}` }));
  const plain = Array.from({ length: 20 }, (_, i) => ({ ...STARTED, name: `p${i}` }));
  await using cluster = await SeededCluster.start("10:20", [...adopted, ...plain]);
  await cluster.addLease(...LEASE, { heldSince: "09:00", renewed: "10:10" });
  assertEquals(
    (await status(cluster)).stdout.split("\n").at(-1),
    "0 shown of 51; 31 run nowhere; 20 are fine: 20 waiting (status --all)",
  );
});

test("a Lease that looks over by the clock here is read again, as its holder's clock may differ", async () => {
  using _real = asRealCluster();
  await using cluster = await SeededCluster.start("10:20", MIXED);
  await cluster.addLease(...LEASE, { heldSince: "09:00", renewed: "10:19:40" });
  const [namespace, name] = LEASE;
  cluster.clock.sleep = async () => {
    const body = { spec: { renewTime: "2026-03-10T10:19:42.000000Z" } };
    await cluster.api.client.patch(LEASES, { namespace, name }, { type: "merge", body });
  };
  assertEquals((await status(cluster, "adopted", "--check")).exitCode, 0);
  cluster.clock.sleep = () => Promise.resolve();
  assertEquals((await status(cluster, "adopted", "--check")).exitCode, 1);
});

test("annotations without effect and ignored ones stand beside the CronJob", async () => {
  using _real = asRealCluster();
  await using cluster = await SeededCluster.start("10:20", MIXED);
  const why = async (name: string) => (await status(cluster, name)).stdout.split("\n").at(-1)!;
  assertMatch(
    await why("plain"),
    / 11:00 UTC \(40m\) +annotation cronjob-controller\.dev\/pause has no effect: not adopted$/,
  );
  assertMatch(await why("typo"), /Invalid .*annotation cronjob-controller\.dev\/managed: "True" is ignored/);
});
