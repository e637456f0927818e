import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { ConfigError } from "../../src/cli/errors.ts";
import { STANDALONE_LEASE } from "../../src/cli/standalone/lease.ts";
import { LEASES } from "../../src/kube/resource.ts";
import { addSimulateCommand } from "../../src/cli/simulate/command.ts";
import type { SimulationReport } from "../../src/simulate/report.ts";
import { must } from "../support/expected.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { wordsIn } from "../support/shell.ts";
import { test } from "../support/test.ts";
import type { Refused } from "./support/refused.ts";
import { type Printed, runCommand } from "./support/run_command.ts";
import { asRealCluster, BATCH, SeededCluster, time, TUTORIAL } from "./support/seeded_cluster.ts";
import { withFile } from "./support/with_file.ts";

const NOW = "2026-03-27T10:00:00Z";

function simulate(...args: string[]): Promise<Printed> {
  return runCommand((program) => addSimulateCommand(program, new FakeClock(NOW)), "simulate", ...args);
}

async function reportOf(...args: string[]): Promise<SimulationReport> {
  return JSON.parse((await simulate(...args, "-o", "json")).stdout);
}

const POD = `{template: {spec: {restartPolicy: Never, containers: [{name: a, image: b,
  resources: {requests: {cpu: 500m, memory: 256Mi}}}]}}}`;

const manifest = (name: string, spec: string, apiVersion = "batch/v1") => `
apiVersion: ${apiVersion}
kind: CronJob
metadata: {name: ${name}, namespace: infra}
spec: {${spec}, jobTemplate: {spec: ${POD}}}
---`;

const NIGHT = [
  manifest("report", 'schedule: "30 2 * * *", timeZone: Europe/Berlin'),
  manifest("hourly", 'schedule: "0 * * * *", timeZone: Europe/Berlin'),
  manifest(
    "backup",
    'schedule: "0 * * * *", timeZone: Europe/Berlin, concurrencyPolicy: Forbid, startingDeadlineSeconds: 60',
  ),
  manifest("rests", 'schedule: "0 * * * *", timeZone: Europe/Berlin, suspend: true'),
].join("");

test("simulate goes by annotations only where a controller reads them, and names those without effect", async () => {
  const annotated = (more = "", spec = "") => `
apiVersion: batch/v1
kind: CronJob
metadata: {name: a, namespace: infra, annotations: {cronjob-controller.dev/schedule: "0 5 L * *"${more}}}
spec: {schedule: "0 * * * *", ${spec} jobTemplate: {spec: ${POD}}}`;
  const runs = async (text: string, ...args: string[]) => {
    let printed: Printed | undefined;
    await withFile(text, async (path) => {
      printed = await simulate("-f", path, "--day", "2026-03-29", "--ascii", ...args);
    });
    const { stdout, stderr } = must(printed);
    return [/: (.*)/.exec(stdout)?.[1], stderr];
  };
  const note = "infra/a: annotation cronjob-controller.dev/schedule has no effect: not adopted";
  assertEquals(await runs(annotated()), ["24 runs", note]);
  assertEquals(await runs(annotated(), "--by", "cronjob-controller"), ["0 runs", ""]);
  assertEquals(await runs(annotated(', cronjob-controller.dev/managed: "true"', "suspend: true,")), ["0 runs", ""]);

  await using cluster = await SeededCluster.start("10:00", [{
    name: "a",
    namespace: "infra",
    api: BATCH,
    spec: { schedule: "0 * * * *" },
  }]);
  const there = ["--with-cluster", "--kubeconfig", cluster.kubeconfig];
  assertEquals(await runs(annotated(), ...there), ["0 runs", ""]);
  await cluster.api.client.delete(LEASES, STANDALONE_LEASE);
  using _real = asRealCluster();
  assertEquals(await runs(annotated(), ...there), ["24 runs", note]);
});

test("simulate says which expectations cannot be met by the durations", async () => {
  const spec = 'schedule: "0 2 * * *", expect: {finishBy: "04:00", minimumDurationSeconds: 60}';
  await withFile(manifest("report", spec, "cronjob-controller.dev/v1"), async (path) => {
    const week = ["-f", path, "--from", "2026-03-29T00:00:00Z", "--to", "2026-04-01T00:00:00Z", "-z", "UTC"];
    const { stdout } = await simulate(...week, "--durations", "3h");
    assertMatch(stdout, /^unmet +infra\/report: Slow 3 times, first: The run of Sun 2026-03-29 02:00 UTC had not /m);
    assertEquals((await reportOf(...week, "--durations", "3h")).objects[0]?.unmet, { Slow: 3 });
    assertEquals((await reportOf(...week, "--durations", "30s")).objects[0]?.unmet, { Suspicious: 3 });
    assertEquals((await reportOf(...week, "--durations", "1h")).objects[0]?.unmet, undefined);
  });
});

test("simulate shows the day on which the clocks go forward, and what is skipped", async () => {
  await withFile(NIGHT, async (path) => {
    const { stdout, exitCode } = await simulate("-f", path, "--day", "2026-03-29", "--durations", "75m", "--ascii");
    assertEquals(
      stdout,
      `
4 CronJobs, Sun 2026-03-29 00:00 to Mon 2026-03-30 00:00 Europe/Berlin: 35 runs
Starts in the busiest minute of each 5:  . 0  - 1-4  + 5-19  * 20-49  # 50+
    :00 :05 :10 :15 :20 :25 :30 :35 :40 :45 :50 :55
00  -   .   .   .   .   .   .   .   .   .   .   .
01  -   .   .   .   .   .   .   .   .   .   .   .
03  -   .   .   .   .   .   .   .   .   .   .   .
04  -   .   .   .   .   .   .   .   .   .   .   .
05  -   .   .   .   .   .   .   .   .   .   .   .
06  -   .   .   .   .   .   .   .   .   .   .   .
07  -   .   .   .   .   .   .   .   .   .   .   .
08  -   .   .   .   .   .   .   .   .   .   .   .
09  -   .   .   .   .   .   .   .   .   .   .   .
10  -   .   .   .   .   .   .   .   .   .   .   .
11  -   .   .   .   .   .   .   .   .   .   .   .
12  -   .   .   .   .   .   .   .   .   .   .   .
13  -   .   .   .   .   .   .   .   .   .   .   .
14  -   .   .   .   .   .   .   .   .   .   .   .
15  -   .   .   .   .   .   .   .   .   .   .   .
16  -   .   .   .   .   .   .   .   .   .   .   .
17  -   .   .   .   .   .   .   .   .   .   .   .
18  -   .   .   .   .   .   .   .   .   .   .   .
19  -   .   .   .   .   .   .   .   .   .   .   .
20  -   .   .   .   .   .   .   .   .   .   .   .
21  -   .   .   .   .   .   .   .   .   .   .   .
22  -   .   .   .   .   .   .   .   .   .   .   .
23  -   .   .   .   .   .   .   .   .   .   .   .

peak starts  2 in the minute Sun 2026-03-29 00:00
peak active  3 at Sun 2026-03-29 00:00; every run is taken to last 1h 15m
requests     1.5 CPU at Sun 2026-03-29 00:00, 768 MiB at Sun 2026-03-29 00:00
skipped      11 runs of infra/backup: others are active (Forbid, taken to last 1h 15m, 0 * * * *)
rests        infra/rests: Suspended: spec.suspend is true`.slice(1),
    );
    assertEquals(exitCode, 0);
  });
});

test("simulate never advises H in spec.schedule of batch/v1, and its picture of many has several levels", async () => {
  const batch = Array.from({ length: 150 }, (_, i) => manifest(`c${i}`, 'schedule: "0 0 * * *"', "batch/v1")).join("");
  const hourly = Array.from({ length: 60 }, (_, i) => manifest(`h${i}`, 'schedule: "0 * * * *"', "batch/v1")).join("");
  await withFile(batch + hourly, async (path) => {
    const { stdout } = await simulate("-f", path);
    const [, legend, , midnight, one] = stdout.split("\n");
    assertMatch(must(legend), /· 0 {2}░ 1-52 {2}▒ 53-104 {2}▓ 105-157 {2}█ 158\+$/);
    assertEquals([must(midnight)[4], must(one)[4]], ["█", "▒"]);
    const annotation = '"H 0 * * *" in annotation cronjob-controller.dev/schedule';
    assertStringIncludes(stdout, `${annotation}, once they are adopted, the busiest minute`);
    const { stdout: own } = await simulate("-f", path, "--by", "cronjob-controller");
    assertStringIncludes(own, `${annotation} the busiest minute`);
    assertEquals(stdout.includes("in spec.schedule"), false);
  });
});

test("simulate advises what spreads a crowd, and fails where a limit is exceeded", async () => {
  const crowd = Array.from({ length: 12 }, (_, i) => manifest(`c${i}`, 'schedule: "0 0 * * *"', TUTORIAL_API)).join("");
  await withFile(crowd, async (path) => {
    const { stdout, stderr, exitCode } = await simulate("-f", path, "--max-starts", "10", "--max-active", "12");
    const lines = stdout.split("\n").slice(-5);
    assertEquals(lines.slice(0, 2), [
      "peak active  12 at Sat 2026-03-28 00:00; every run is taken to last 1m",
      "requests     6 CPU at Sat 2026-03-28 00:00, 3 GiB at Sat 2026-03-28 00:00",
    ]);
    assert(
      /^advice {7}12 of the 12 say "0 0 \* \* \*"; with "H 0 \* \* \*" in spec\.schedule the busiest minute has [1-3]$/
        .test(
          must(lines[2]),
        ),
      lines[2],
    );
    assertEquals(lines.slice(3), [
      "limit        --max-starts 10: EXCEEDED, 12 at most",
      "             --max-active 12: kept, 12 at most",
    ]);
    assertEquals([stderr, exitCode], ["", 1]);
  });
});

const TUTORIAL_API = "batch.tutorial.kubebuilder.io/v1";

test("simulate compares manifests with the cluster that they are for", async () => {
  await using cluster = await SeededCluster.start("10:20", [
    { name: "same", api: BATCH, jobs: [{ at: "09:00", ended: "09:04" }, { at: "10:00", ended: "10:02" }] },
    { name: "changed", api: TUTORIAL, jobs: [{ at: "10:00", ended: "10:10" }] },
    { name: "elsewhere", namespace: "infra", status: { lastScheduleTime: time("10:00") } },
  ]);
  const template =
    "jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: busybox}]}}}}";
  const files = `
apiVersion: batch/v1
kind: CronJob
metadata: {name: same}
spec: {schedule: "0 * * * *", ${template}}
---
apiVersion: ${TUTORIAL_API}
kind: CronJob
metadata: {name: changed}
spec: {schedule: "*/10 * * * *", ${template}}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: fresh}
spec: {schedule: "0 2 * * *", ${template}}`;
  await withFile(files, async (path) => {
    const run = (...args: string[]) =>
      cluster.run(addSimulateCommand, "simulate", "-f", path, "--with-cluster", ...args);
    const report: SimulationReport = JSON.parse((await run("-o", "json")).stdout);
    assertEquals(report.cronJobs, { total: 4, new: 1, changed: 1, resting: 0 });
    assertEquals(report.durations, { by: "p95", measured: 2, assumed: 2, assumedSeconds: 60 });
    assertEquals([report.before!.runs, report.load.runs], [3 * 24, 2 * 24 + 144 + 1]);
    assertEquals(
      report.objects.map(({ name, change, durationSeconds, runs }) => [name, change, durationSeconds, runs]),
      [
        ["changed", "Changed", 600, 144],
        ["fresh", "New", 60, 1],
        ["same", "Unchanged", 240, 24],
        ["elsewhere", "Unchanged", 60, 24],
      ],
    );
    const [title] = (await run("-n", "default")).stdout.split("\n");
    assertEquals(title, "3 CronJobs (1 new, 1 changed), Wed 2026-03-11 00:00 to Thu 2026-03-12 00:00 UTC: 169 runs");
  });
});

test("simulate takes the first time after --from for --to", async () => {
  await withFile(NIGHT, async (path) => {
    for (const to of ["12:00", "4h"]) {
      const { from, to: end } = await reportOf("-f", path, "--from", "Mon 08:00", "--to", to);
      assertEquals([from, end], ["2026-03-30T06:00:00Z", "2026-03-30T10:00:00Z"]);
    }
  });
});

test("simulate says of a manifest that cannot be followed why, and fails", async () => {
  await withFile(manifest("odd", 'schedule: "every day"'), async (path) => {
    const { stdout, exitCode } = await simulate("-f", path);
    assert(stdout.includes('rests        infra/odd: UnparseableSchedule: spec.schedule: schedule "every day"'), stdout);
    assertEquals(exitCode, 1);
  });
});

const USAGE_ERRORS: readonly Refused[] = [
  ["--day soon", "--day must be a time such as"],
  [
    "--day 02:00",
    "--day must be a date such as 2026-12-24, a weekday, yesterday, today or tomorrow, current value is 02:00",
  ],
  ["--from noon", "--from must be a time such as 02:00"],
  ["--from '2026-03-12 08:00' --to '2026-03-12 07:00'", "--to must be later than --from: give the date too"],
  ["--to 40d", "--to must be no more than 31 days after --from"],
  ["--durations long", "--durations must be history, p50, p95 or a length such as 30s or 1h, current value is long"],
  ["-z Berlin", '--time-zone "Berlin": must be a name of the tz database'],
  ["-z \x1b[2J", '--time-zone "\\u001b[2J": must be a name of the tz database'],
];

for (const [line, message] of USAGE_ERRORS) {
  test(`simulate ${line} is a usage error: ${message}`, async () => {
    await withFile(NIGHT, async (path) => {
      await assertRejects(() => simulate("-f", path, ...wordsIn(line)), ConfigError, message);
    });
  });
}

test("simulate refuses manifests without CronJobs", async () => {
  await withFile("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: CronJob}", async (path) => {
    await assertRejects(() => simulate("-f", path), ConfigError, `There is no CronJob in ${path}`);
  });
});
