import { assert, assertEquals, assertRejects } from "@std/assert";
import { addExplainCommand } from "../../src/cli/explain/command.ts";
import { formatExplanation } from "../../src/cli/explain/format.ts";
import { explain as explainView } from "../../src/view/explain/explain.ts";
import { world } from "../cronjob/support/world.ts";
import { must } from "../support/expected.ts";
import { temporaryFolder } from "../support/program.ts";
import { test } from "../support/test.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { askForRefused, type Refused } from "./support/refused.ts";
import { type Printed, runCommand } from "./support/run_command.ts";
import { asRealCluster, BATCH, SeededCluster } from "./support/seeded_cluster.ts";
import { FAILED, STUCK } from "./support/seeded_fleet.ts";

const FLEET = [STUCK, FAILED];

function explain(cluster: SeededCluster, ...args: string[]): Promise<Printed> {
  return cluster.run(addExplainCommand, "explain", ...args);
}

const EVERYTHING = { apis: ["batch.tutorial.kubebuilder.io/v1", "batch/v1"], managedOnly: false, namespaces: [] };

test("explain says why a CronJob did not run, what was looked at, what to do and what comes next", async () => {
  using _real = asRealCluster();
  await using cluster = await SeededCluster.start("10:20", FLEET);
  await cluster.addLease("cronjob-controller-system", "cronjob-controller", {
    heldSince: "03-09 12:00",
    renewed: "10:19:58",
    serves: EVERYTHING,
  });
  assertEquals(
    (await explain(cluster, "nightly-report")).stdout,
    `
nightly-report waits: its run of Tue 2026-03-10 02:00 Europe/Berlin (01:00Z) is due.
Why     it waits for the run of Mon 2026-03-09 02:00 Europe/Berlin (01:00Z) (nightly-report-1773018000): its Pod has not started: ImagePullBackOff: Back-off pulling image "report:1.9"; starts when it ends, unless a later time comes first (concurrencyPolicy Forbid)
Checks  ok    0 2 * * * names that time in Europe/Berlin; no clock change near it
        ok    not suspended, not paused
        ok    inside startTime and endTime; the schedule is unchanged since Sun 2026-03-01 01:00 Europe/Berlin (00:00Z)
        FAIL  concurrency: 1 active then, 1 allowed
        -     startingDeadlineSeconds: none set
        ok    the controller led then (Lease held since Mon 2026-03-09 13:00 Europe/Berlin (12:00Z))
        -     no Job was created for it
By      cronjob-controller runs it: replica-1 leads (Lease cronjob-controller-system/cronjob-controller)
Since   last success Sun 2026-03-08 02:03 Europe/Berlin (2d 9h ago)
Do      correct the image in the template: kubectl edit tcj/nightly-report -n default
        kubectl delete job nightly-report-1773018000 -n default
        kubectl patch tcj/nightly-report -n default --type merge -p '{"spec":{"pendingTimeoutSeconds":900}}'
Next    Wed 2026-03-11 02:00 Europe/Berlin, in 14h 40m: waits if an active run has not ended by then`.slice(1),
  );
  const shown = async (lines: readonly string[], ...args: string[]) => {
    const { stdout } = await explain(cluster, "sync", ...args);
    assertEquals(lines.filter((line) => !stdout.split("\n").includes(line)), [], stdout);
  };
  await shown([
    "sync ran at Tue 2026-03-10 10:00 UTC: failed after 1m.",
    "Why     sync-29552280: exit 3",
    "        ok    the spec was last written Sun 2026-03-01 00:00 UTC",
    "        -     concurrencyPolicy Allow: any number may be active",
    "        ok    Job sync-29552280",
    "Since   1 run failed; last success Tue 2026-03-10 09:31 UTC (49m ago)",
    "Do      kubectl logs job/sync-29552280 -n default",
    "        cronjob-controller trigger sync -n default",
    "Next    Tue 2026-03-10 10:30 UTC, in 10m",
  ]);
  await shown([
    "sync ran at Tue 2026-03-10 09:30 UTC: succeeded after 1m.",
    "        ok    Job sync-29552250",
    "Next    Tue 2026-03-10 10:30 UTC, in 10m",
  ], ...["--at", "09:30"]);
  await shown([
    "sync will run at Tue 2026-03-10 12:00 UTC, in 1h 40m.",
    "        ok    a controller leads now (Lease held since Mon 2026-03-09 12:00 UTC)",
    "        -     no Job is there yet",
    "Do      kubectl logs job/sync-29552280 -n default",
  ], ...["--at", "2026-03-10 12:00"]);
});

test("explain takes a day for its first scheduled time, by the CronJob's wall clock", async () => {
  await using cluster = await SeededCluster.start("10:20", FLEET);
  for (
    const [at, time] of [["today", "Tue 2026-03-10"], ["tomorrow", "Wed 2026-03-11"], ["2026-03-12", "Thu 2026-03-12"]]
  ) {
    const { stdout } = await explain(cluster, "nightly-report", "--at", must(at));
    assert(stdout.split("\n")[0]?.includes(`${time} 02:00 Europe/Berlin`), stdout);
  }
});

test("explain takes the nearest scheduled time where a time is not meant to the second", async () => {
  await using cluster = await SeededCluster.start("10:20", FLEET);
  const first = async (at: string) => (await explain(cluster, "sync", "--at", at)).stdout.split("\n")[0];
  assertEquals(await first("25m ago"), "sync ran at Tue 2026-03-10 10:00 UTC: failed after 1m.");
  // What is to come is not meant, though it is nearer.
  assertEquals(await first("1m ago"), "sync ran at Tue 2026-03-10 10:00 UTC: failed after 1m.");
  assertEquals(await first("in 1m"), "sync will run at Tue 2026-03-10 10:30 UTC, in 10m.");
  const { stdout } = await explain(cluster, "sync", "--at", "55m", "-o", "json");
  assertEquals(JSON.parse(stdout)[0].scheduledTime, "2026-03-10T09:30:00Z");
});

test("explain prints the same for programs", async () => {
  await using cluster = await SeededCluster.start("10:20", FLEET);
  const { stdout, exitCode } = await explain(cluster, "sync", "--job", "sync-29552280", "-o", "json", "--exit-code");
  assertEquals(JSON.parse(stdout), [{
    apiVersion: "batch/v1",
    namespace: "default",
    name: "sync",
    zone: "UTC",
    runner: { by: "cronjob-controller", leads: "yes", why: "standalone leads (Lease default/cronjob-controller)" },
    notes: [],
    verdict: {
      kind: "Failed",
      message: "ran at Tue 2026-03-10 10:00 UTC: failed after 1m",
      why: "sync-29552280: exit 3",
    },
    checks: [
      { result: "ok", message: "*/30 * * * * names that time in UTC, as no timeZone is set; no clock change near it" },
      { result: "ok", message: "not suspended, not paused" },
      { result: "ok", message: "the spec was last written Sun 2026-03-01 00:00 UTC" },
      { result: "-", message: "concurrencyPolicy Allow: any number may be active" },
      { result: "-", message: "startingDeadlineSeconds: none set" },
      { result: "ok", message: "Job sync-29552280" },
    ],
    state: "Failing",
    sinceSuccess: { failed: 1, skipped: 0, missed: 0 },
    lastLines: [],
    scheduledTime: "2026-03-10T10:00:00Z",
    run: {
      scheduledTime: "2026-03-10T10:00:00Z",
      trigger: "Schedule",
      outcome: "Failed",
      reason: "BackoffLimitExceeded",
      job: "sync-29552280",
      startedAt: "2026-03-10T10:00:00Z",
      endedAt: "2026-03-10T10:01:00Z",
      durationSeconds: 60,
    },
    lastSuccess: "2026-03-10T09:31:00Z",
    actions: [
      { do: "ReadLogs", job: "sync-29552280", remedy: "kubectl logs job/sync-29552280 -n default" },
      { do: "RunNow", remedy: "cronjob-controller trigger sync -n default" },
    ],
    nextRun: {
      kind: "known",
      scheduledTime: "2026-03-10T10:30:00Z",
      startsAt: "2026-03-10T10:30:00Z",
      expected: "Start",
    },
  }]);
  assertEquals(exitCode, 1);
  assertEquals((await explain(cluster, "sync", "--at", "09:30", "--exit-code")).exitCode, 0);
});

test("explain answers what a manifest says of a time, without a cluster", async () => {
  await using folder = await temporaryFolder();
  await Deno.writeTextFile(
    `${folder.path}/report.yaml`,
    "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: report}\n" +
      'spec: {schedule: "30 2 * * *", timeZone: Europe/Berlin, jobTemplate: {spec: {template: {spec: {}}}}}\n',
  );
  const clock = new FakeClock("2026-03-10T10:20:00Z");
  const ask = async (at?: string, name = "report") => {
    const add = (program: Parameters<typeof addExplainCommand>[0]) => addExplainCommand(program, clock);
    const args = at === undefined ? [] : ["--at", at];
    const { stdout } = await runCommand(add, "explain", name, "-f", folder.path, ...args);
    // No remedy for a CronJob of a cluster helps a file.
    assertEquals(stdout.includes("kubectl"), false, stdout);
    return stdout.split("\n")[0];
  };
  assertEquals(await ask(), "report will run at Wed 2026-03-11 02:30 Europe/Berlin (01:30Z), in 15h 10m.");
  assertEquals(await ask("02:30"), await ask());
  assertEquals(
    await ask("2026-03-11 02:30"),
    "report will run at Wed 2026-03-11 02:30 Europe/Berlin (01:30Z), in 15h 10m.",
  );
  assertEquals(await ask("2026-03-29 02:30"), "report does not run at that time: the clocks skip it.");
  assertEquals(
    await ask("2026-03-11 03:00"),
    "report does not run at Wed 2026-03-11 03:00 Europe/Berlin (02:00Z): its schedule does not name that time.",
  );
  await Deno.writeTextFile(
    `${folder.path}/empty.yaml`,
    "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: empty}\n",
  );
  assertEquals(await ask(undefined, "empty"), "empty does not run.");
  await Deno.writeTextFile(
    `${folder.path}/rests.yaml`,
    "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: rests}\n" +
      'spec: {schedule: "30 2 * * *", suspend: true, jobTemplate: {spec: {template: {spec: {}}}}}\n',
  );
  assertEquals(await ask(undefined, "rests"), "rests will NOT run at Wed 2026-03-11 02:30 UTC.");
  await assertRejects(() => ask("soon"), Error, "--at must be a time such as 02:00");
});

test("what a container wrote does not control a terminal", () => {
  const { cronJob, jobs, now } = world(BATCH, {
    now: "10:30",
    last: "10:00",
    jobs: [{ time: "10:00", state: "failed" }],
  });
  const explanation = explainView({ cronJob, jobs, now }, { lastLines: ["\x1b]0;title\x07 done\r"] });
  const text = formatExplanation(explanation, now);
  assertEquals(text.includes("Output  \\x1b]0;title\\x07 done\\r\n"), true, text);
});

const WRONG: readonly Refused[] = [
  ["nothing", "There is no CronJob nothing in namespace default"],
  [
    "sync -n infra",
    "There is no CronJob sync in namespace infra: name another one with --namespace; status --all-namespaces shows all",
  ],
];

test("explain says in a sentence what it cannot do", async (context) => {
  await using cluster = await SeededCluster.start("10:20", FLEET);
  await askForRefused(context, WRONG, (...args) => explain(cluster, ...args));
});

test("explain says of which API each CronJob of a name is, and so do the remedies", async () => {
  const failed = [{ at: "10:00", ended: "10:01", failed: true, exitCode: 3 }];
  await using cluster = await SeededCluster.start("10:20", [
    { name: "twin", api: BATCH, jobs: failed },
    { name: "twin", spec: { startTime: "2026-03-10T12:30:00Z" } },
  ]);
  const { stdout } = await explain(cluster, "twin");
  const lines = stdout.split("\n");
  assertEquals(lines.filter((line) => /^twin |trigger/.test(line)), [
    "twin (batch/v1) ran at Tue 2026-03-10 10:00 UTC: failed after 1m.",
    "        cronjob-controller trigger twin -n default --api batch/v1",
    "twin (batch.tutorial.kubebuilder.io/v1) did NOT run at Tue 2026-03-10 10:00 UTC: spec.startTime is Tue 2026-03-10 12:30 UTC.",
  ]);
  const [{ actions }] = JSON.parse((await explain(cluster, "twin", "-o", "json")).stdout);
  assertEquals(actions.find(({ do: what }: { do: string }) => what === "RunNow").remedy.slice(-14), "--api batch/v1");
});
