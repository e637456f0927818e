import { assert, assertEquals, assertRejects } from "@std/assert";
import { ConfigError } from "../../src/cli/errors.ts";
import { ManifestFileError } from "../../src/manifest_files/manifest_file_error.ts";
import { addNextCommand } from "../../src/cli/next/command.ts";
import { formatDistance } from "../../src/view/times.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { wordsIn } from "../support/shell.ts";
import { test } from "../support/test.ts";
import type { Refused } from "./support/refused.ts";
import { runCommand } from "./support/run_command.ts";
import { withFile } from "./support/with_file.ts";

function next(...args: string[]) {
  return runCommand((program) => addNextCommand(program, new FakeClock("2026-03-28T00:00:00Z")), "next", ...args);
}

test("next prints local and UTC times, the distance, and the run that a clock change skips", async () => {
  const { stdout } = await next("30 2 * * *", "--time-zone", "Europe/Berlin", "-n", "2");
  assertEquals(
    stdout,
    `LOCAL (Europe/Berlin)          UTC                   IN      NOTE
Sat 2026-03-28T02:30:00+01:00  2026-03-28T01:30:00Z  1h 30m
-                              -                     -       a run is skipped: the clocks go from 2026-03-29T02:00:00 to 03:00:00
Mon 2026-03-30T02:30:00+02:00  2026-03-30T00:30:00Z  2d`,
  );
});

test("next marks both runs of a local time that a clock change repeats", async () => {
  const { stdout } = await next("30 2 * * *", "-z", "Europe/Berlin", "-n", "3", "--from", "2026-10-24T01:00:00Z");
  assertEquals(
    stdout,
    `LOCAL (Europe/Berlin)          UTC                   IN       NOTE
Sun 2026-10-25T02:30:00+02:00  2026-10-25T00:30:00Z  23h 30m  first of two: the clocks go back
Sun 2026-10-25T02:30:00+01:00  2026-10-25T01:30:00Z  1d       second of two: the clocks went back
Mon 2026-10-26T02:30:00+01:00  2026-10-26T01:30:00Z  2d`,
  );
});

test("next -o json gives the same as data", async () => {
  const { stdout } = await next("30 2 * * *", "-z", "Europe/Berlin", "-n", "2", "-o", "json");
  assertEquals(JSON.parse(stdout), {
    schedule: "30 2 * * *",
    timeZone: "Europe/Berlin",
    next: [
      { local: "2026-03-28T02:30:00+01:00", utc: "2026-03-28T01:30:00Z", inSeconds: 5400 },
      { local: "2026-03-30T02:30:00+02:00", utc: "2026-03-30T00:30:00Z", inSeconds: 174600 },
    ],
    skipped: [{ at: "2026-03-29T01:00:00Z", from: "2026-03-29T02:00:00", to: "2026-03-29T03:00:00", runs: 1 }],
  });
});

test("next says that a schedule never runs", async () => {
  assertEquals((await next("0 0 31 2 *")).stdout, "never: no date matches");
});

test("next spreads H by --name and refuses it without", async () => {
  const { stdout } = await next("H H * * *", "--name", "default/report", "-n", "1", "-o", "json");
  assertEquals(JSON.parse(stdout).next[0].utc, "2026-03-28T22:18:00Z");
  await assertRejects(() => next("H H * * *"), ConfigError, 'minute "H"');
});

test("next takes days that depend on their month in the grammar that has them", async () => {
  const table = await next("0 9 LW * *", "-n", "2", "--grammar", "extended");
  assertEquals(
    table.stdout,
    `TIME (UTC)                IN
Tue 2026-03-31T09:00:00Z  3d 9h
Thu 2026-04-30T09:00:00Z  33d 9h`,
  );
});

const USAGE_ERRORS: readonly Refused[] = [
  ["'0 0 * * 7'", 'day-of-week "7": must be 0-6 or SUN-SAT; Sunday is 0'],
  [
    "'0 9 LW * *'",
    'day-of-month "LW": must be 1-31; Kubernetes has no L, W or # (pick days such as 28-31, and let the Job check the ' +
    'date); the grammar "extended" takes it',
  ],
  ["'0 0 * * 8' --grammar extended", 'day-of-week "8": must be 0-7 or SUN-SAT'],
  ["'0 0 * * *' --time-zone europe/berlin", "did you mean Europe/Berlin?"],
  ["@daily --from soon", "--from must be a time such as 02:00"],
  ["@daily --name report", "--name must be NAMESPACE/NAME"],
];

for (const [line, message] of USAGE_ERRORS) {
  test(`next ${line} is a usage error: ${message}`, async () => {
    await assertRejects(() => next(...wordsIn(line)), ConfigError, message);
  });
}

test("next refuses a file that is not there", async () => {
  const message = "Cannot read manifest /nowhere.yaml: no such file or folder";
  await assertRejects(() => next("-f", "/nowhere.yaml"), ManifestFileError, message);
});

const MANIFESTS = `
apiVersion: batch.tutorial.kubebuilder.io/v1
kind: CronJob
metadata: {name: nightly}
spec: {schedule: 30 2 * * *, timeZone: Europe/Berlin, clockChangePolicy: {gap: RunAfter}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: other}
---
apiVersion: batch/v1
kind: CronJobList
items:
  - metadata:
      name: spread
      namespace: team
      annotations: {cronjob-controller.dev/schedule: H H * * *}
    spec: {schedule: 0 0 * * *, suspend: yes}
`;

test("next -f shows every CronJob of the manifests, by its own zone, policy and annotation", async () => {
  await withFile(MANIFESTS, async (path) => {
    const { stdout, exitCode } = await next("-f", path, "-n", "2");
    assertEquals(
      stdout,
      `default/nightly (batch.tutorial.kubebuilder.io/v1): 30 2 * * *
LOCAL (Europe/Berlin)          UTC                   IN      NOTE
Sat 2026-03-28T02:30:00+01:00  2026-03-28T01:30:00Z  1h 30m
Sun 2026-03-29T03:00:00+02:00  2026-03-29T01:00:00Z  1d 1h   after the gap: the clocks went forward

team/spread (batch/v1), suspended: 0 0 * * *
annotation cronjob-controller.dev/schedule has no effect: not adopted
TIME (UTC)                IN
Sun 2026-03-29T00:00:00Z  1d
Mon 2026-03-30T00:00:00Z  2d`,
    );
    assertEquals(exitCode, 0);
    const ours = await next("-f", path, "-n", "2", "--by", "cronjob-controller");
    assertEquals(
      ours.stdout.split("\n\n")[1],
      `team/spread (batch/v1), suspended: H H * * *
TIME (UTC)                IN
Sat 2026-03-28T06:48:00Z  6h 48m
Sun 2026-03-29T06:48:00Z  1d 6h`,
    );
  });
});

test("next takes times as people say them, by the zone's wall clock", async () => {
  const { stdout } = await next("0 * * * *", "-z", "Europe/Berlin", "--from", "tomorrow 08:30", "-n", "1");
  assertEquals(stdout.split("\n")[1], "Sun 2026-03-29T09:00:00+02:00  2026-03-29T07:00:00Z  30m");
});

/** What manifests say that keeps a schedule from being followed, and what `next -f` says then. */
const HELD: readonly (readonly [manifest: string, said: string])[] = [
  [
    "{apiVersion: cronjob-controller.dev/v1, kind: CronJob, metadata: {name: a}, " +
    'spec: {schedule: 0 4 * * *, pause: {until: "2026-04-01T04:00:00Z", reason: moving}}}',
    "default/a (cronjob-controller.dev/v1), paused until 2026-04-01T04:00:00Z (moving): 0 4 * * *\n" +
    "TIME (UTC)                IN\nWed 2026-04-01T04:00:00Z  4d 4h",
  ],
  [
    "{apiVersion: cronjob-controller.dev/v1, kind: CronJob, metadata: {name: a}, " +
    'spec: {schedule: 0 4 * * *, pause: {until: "2026-04-01T05:00:00Z", reason: moving}}}',
    "default/a (cronjob-controller.dev/v1), paused until 2026-04-01T05:00:00Z (moving): 0 4 * * *\n" +
    "TIME (UTC)                IN     NOTE\nWed 2026-04-01T04:00:00Z  4d 5h  starts after the pause",
  ],
  [
    "{apiVersion: cronjob-controller.dev/v1, kind: CronJob, metadata: {name: a}, " +
    'spec: {schedule: 0 4 * * *, endTime: "2026-03-31T12:00:00Z", pause: {until: "2026-04-01T05:00:00Z", reason: moving}}}',
    "default/a (cronjob-controller.dev/v1), paused until 2026-04-01T05:00:00Z (moving): 0 4 * * *\n" +
    "TIME (UTC)                IN     NOTE\nTue 2026-03-31T04:00:00Z  4d 5h  starts after the pause",
  ],
  [
    "{apiVersion: cronjob-controller.dev/v1, kind: CronJob, metadata: {name: a}, spec: {schedule: 0 4 * * *, " +
    'startingDeadlineSeconds: 60, pause: {until: "2026-04-01T05:00:00Z"}}}',
    "default/a (cronjob-controller.dev/v1), paused until 2026-04-01T05:00:00Z (spec.pause is set): 0 4 * * *\n" +
    "TIME (UTC)                IN\nThu 2026-04-02T04:00:00Z  5d 4h",
  ],
  [
    "{apiVersion: cronjob-controller.dev/v1, kind: CronJob, metadata: {name: a}, spec: {schedule: 0 4 * * *, " +
    'startTime: "2026-03-30T04:00:00Z", endTime: "2026-03-30T05:00:00Z"}}',
    "default/a (cronjob-controller.dev/v1): 0 4 * * *\nTIME (UTC)                IN\nMon 2026-03-30T04:00:00Z  2d 4h",
  ],
  [
    "{apiVersion: batch/v1, kind: CronJob, metadata: {name: a, annotations: {cronjob-controller.dev/managed: 'true'}}, " +
    "spec: {schedule: 0 4 * * *, suspend: true}}",
    "default/a (batch/v1): 0 4 * * *\nTIME (UTC)                IN\nSat 2026-03-28T04:00:00Z  4h",
  ],
  [
    "{apiVersion: cronjob-controller.dev/v1, kind: CronJob, metadata: {name: a}, spec: {schedule: 0 4 * * *, pause: {}}}",
    "default/a (cronjob-controller.dev/v1), paused (spec.pause is set): 0 4 * * *\n" +
    "TIME (UTC)                IN\nSat 2026-03-28T04:00:00Z  4h",
  ],
  [
    '{apiVersion: batch/v1, kind: CronJob, metadata: {name: a}, spec: {schedule: "CRON_TZ=Europe/Berlin 0 4 * * *"}}',
    "default/a (batch/v1)\n" +
    "The API of batch/v1 refuses TZ= and CRON_TZ= in spec.schedule: give spec.timeZone in its place",
  ],
];

for (const [manifest, said] of HELD) {
  test(`next -f says of a held CronJob: ${said.split("\n")[0]}`, async () => {
    await withFile(manifest, async (path) => assertEquals((await next("-f", path, "-n", "1")).stdout, said));
  });
}

test("next says that the API of batch/v1 refuses a zone in the schedule", async () => {
  const { stderr, exitCode } = await next("TZ=Europe/Berlin 0 4 * * *", "-n", "1");
  assertEquals([stderr.includes("refuses TZ= and CRON_TZ="), exitCode], [true, 0]);
});

test("next -f shows what is excluded, and what makes up for it", async () => {
  const manifest = (exclude: string) => `
apiVersion: batch.tutorial.kubebuilder.io/v1
kind: CronJob
metadata: {name: nightly}
spec: {schedule: 30 4 * * *, onExcluded: RunAfter, exclude: [${exclude}]}
`;
  await withFile(manifest('{dates: ["2026-03-29"]}'), async (path) => {
    const { stdout } = await next("-f", path, "-n", "3");
    assertEquals(
      stdout,
      `default/nightly (batch.tutorial.kubebuilder.io/v1): 30 4 * * *
TIME (UTC)                IN      NOTE
Sat 2026-03-28T04:30:00Z  4h 30m
-                         -       a run is excluded until 2026-03-30T00:00:00Z
Mon 2026-03-30T00:00:00Z  2d      makes up for what was excluded
Mon 2026-03-30T04:30:00Z  2d 4h`,
    );
  });
  await withFile(manifest("{schedule: 0 * * * *, duration: 1h}"), async (path) => {
    const { stdout } = await next("-f", path, "-n", "3");
    assertEquals(stdout.split("\n").at(-1), "never: everything is excluded");
  });
});

test("next -f shows what is excluded of several schedules, and what clock changes do to each", async () => {
  const manifest = `
apiVersion: batch.tutorial.kubebuilder.io/v1
kind: CronJob
metadata: {name: nightly}
spec:
  schedule: 0 0 1 1 *
  schedules: [{schedule: 30 4 * * *}, {schedule: 30 2 * * *, timeZone: Europe/Berlin}]
  clockChangePolicy: {gap: Skip}
  exclude: [{dates: ["2026-03-28"]}]
  onExcluded: RunAfter
`;
  await withFile(manifest, async (path) => {
    const { stdout } = await next("-f", path, "-n", "3");
    assertEquals(
      stdout,
      `default/nightly (batch.tutorial.kubebuilder.io/v1): 30 4 * * *; 30 2 * * *
TIME (UTC)                IN     NOTE
-                         -      2 runs are excluded until 2026-03-29T00:00:00Z
Sun 2026-03-29T00:00:00Z  1d     makes up for what was excluded
-                         -      a run is skipped: the clocks go from 2026-03-29T02:00:00 to 03:00:00
Sun 2026-03-29T04:30:00Z  1d 4h
Mon 2026-03-30T00:30:00Z  2d`,
    );
  });
});

test("next -f shows the other CronJobs when one is wrong, and exits with 1", async () => {
  const wrong =
    "\n---\napiVersion: batch/v1\nkind: CronJob\nmetadata: {name: bad}\nspec: {schedule: 0 24 * * *}\n---\na: [";
  await withFile(MANIFESTS + wrong, async (path) => {
    const { stdout, stderr, exitCode } = await next("-f", path, "-o", "json");
    assertEquals(JSON.parse(stdout).map((answer: { error?: string }) => answer.error), [
      undefined,
      undefined,
      'hour "24": must be 0-23',
    ]);
    assert(stderr.startsWith(`${path}:`), stderr);
    assertEquals(exitCode, 1);
  });
});

test("formatDistance() shows the two greatest units", () => {
  for (
    const [seconds, text] of [
      [0, "0s"],
      [59, "59s"],
      [3600, "1h"],
      [3661, "1h 1m"],
      [90_061, "1d 1h"],
      [400 * 86_400, "1y 35d"],
    ] as const
  ) assertEquals(formatDistance(seconds), text);
});

test("next -f names CronJobs of an API that it does not know, beside the runs of the others", async () => {
  const cronJob = (apiVersion: string, name: string) =>
    `apiVersion: ${apiVersion}\nkind: CronJob\nmetadata: { name: ${name} }\nspec: { schedule: "0 0 * * *" }\n`;
  await withFile(`${cronJob("batch/v1", "new")}---\n${cronJob("batch/v1beta1", "old")}`, async (path) => {
    const { stdout, stderr, exitCode } = await next("-f", path, "-n", "1");
    assertEquals(stdout.split("\n")[0], "default/new (batch/v1): 0 0 * * *");
    const said =
      `${path}:6: CronJob default/old: no CronJob of batch/v1beta1 is known; Kubernetes 1.25 removed it: use batch/v1`;
    assertEquals([stderr, exitCode], [said, 1]);
  });
});

test("next -f goes by the annotations of an adopted CronJob alone, and names those without effect", async () => {
  const cronJob = (managed: string) =>
    `apiVersion: batch/v1
kind: CronJob
metadata: { name: a, annotations: { cronjob-controller.dev/schedule: "0 5 L * *"${managed} } }
spec: { schedule: "0 5 1 * *", suspend: ${managed !== ""} }`;
  const note = "annotation cronjob-controller.dev/schedule has no effect: not adopted";
  await withFile(cronJob(""), async (path) => {
    const { stdout } = await next("-f", path, "-n", "1");
    assertEquals(stdout.split("\n").slice(0, 2), ["default/a (batch/v1): 0 5 1 * *", note]);
  });
  await withFile(cronJob(', cronjob-controller.dev/managed: "true"'), async (path) => {
    const { stdout } = await next("-f", path, "-n", "1");
    assertEquals(stdout.split("\n")[0], "default/a (batch/v1): 0 5 L * *");
    assertEquals(stdout.includes(note), false, stdout);
  });
});
