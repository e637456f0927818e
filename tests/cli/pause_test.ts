import { assertEquals, assertRejects } from "@std/assert";
import { addPauseCommand, addResumeCommand } from "../../src/cli/pause/command.ts";
import { addStatusCommand } from "../../src/cli/status/command.ts";
import { MANAGED, PAUSE } from "../../src/cronjob/api/annotations.ts";
import { FLAVOURS, Running } from "../cronjob/support/running.ts";
import { must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { askForRefused, type Refused } from "./support/refused.ts";
import { type Printed, runCommand } from "./support/run_command.ts";
import { asRealCluster, BATCH, SeededCluster, type SeededCronJob, TUTORIAL } from "./support/seeded_cluster.ts";
import { type AddCommand, People } from "./support/user.ts";

const COMMANDS = { pause: addPauseCommand, resume: addResumeCommand, status: addStatusCommand };

function run(cluster: SeededCluster, command: keyof typeof COMMANDS, ...args: string[]): Promise<Printed> {
  return cluster.run(COMMANDS[command], command, ...args);
}

const ADOPTED: SeededCronJob = {
  name: "adopted",
  api: BATCH,
  annotations: { [MANAGED]: "true" },
  spec: { suspend: true, timeZone: "Europe/Berlin" },
};
const FLEET: readonly SeededCronJob[] = [
  ADOPTED,
  { name: "own", labels: { team: "a" } },
  { name: "resting", spec: { pause: { reason: "by its manifest" } } },
];
/** kube-controller-manager is the last to have written its status. */
const NATIVE: SeededCronJob = { name: "native", api: BATCH };

test("pause says until when each is paused, by its own wall clock, and leaves those that are paused", async () => {
  await using cluster = await SeededCluster.start("10:20", FLEET);
  const { stdout, exitCode } = await run(cluster, "pause", "--all", "--until", "Mon 08:00", "--reason", "db migration");
  assertEquals(
    stdout,
    `
adopted paused until Mon 2026-03-16 08:00 Europe/Berlin
own paused until Mon 2026-03-16 08:00 UTC
resting is paused already, left as it is: paused by spec.pause (taking that away ends it)
3 CronJobs: 2 done, 1 as it was asked for already`.slice(1),
  );
  assertEquals(exitCode, 0);
  const { stdout: table } = await run(cluster, "status", "own", "adopted");
  assertEquals(
    table,
    `
NAME     API                               STATE   SINCE  NEXT                              WHY
adopted  batch/v1                          Paused  0s     Mon 08:00 Europe/Berlin (5d 20h)  by kubernetes-admin: "db migration", until Mon 2026-03-16 08:00 Europe/Berlin
own      batch.tutorial.kubebuilder.io/v1  Paused  0s     Mon 08:00 UTC (5d 21h)            by kubernetes-admin: "db migration", until Mon 2026-03-16 08:00 UTC`
      .slice(1),
  );
  const again = await run(cluster, "pause", "own");
  assertEquals(
    again.stdout,
    'own is paused already, left as it is: paused by kubernetes-admin: "db migration" (resume --by kubernetes-admin ends that)',
  );
});

test("resume ends what pause began, and keeps on record until when that was", async () => {
  await using cluster = await SeededCluster.start("10:20", FLEET);
  await run(cluster, "pause", "own", "adopted", "--reason", "a");
  const { stdout } = await run(cluster, "resume", "--all");
  assertEquals(
    stdout,
    `
adopted resumed (was paused by kubernetes-admin: "a")
own resumed (was paused by kubernetes-admin: "a")
resting not resumed: paused by spec.pause (taking that away ends it)
3 CronJobs: 2 done, 1 left as they are`.slice(1),
  );
  const { metadata } = await cluster.api.client.get(TUTORIAL.resource, { namespace: "default", name: "own" });
  const { id: _, ...note } = JSON.parse(must(metadata.annotations![PAUSE]));
  const now = "2026-03-10T10:20:00Z";
  assertEquals(note, { by: "kubernetes-admin", reason: "a", resumedBy: "kubernetes-admin", since: now, until: now });
  assertEquals((await run(cluster, "resume", "own")).stdout, "own is not paused");
});

test("a CronJob that kube-controller-manager may run is suspended, and resumed by who suspended it", async () => {
  using _real = asRealCluster();
  await using cluster = await SeededCluster.start("10:20", [NATIVE]);
  const suspendOf = async () =>
    (await cluster.api.client.get(BATCH.resource, { namespace: "default", name: "native" })).spec.suspend;
  assertEquals(
    (await run(cluster, "pause", "native", "--reason", "a")).stdout,
    "native suspended (spec.suspend, as kube-controller-manager runs it) until it is resumed",
  );
  assertEquals(await suspendOf(), true);
  assertEquals(
    (await run(cluster, "status", "native")).stdout,
    `
NAME    BY                       STATE      SINCE  WHY
native  kube-controller-manager  Suspended  0s     spec.suspend is true, by kubernetes-admin: "a"`.slice(1),
  );
  assertEquals((await run(cluster, "resume", "native")).stdout, 'native resumed (was paused by kubernetes-admin: "a")');
  assertEquals(await suspendOf(), false);
});

test("a CronJob of a standalone is paused as any other, though no controller has written to it yet", async () => {
  await using cluster = await SeededCluster.start("10:20", [NATIVE]);
  assertEquals(
    (await run(cluster, "pause", "native", "--until", "2h")).stdout,
    "native paused until Tue 2026-03-10 12:20 UTC",
  );
  const { spec } = await cluster.api.client.get(BATCH.resource, { namespace: "default", name: "native" });
  assertEquals(spec.suspend, false);
});

test("pause sets what the runner obeys, whatever wrote the status last", async () => {
  using _real = asRealCluster();
  const adopted = { spec: { suspend: true }, annotations: { "cronjob-controller.dev/managed": "true" } };
  await using cluster = await SeededCluster.start("10:20", [NATIVE, { name: "adopted", api: BATCH, ...adopted }]);
  const { client } = cluster.api;
  const body = { status: { lastScheduleTime: "2026-03-10T10:00:00Z" } };
  const options = { subresource: "status", fieldManager: "cronjob-controller" } as const;
  await client.patch(BATCH.resource, { namespace: "default", name: "native" }, { type: "merge", body }, options);
  assertEquals(
    (await run(cluster, "pause", "native", "adopted")).stdout,
    `
adopted paused until it is resumed (annotation cronjob-controller.dev/pause)
native suspended (spec.suspend, as kube-controller-manager runs it) until it is resumed
2 CronJobs: 2 done`.slice(1),
  );
  assertEquals((await run(cluster, "resume", "--all")).stdout.split("\n").at(-1), "2 CronJobs: 2 done");
  const { spec } = await client.get(BATCH.resource, { namespace: "default", name: "native" });
  assertEquals(spec.suspend, false);
});

test("what another user has suspended since then stays so", async () => {
  using _real = asRealCluster();
  await using cluster = await SeededCluster.start("10:20", [NATIVE]);
  await run(cluster, "pause", "native");
  const { client } = cluster.api;
  for (const suspend of [false, true]) {
    await client.patch(BATCH.resource, { namespace: "default", name: "native" }, {
      type: "merge",
      body: { spec: { suspend } },
    }, {
      fieldManager: "kubectl-edit",
    });
  }
  const { stdout, exitCode } = await run(cluster, "resume", "native");
  assertEquals(stdout, "native not resumed: suspended by spec.suspend (setting that to false ends it)");
  assertEquals(exitCode, 1);
});

test("nothing is changed where one of several is not there, or cannot be paused so", async () => {
  using _real = asRealCluster();
  await using cluster = await SeededCluster.start("10:20", [...FLEET, NATIVE]);
  const isPaused = async () =>
    PAUSE in
      ((await cluster.api.client.get(TUTORIAL.resource, { namespace: "default", name: "own" })).metadata.annotations ??
        {});
  const refused: readonly (readonly [string, ...string[]])[] = [
    ["There is no CronJob nope, x in namespace default", "own", "nope", "x"],
    [
      "Nothing was changed: native: kube-controller-manager runs it, which knows no pause that ends by itself",
      "--all",
      "--until",
      "2h",
    ],
  ];
  for (const [message, ...args] of refused) {
    await assertRejects(() => run(cluster, "pause", ...args), Error, message);
    assertEquals(await isPaused(), false);
  }
  const { stdout } = await run(
    cluster,
    "pause",
    "--all",
    "--until",
    "2h",
    "--dry-run",
    "--api",
    "batch.tutorial.kubebuilder.io/v1",
  );
  assertEquals(
    stdout,
    `
own paused until Tue 2026-03-10 12:20 UTC (dry run)
resting is paused already, left as it is: paused by spec.pause (taking that away ends it)
2 CronJobs: 1 done, 1 as it was asked for already`.slice(1),
  );
  assertEquals(await isPaused(), false);
});

const WRONG: readonly Refused[] = [
  ["own -A", "Names need one namespace: leave --all-namespaces out"],
  ["own --until soon", "--until must be a time such as 02:00, Mon 08:00"],
  [
    "own --until 2026-03-10T08:00:00Z",
    "own: --until must lie in the future, 2026-03-10T08:00:00Z is Tue 2026-03-10 08:00 UTC",
  ],
  ["own --until -2h", "--until must lie in the future"],
  ["own --api v1", "must be one of cronjob-controller.dev/v1"],
  ["native", "native is there in batch/v1 and in batch.tutorial.kubebuilder.io/v1: say which with --api"],
];

test("pause says in a sentence what is wrong, before anything is changed", async (context) => {
  await using cluster = await SeededCluster.start("10:20", [...FLEET, NATIVE, { name: "native" }]);
  await askForRefused(context, WRONG, (...args) => run(cluster, "pause", ...args));
});

test("a time that has passed in UTC may still come by the wall clock of a CronJob, and the other way round", async () => {
  const spec = { timeZone: "America/New_York" };
  await using cluster = await SeededCluster.start("10:20", [{ name: "west", spec }, { name: "own" }]);
  const until = ["--until", "2026-03-10 08:00", "--dry-run"];
  assertEquals(
    (await run(cluster, "pause", "west", ...until)).stdout,
    "west paused until Tue 2026-03-10 08:00 America/New_York (dry run)",
  );
  await assertRejects(() => run(cluster, "pause", "--all", ...until), Error, "own: --until must lie in the future");
});

test("pause and resume print for programs what became of each", async () => {
  await using cluster = await SeededCluster.start("10:20", FLEET);
  const { stdout } = await run(cluster, "pause", "-l", "team=a", "-o", "json");
  assertEquals(JSON.parse(stdout), [{
    apiVersion: "batch.tutorial.kubebuilder.io/v1",
    namespace: "default",
    name: "own",
    result: "done",
    message: "paused until it is resumed",
  }]);
  assertEquals((await run(cluster, "pause", "-l", "team=b")).stderr, "There are no such CronJobs in namespace default");
  assertEquals((await run(cluster, "pause", "-l", "team=b", "-A")).stderr, "There are no such CronJobs");
});

for (const api of FLAVOURS) {
  test(`what is paused starts nothing until that ends by itself, or a user ends it (${api.controllerName})`, async () => {
    await using running = await Running.start("2026-03-10T09:59:00Z");
    const adopted = { spec: { suspend: true }, annotations: { [MANAGED]: "true" } };
    const { spec, annotations } = api === BATCH ? adopted : { spec: {}, annotations: undefined };
    for (const name of ["ends", "lasts"]) await running.create(api, spec, { name, annotations });
    const act = (add: AddCommand, ...args: string[]) =>
      runCommand(
        (program) => add(program, running.clock),
        ...args,
        "--kubeconfig",
        running.server.server.kubeconfigPath,
      );
    await act(addPauseCommand, "pause", "ends", "--until", "10:30");
    await act(addPauseCommand, "pause", "lasts");
    await running.create(api, spec, { name: "free", annotations });
    running.clock.set("2026-03-10T10:00:00Z");
    const owners = async () =>
      (await running.jobs()).map(({ metadata }) => must(metadata.ownerReferences![0]).name).sort();
    const until = (...names: string[]) =>
      running.until(names.join(), async () => JSON.stringify(await owners()) === JSON.stringify(names));
    await until("free");
    running.clock.set("2026-03-10T10:30:00Z");
    await until("ends", "free");
    await act(addResumeCommand, "resume", "lasts");
    await until("ends", "free", "lasts");
  });
}

const TEAMS: readonly SeededCronJob[] = ["a", "b"].flatMap((team) => [
  { name: "one", namespace: `team-${team}` },
  { name: "two", namespace: `team-${team}` },
]);

test("what another user has paused is resumed only by naming them", async () => {
  await using people = await People.start("10:20", TEAMS, { ana: () => true, ben: () => true });
  await people.run("ana", addPauseCommand, "pause", "one", "-n", "team-a", "--reason", "x");
  await people.run("ben", addPauseCommand, "pause", "--all", "-n", "team-a");
  const all = ["resume", "--all", "-n", "team-a"];
  assertEquals(
    (await people.run("ben", addResumeCommand, ...all)).stdout,
    `
one not resumed: paused by ana: "x" (resume --by ana ends that)
two resumed (was paused by ben)
2 CronJobs: 1 done, 1 left as they are`.slice(1),
  );
  const named = await people.run("ben", addResumeCommand, "resume", "one", "-n", "team-a");
  assertEquals(named.exitCode, 1);
  const byAna = await people.run("ben", addResumeCommand, "resume", "one", "-n", "team-a", "--by", "ana");
  assertEquals([byAna.stdout, byAna.exitCode], ['one resumed (was paused by ana: "x")', 0]);
});

test("who may edit one namespace does it there, and is refused elsewhere", async () => {
  const mayEditA = ({ verb, namespace }: { verb: string; namespace?: string | undefined }) =>
    ["get", "list"].includes(verb) || (verb === "patch" && namespace === "team-a");
  await using people = await People.start("10:20", TEAMS, { ana: mayEditA });
  const { stdout, stderr, exitCode } = await people.run("ana", addPauseCommand, "pause", "--all", "-A");
  assertEquals(
    stdout,
    `
team-a/one paused until it is resumed
team-a/two paused until it is resumed
4 CronJobs: 2 done, 2 failed`.slice(1),
  );
  assertEquals(
    stderr,
    `
cronjob-controller: team-b/one: Cannot patch cronjobs team-b/one: cronjobs.batch.tutorial.kubebuilder.io "one" is forbidden: User "ana" cannot patch resource "cronjobs" in API group "batch.tutorial.kubebuilder.io" in the namespace "team-b"
cronjob-controller: team-b/two: Cannot patch cronjobs team-b/two: cronjobs.batch.tutorial.kubebuilder.io "two" is forbidden: User "ana" cannot patch resource "cronjobs" in API group "batch.tutorial.kubebuilder.io" in the namespace "team-b"`
      .slice(1),
  );
  assertEquals(exitCode, 1);
  // Of each, as rights may be given by name.
  const forbidden = "ana patch cronjobs.batch.tutorial.kubebuilder.io in team-b";
  assertEquals(people.forbidden, [forbidden, forbidden]);
});
