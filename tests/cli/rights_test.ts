import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { addBackfillCommand } from "../../src/cli/backfill/command.ts";
import { addExplainCommand } from "../../src/cli/explain/command.ts";
import { addHistoryCommand } from "../../src/cli/history/command.ts";
import { addLogsCommand } from "../../src/cli/logs/command.ts";
import { addPauseCommand, addResumeCommand } from "../../src/cli/pause/command.ts";
import { addSimulateCommand } from "../../src/cli/simulate/command.ts";
import { addStatusCommand } from "../../src/cli/status/command.ts";
import { addTriggerCommand } from "../../src/cli/trigger/command.ts";
import { test } from "../support/test.ts";
import { servedFlavours } from "../../src/cronjob/served_flavours.ts";
import { CRONJOB_CRD, CUSTOM_RESOURCE_DEFINITIONS } from "../support/crds.ts";
import { type Ana, startAna } from "./support/ana.ts";
import { asRealCluster, BATCH, SeededCluster, type SeededCronJob, TUTORIAL } from "./support/seeded_cluster.ts";

const FLEET: readonly SeededCronJob[] = [
  ...["team-a", "team-b"].map((namespace): SeededCronJob => ({
    name: "sync",
    namespace,
    api: BATCH,
    spec: { concurrencyPolicy: "Forbid" },
    jobs: [{ at: "08:00", ended: "08:02" }, { at: "09:00", waiting: ["ImagePullBackOff", "not found"] }],
  })),
  { name: "failed", namespace: "team-a", jobs: [{ at: "10:00", ended: "10:01", failed: true, exitCode: 3 }] },
];

const CORE = ["jobs.batch", "pods.", "events."];
const ALL = [...CORE, "cronjobs.batch", "cronjobs.batch.tutorial.kubebuilder.io"];

test("a user who may read one namespace sees all that the commands show there", async () => {
  using _real = asRealCluster();
  await using ana = await startAna("team-a", ALL, FLEET);
  const status = await ana.run(addStatusCommand, "status", "-n", "team-a");
  assertEquals(status.includes("ImagePullBackOff"), true, status);
  const explained = await ana.run(addExplainCommand, "explain", "sync", "-n", "team-a");
  assertEquals(explained.includes("ImagePullBackOff"), true, explained);
  assertMatch(
    explained,
    /\? {5}whether a controller led then: you may not read Lease kube-system\/kube-controller-manager/,
  );
  assertEquals((await ana.run(addHistoryCommand, "history", "sync", "-n", "team-a")).split("\n").length, 5);
  const lease = "leases.coordination.k8s.io";
  const ours = [`list ${lease} in all`, `get ${lease} in cronjob-controller-system`];
  assertEquals(ana.forbidden, [...ours, ...ours, `get ${lease} in kube-system`, ...ours]);
});

test("a user who may read Kubernetes' CronJobs alone sees those, and a line says which are not shown", async () => {
  await using ana = await startAna("team-a", [...CORE, "cronjobs.batch"], FLEET);
  const { stdout, stderr } = await ana.runAll(addStatusCommand, "status", "-n", "team-a", "-o", "name");
  assertEquals(stdout, "cronjob.batch/sync");
  assertEquals(
    stderr,
    "cronjob-controller: You may not list cronjobs of batch.tutorial.kubebuilder.io/v1 in namespace team-a",
  );
  for (const [command, add] of [["explain", addExplainCommand], ["history", addHistoryCommand]] as const) {
    const { stdout } = await ana.runAll(add, command, "sync", "-n", "team-a");
    assertEquals(stdout.includes("ImagePullBackOff"), true, stdout);
  }
});

test("an API that the server does not serve is not asked for", async () => {
  await using cluster = await SeededCluster.start("10:20", []);
  const { client } = cluster.api;
  assertEquals(await servedFlavours(client), [BATCH, TUTORIAL]);
  // A group may be there for another kind.
  const [group, plural] = ["cronjob-controller.dev", "others"];
  const { spec, ...crd } = structuredClone(CRONJOB_CRD);
  const names = { plural, singular: "other", kind: "Other", listKind: "OtherList" };
  const other = { ...crd, metadata: { name: `${plural}.${group}` }, spec: { ...spec, group, names } };
  await client.create(CUSTOM_RESOURCE_DEFINITIONS, other);
  assertEquals(await servedFlavours(client), [BATCH, TUTORIAL]);
});

test("a user who may not read elsewhere gets a sentence that says so, and nothing is asked for twice", async () => {
  await using ana = await startAna("team-a", ALL, FLEET);
  await assertRejects(
    () => ana.run(addStatusCommand, "status", "-A"),
    Error,
    "in all namespaces; name one with --namespace",
  );
  assertEquals(ana.forbidden.length, new Set(ana.forbidden).size, ana.forbidden.join(", "));
  ana.forget();
  const message = /You may not list (jobs|cronjobs) of \S+ in namespace team-b/;
  const error = await assertRejects(() => ana.run(addExplainCommand, "explain", "sync", "-n", "team-b"), Error);
  assertEquals(message.test(error.message), true, error.message);
  assertEquals(ana.forbidden.length, new Set(ana.forbidden).size, ana.forbidden.join(", "));
});

test("a user who may read neither Pods nor Events sees what CronJobs and Jobs say", async () => {
  using _real = asRealCluster();
  await using ana = await startAna("team-a", [
    "cronjobs.batch",
    "cronjobs.batch.tutorial.kubebuilder.io",
    "jobs.batch",
  ], FLEET);
  const status = await ana.run(addStatusCommand, "status", "-n", "team-a");
  assertEquals(status.includes("Blocked"), true, status);
  const explained = await ana.run(addExplainCommand, "explain", "sync", "-n", "team-a");
  assertEquals(explained.split("\n")[0], "sync waits: its run of Tue 2026-03-10 10:00 UTC is due.");
  // Two commands, which each ask once.
  const asked = Object.entries(Object.groupBy(ana.forbidden, (request) => request));
  assertEquals(asked.map(([request, times]) => `${times!.length} ${request}`).sort(), [
    "1 get leases.coordination.k8s.io in kube-system",
    "2 get leases.coordination.k8s.io in cronjob-controller-system",
    "2 list events. in team-a",
    "2 list leases.coordination.k8s.io in all",
    "2 list pods. in team-a",
  ]);
});

const READING = [
  [addStatusCommand, "status"],
  [addExplainCommand, "explain", "sync"],
  [addExplainCommand, "explain", "failed"],
  [addHistoryCommand, "history", "sync"],
  [addLogsCommand, "logs", "failed"],
] as const;

const ACTING = [
  [addTriggerCommand, "trigger", "sync", "failed"],
  [addTriggerCommand, "trigger", "failed", "--set", "DAY=1"],
  [addPauseCommand, "pause", "--all"],
  [addResumeCommand, "resume", "sync"],
  [addBackfillCommand, "backfill", "failed", "--from", "8h"],
  [addSimulateCommand, "simulate"],
] as const;

test("no command sends what is forbidden twice, whichever right is missing", async (context) => {
  // So many that single Jobs are asked for by their names.
  const many = Array.from({ length: 25 }, (_, i) => ({ name: `fine${i}`, namespace: "team-a" }));
  await using ana = await startAna("team-a", [], [...FLEET, ...many]);
  const rights = [...ALL, "pods./log"].flatMap((resource) => ["list", "get"].map((verb) => ({ resource, verb })));
  await trySendingTwice(context, ana, [undefined, ...rights], READING);
});

test("who may only read is refused once what a command would write", async (context) => {
  await using ana = await startAna("team-a", [], FLEET);
  const rights = ["jobs.batch", "cronjobs.batch"].map((resource) => ({ resource, verb: "list" }));
  await trySendingTwice(context, ana, [undefined, ...rights], ACTING);
});

async function trySendingTwice(
  context: Deno.TestContext,
  ana: Ana,
  rights: readonly ({ resource: string; verb: string } | undefined)[],
  commands: readonly (readonly [Parameters<Ana["run"]>[0], ...string[]])[],
): Promise<void> {
  for (const missing of rights) {
    await context.step(missing ? `${missing.verb} ${missing.resource}` : "all", async () => {
      ana.may = ({ resource, verb }) =>
        missing !== undefined && (resource !== missing.resource || verb !== missing.verb);
      for (const [add, ...args] of commands) {
        ana.forget();
        const printed = await ana.runAll(add, ...args, "-n", "team-a").catch(({ message }) => message as string);
        const twice = ana.forbidden.filter((request, i) => ana.forbidden.indexOf(request) < i)
          // Of CronJobs, rights may be given one by one: each is tried.
          .filter((request) => !request.startsWith("patch cronjobs."));
        assertEquals(twice, [], `${args.join(" ")}: ${JSON.stringify(printed)}`);
        if (missing === undefined) assertMatch(String(printed), /^You may not list /);
        if (typeof printed === "string") continue;
        const said = printed.stderr.split("\n");
        assertEquals(said.length, new Set(said).size, printed.stderr);
      }
    });
  }
}
