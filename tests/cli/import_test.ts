import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { addImportCommand } from "../../src/cli/import/command.ts";
import { ConfigError } from "../../src/cli/errors.ts";
import { FLAVOURS } from "../../src/cronjob/api/flavour.ts";
import { lint } from "../../src/lint/lint.ts";
import { noManifests, parseManifests } from "../../src/manifest_files/parse.ts";
import { temporaryFolder } from "../support/program.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { runCommand } from "./support/run_command.ts";

const NOW = "2026-11-22T12:00:00Z";

async function importCrontab(text: string, ...args: string[]) {
  const path = await Deno.makeTempFile();
  try {
    await Deno.writeTextFile(path, text);
    const add = (program: Parameters<typeof addImportCommand>[0]) => addImportCommand(program, new FakeClock(NOW));
    const printed = await runCommand(add, "import", "crontab", path, "-z", "Europe/Berlin", ...args);
    return {
      ...printed,
      stdout: printed.stdout.replaceAll(path, "FILE"),
      stderr: printed.stderr.replaceAll(path, "FILE"),
    };
  } finally {
    await Deno.remove(path);
  }
}

const CRONTAB = `SHELL=/bin/bash
MAILTO=ops@example.com
# Backs up the database.
30 12 * * 7 /opt/backup.sh --at $(date +\\%F) $$
@reboot /opt/start
0 22 * * 1-5 mail -s 'late' joe%Joe,%Where are you?%
`;

test("a user in a line of a crontab that has none is pointed out", async () => {
  const { stdout, stderr } = await importCrontab("17 4 * * * root /bin/true\n5 4 * * * rooted\n");
  assertEquals(
    stderr,
    "FILE:1: root is the program that it runs, as to cron: only files in /etc have a user in each line",
  );
  assertMatch(stdout, /\n {2}name: root\n/);
});

test("import crontab prints CronJobs with the lines they come from, and says what is not understood", async () => {
  const { stdout, stderr, exitCode } = await importCrontab(CRONTAB, "--image", "tools:1", "-n", "team");
  assertEquals(
    stdout,
    `# FILE:2: MAILTO=ops@example.com
# cron mails output to ops@example.com; here it is in the logs of each run
---
# FILE:4: 30 12 * * 7 /opt/backup.sh --at $(date +\\%F) $$
apiVersion: batch/v1
kind: CronJob
metadata:
  name: backup
  namespace: team
  annotations:
    kubernetes.io/description: Backs up the database.
spec:
  schedule: 30 12 * * 0
  timeZone: Europe/Berlin
  startingDeadlineSeconds: 60
  successfulJobsHistoryLimit: 3
  failedJobsHistoryLimit: 1
  jobTemplate:
    spec:
      backoffLimit: 0
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: backup
              image: tools:1
              command:
                - /bin/bash
                - -c
                - /opt/backup.sh --at $(date +%F) $$$$
              env:
                - name: SHELL
                  value: /bin/bash
# FILE:5: @reboot /opt/start
# not imported: @reboot: nothing runs at start-up in Kubernetes: leave it to cron, or use a service of systemd or launchd, on a cluster a Deployment
---
# FILE:6: 0 22 * * 1-5 mail -s 'late' joe%Joe,%Where are you?%
apiVersion: batch/v1
kind: CronJob
metadata:
  name: mail
  namespace: team
spec:
  schedule: 0 22 * * 1-5
  timeZone: Europe/Berlin
  startingDeadlineSeconds: 60
  successfulJobsHistoryLimit: 3
  failedJobsHistoryLimit: 1
  jobTemplate:
    spec:
      backoffLimit: 0
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: mail
              image: tools:1
              command:
                - /bin/bash
                - -c
                - |
                  { mail -s 'late' joe
                  } <<'END'
                  Joe,
                  Where are you?
                  END
              env:
                - name: SHELL
                  value: /bin/bash`,
  );
  assertEquals(
    stderr,
    `FILE:2: cron mails output to ops@example.com; here it is in the logs of each run
FILE:5: not imported: @reboot: nothing runs at start-up in Kubernetes: leave it to cron, or use a service of systemd or launchd, on a cluster a Deployment`,
  );
  assertEquals(exitCode, 1);
});

test("import crontab keeps cron's rule for clock changes, but for a cluster, where it names both", async () => {
  const entry = "30 2 * * * backup\n";
  const local = await importCrontab(entry);
  assertMatch(local.stdout, /^apiVersion: cronjob-controller.dev\/v1$/m);
  assertMatch(local.stdout, /\n {2}clockChangePolicy:\n {4}gap: RunAfter\n {4}overlap: First\n/);
  assertEquals(local.stderr, "");
  const forCluster = await importCrontab(entry, "--image", "x");
  assertMatch(forCluster.stdout, /^apiVersion: batch\/v1$/m);
  assertEquals(
    forCluster.stderr,
    "FILE:1: clock changes: only cron runs it at 2027-03-28T03:00:00+02:00, only Kubernetes runs it at " +
      "2027-10-31T02:30:00+01:00; --api cronjob-controller.dev/v1 keeps cron's rule",
  );
});

test("import crontab gives the names that comments say, and says with the line which it cannot give", async () => {
  const crontab = "# The night's.\n# name: nightly\n0 1 * * * report -a\n# name: Big Report\n0 2 * * * report -b\n" +
    "# name: nightly\n0 3 * * * report --all\n";
  const { stdout, stderr, exitCode } = await importCrontab(crontab, "-o", "json");
  const items: { metadata: { name: string; annotations?: Record<string, string> } }[] = JSON.parse(stdout).items;
  assertEquals(items.map(({ metadata }) => metadata.name), ["nightly", "report", "report-all"]);
  assertEquals(items[0]?.metadata.annotations, { "kubernetes.io/description": "The night's." });
  const instead = "without it, the entry is named after its program";
  assertEquals(
    stderr,
    `FILE:4: name "Big Report": must be small letters, digits and dashes, 52 at most, such as big-report; ${instead}\n` +
      `FILE:6: name "nightly": an entry above has it; ${instead}`,
  );
  assertEquals(exitCode, 0);
});

test("import crontab says which entries are switched off", async () => {
  const off = (text: string) => importCrontab(text).then(({ stderr }) => stderr);
  assertEquals(
    await off("#0 1 * * * a\n0 2 * * * b\n# 0 3 * * * c\n"),
    "FILE:1: behind a # and not run, as is line 3",
  );
  assertEquals(await off("0 2 * * * b\n#@daily c\n# A=b\n"), "FILE:2: behind a # and not run");
});

test("import crontab -o json prints a List, and the exit code is 0 where all was understood", async () => {
  const { stdout, stderr, exitCode } = await importCrontab("CRON_TZ=Asia/Tokyo\n0 1 * * * a\n", "-o", "json");
  const list = JSON.parse(stdout);
  assertEquals([list.apiVersion, list.kind, list.items.length], ["v1", "List", 1]);
  assertEquals(list.items[0].spec.timeZone, "Asia/Tokyo");
  assertEquals(stderr, "FILE:1: the entries below go by Asia/Tokyo, as in cronie; Debian's cron ignores CRON_TZ");
  assertEquals(exitCode, 0);
});

for (const { apiVersion } of FLAVOURS) {
  test(`what import crontab prints for ${apiVersion} is what its API server takes`, async () => {
    const crontab = "A='x $(B) $$'\nB=1\n# What it does.\n0,30 12-14 * * 1-5 a%in\\%put\n@daily b\n*/5 * * * * c\n";
    const { stdout, exitCode } = await importCrontab(crontab, "--api", apiVersion);
    assertEquals(exitCode, 0);
    const read = noManifests();
    parseManifests(stdout, "stdin", read);
    const { cronJobs, findings } = lint(read, Date.parse(NOW));
    assertEquals({ cronJobs, errors: findings.filter(({ severity }) => severity === "error") }, {
      cronJobs: 3,
      errors: [],
    });
  });
}

test("import crontab imports for a workstation only what runs as who imports it", async () => {
  const { stdout, stderr, exitCode } = await importCrontab("0 1 * * * nobody a\n", "--system");
  assertEquals(stdout.includes("kind: CronJob"), false);
  assertEquals(
    stderr,
    "FILE:1: not imported: runs as nobody, while standalone runs all as the user who starts it: import it as nobody, or for a cluster " +
      "with --image",
  );
  assertEquals(exitCode, 1);
  assertEquals((await importCrontab("0 1 * * * nobody a\n", "--system", "--image", "x")).exitCode, 0);
});

test("import crontab refuses what it cannot read", async () => {
  await assertRejects(() => importCrontab("# nothing\n"), ConfigError, "There is no entry in the crontab");
  await assertRejects(() => importCrontab("", "-z", "Mars/Base"), ConfigError, 'time-zone "Mars/Base"');
  const run = (...args: string[]) => runCommand(addImportCommand, "import", "crontab", ...args);
  await assertRejects(() => run("/no/where"), ConfigError, "Cannot read crontab /no/where: no such file");
  await assertRejects(() => run("-", "-"), ConfigError, "Standard input can be read once");
});

for (const path of ["/etc/crontab", "/etc/cron.d/backup", "/etc/cron.d/../crontab"]) {
  test(`import crontab takes ${path} with --system only, as users stand in it`, async () => {
    await assertRejects(
      () => runCommand(addImportCommand, "import", "crontab", path),
      ConfigError,
      `Cannot read crontab ${path}: a user stands before each command there: give --system`,
    );
  });
}

test("import crontab --system of a user's crontab imports nothing, and asks whether --system is meant", async () => {
  const printed = await importCrontab("0 1 * * * /usr/bin/foo bar\n", "--system", "--image", "x");
  assertEquals(printed.stdout.includes("kind: CronJob"), false);
  assertEquals(printed.stderr, "FILE:1: not imported: /usr/bin/foo is no name of a user; leave --system out?");
  assertEquals(printed.exitCode, 1);
});

test("import crontab --system may stand before a file", async () => {
  await using folder = await temporaryFolder();
  const path = `${folder.path}/crontab`;
  await Deno.writeTextFile(path, "0 1 * * * nobody a\n");
  const { exitCode } = await runCommand(addImportCommand, "import", "crontab", "--system", path, "--image", "x");
  assertEquals(exitCode, 0);
});

const SEVERAL = "# Every night.\n0 1 * * * /opt/backup.sh\n@reboot start\n0 12 * * * report\n";

test("import crontab --host keeps the CronJobs of several machines apart", async () => {
  const { stdout } = await importCrontab(SEVERAL, "--image", "x", "--host", "Web-1.example", "-o", "json");
  const names = JSON.parse(stdout).items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
  assertEquals(names, ["web-1-example-backup", "web-1-example-report"]);
  for (const host of ["", "a b", "-a", "a/b"]) {
    await assertRejects(
      () => importCrontab(SEVERAL, "--host", host),
      ConfigError,
      "--host must be the name of a machine",
    );
  }
});

test("import crontab does not import what cron never runs", async () => {
  const { stdout, stderr, exitCode } = await importCrontab("0 0 31 2 * a\n", "--image", "x");
  assertEquals(stdout.includes("kind: CronJob"), false);
  assertEquals(stderr, "FILE:1: not imported: cron never runs it: there is no such date");
  assertEquals(exitCode, 1);
});

const NAMES: readonly (readonly [option: "-n" | "--image", wrong: readonly string[], right: readonly string[]])[] = [
  ["-n", ["", "Team_A", "a.b", "-a", "a b", "a".repeat(64)], ["a", "team-1", "a".repeat(63)]],
  [
    "--image",
    ["", " ", "tools 1", "Tools", "a:", "a:b:c", "a/", "/a", "https://a.example/b", "a@sha256:12"],
    [
      "tools",
      "tools:1",
      "localhost:5000/a",
      "A.example/b__c/d-e:1.2_3",
      "[::1]:5000/a",
      `a:1@sha256:${"0f".repeat(32)}`,
    ],
  ],
];

for (const [option, wrong, right] of NAMES) {
  test(`import crontab refuses a value of ${option} that Kubernetes would not take, and says which`, async () => {
    for (const value of wrong) {
      const message = `current value is ${JSON.stringify(value)}`;
      await assertRejects(() => importCrontab("@daily a", "--image", "x", option, value), ConfigError, message);
    }
    for (const value of right) {
      assertEquals((await importCrontab("@daily a", "--image", "x", option, value)).exitCode, 0, value);
    }
  });
}
