import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { claimLease, STANDALONE_LEASE } from "../../src/cli/standalone/lease.ts";
import { ABOUT, MANAGED, SCHEDULE, SUSPEND, WAITING } from "../../src/cronjob/api/annotations.ts";
import type { CronJobObject } from "../../src/cronjob/api/types.ts";
import { LEASES, NAMESPACES } from "../../src/kube/resource.ts";
import { BATCH } from "../cronjob/support/running.ts";
import { at, SharedCluster } from "../cronjob/support/shared_cluster.ts";
import { test } from "../support/test.ts";
import { cronJobOf } from "../support/cron_job.ts";

/** What the commands change: managed, our pause, and `spec.suspend`. */
function marks({ metadata: { annotations = {} }, spec }: CronJobObject) {
  return [annotations[MANAGED], annotations[SUSPEND], spec.suspend];
}

test("adopt prints the edit and makes it; a second time it has nothing to do", async () => {
  await using shared = await SharedCluster.start("09:30:00");
  await shared.running.create(BATCH, {}, { annotations: { team: "a" } });
  const diff = `--- default/c
+++ default/c (adopted)
@@ -2,6 +2,12 @@
 kind: CronJob
 metadata:
   annotations:
+    cronjob-controller.dev/about: 'cronjob-controller runs this CronJob as long as
+      spec.suspend is true, which keeps kube-controller-manager from running it
+      too. To hold its runs back: cronjob-controller pause c -n default. To give
+      it back: cronjob-controller release c -n default, or set the annotation
+      cronjob-controller.dev/managed to "releasing"'
+    cronjob-controller.dev/managed: "true"
     team: a
   name: c
   namespace: default
`;
  const dry = await shared.adopt("c", "--dry-run");
  assertEquals(dry.stdout.startsWith(diff), true, dry.stdout);
  assertMatch(dry.stdout, /\n- {2}suspend: false\n\+ {2}suspend: true\n$/);
  assertEquals(marks(await shared.get()), [undefined, undefined, false]);

  const done = await shared.adopt("c");
  assertEquals(done.stdout.startsWith(diff), true, done.stdout);
  assertMatch(done.stdout, /\nAdopted CronJob default\/c\nIt runs as long as the controller does: .* gives it back$/);
  assertEquals([done.stderr, done.exitCode], ["", 0]);
  assertEquals(marks(await shared.get()), ["true", undefined, true]);

  assertEquals(await shared.adopt("c"), { stdout: "CronJob default/c is adopted already", stderr: "", exitCode: 0 });
});

test("A CronJob that was suspended is paused while it is adopted, and suspended when it is released", async () => {
  await using shared = await SharedCluster.start("09:30:00");
  await shared.running.create(BATCH, { suspend: true });
  await shared.adopt("c");
  assertEquals(marks(await shared.get()), ["true", "true", true]);
  // A user takes spec.suspend away, and it is adopted again.
  await shared.running.patch(BATCH, { spec: { suspend: false } });
  await shared.adopt("c");
  assertEquals(marks(await shared.get()), ["true", "true", true]);
  assertMatch((await shared.get()).metadata.annotations?.[ABOUT] ?? "", /runs this CronJob/);
  await shared.release("c", "--timeout", "0");
  const released = await shared.get();
  assertEquals([...marks(released), released.metadata.annotations?.[ABOUT]], [undefined, undefined, true, undefined]);
});

test("adopt says when the next kubectl apply would undo it", async () => {
  await using shared = await SharedCluster.start("09:30:00");
  const noted = (spec: unknown) => ({
    annotations: { "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify({ spec }) },
  });
  await shared.running.create(BATCH, {}, { name: "says-so", ...noted({ suspend: false }) });
  await shared.running.create(BATCH, {}, { name: "silent", ...noted({ schedule: "0 * * * *" }) });
  const { stdout } = await shared.adopt("--all");
  assertMatch(stdout, /\nAdopted CronJob default\/says-so\nIts manifest says suspend: false: .*\n/);
  assertMatch(stdout, /\nAdopted CronJob default\/silent\nIt runs as long/);
  assertEquals(stdout.includes("last-applied"), false);
});

test("adopt goes on past what it must not adopt, says why in a line each, and exits with 1", async () => {
  await using shared = await SharedCluster.start("09:30:00");
  const { running } = shared;
  for (const name of ["applied", "c", "ending", "owned"]) await running.create(BATCH, {}, { name });
  await running.create(BATCH, {}, { name: "overruled", annotations: { [SCHEDULE]: "H * * * *" } });
  const owner = { apiVersion: "example.com/v1", kind: "Backup", name: "nightly", uid: crypto.randomUUID() };
  await running.patch(BATCH, { metadata: { ownerReferences: [{ ...owner, controller: true }] } }, "owned");
  const body = { apiVersion: "batch/v1", kind: "CronJob", metadata: { name: "applied" }, spec: { suspend: false } };
  await running.client.patch(BATCH.resource, { namespace: "default", name: "applied" }, {
    type: "apply",
    body,
    fieldManager: "flux",
    force: true,
  });
  await running.patch(BATCH, { metadata: { finalizers: ["example.com/hold"] } }, "ending");
  await running.client.delete(BATCH.resource, { namespace: "default", name: "ending" });

  const { stderr, stdout, exitCode } = await shared.adopt("--all");
  assertEquals(stderr.split("\n"), [
    "cronjob-controller: Cannot adopt default/applied: flux applies spec.suspend and would undo the edits; let that apply " +
    'spec.suspend: true and the annotation cronjob-controller.dev/managed: "true"',
    "cronjob-controller: Cannot adopt default/ending: it is being deleted",
    "cronjob-controller: Cannot adopt default/overruled: its annotation cronjob-controller.dev/schedule is " +
    '"H * * * *" and would take the place of spec.schedule, which is "0 * * * *"; make them equal, or take the annotation away',
    "cronjob-controller: Cannot adopt default/owned: Backup nightly controls it and could undo the edits; let that set " +
    'spec.suspend to true and the annotation cronjob-controller.dev/managed to "true"',
  ]);
  assertMatch(stdout, /Adopted CronJob default\/c\n/);
  assertEquals(exitCode, 1);
  assertEquals(marks(await shared.get("owned")), [undefined, undefined, false]);
});

/** Names of which one is not to be had, and what is said: nothing is done to the others either. */
const ONE_IS_WRONG: readonly (readonly [name: string, message: string])[] = [
  ["nope", "There is no CronJob nope in namespace default"],
  ["overruled", "Nothing was changed: overruled: its annotation cronjob-controller.dev/schedule is"],
];

for (const [name, message] of ONE_IS_WRONG) {
  test(`adopt c ${name} adopts none of both`, async () => {
    await using shared = await SharedCluster.start("09:30:00");
    await shared.running.create(BATCH, {});
    await shared.running.create(BATCH, {}, { name: "overruled", annotations: { [SCHEDULE]: "H * * * *" } });
    await assertRejects(() => shared.adopt("c", name), Error, message);
    assertEquals(marks(await shared.get()), [undefined, undefined, false]);
  });
}

test("release c nope releases none of both", async () => {
  await using shared = await SharedCluster.start("09:30:00");
  await shared.running.create(BATCH, {}, { annotations: { [MANAGED]: "true" } });
  await assertRejects(() => shared.release("c", "nope", "--timeout", "0"), Error, "There is no CronJob nope");
  assertEquals(marks(await shared.get())[0], "true");
});

test("adopt takes labels too", async () => {
  await using shared = await SharedCluster.start("09:30:00");
  await shared.running.create(BATCH, {});
  await shared.running.create(BATCH, {}, { name: "other" });
  await shared.running.patch(BATCH, { metadata: { labels: { team: "a" } } });
  assertEquals((await shared.adopt("-l", "team=a")).exitCode, 0);
  assertEquals([marks(await shared.get())[0], marks(await shared.get("other"))[0]], ["true", undefined]);
});

test("adopt and release take one namespace, or all of them", async () => {
  await using shared = await SharedCluster.start("09:30:00");
  const { running } = shared;
  await running.client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } });
  await running.create(BATCH, {});
  await running.client.create(BATCH.resource, cronJobOf(BATCH, { name: "theirs", namespace: "team" }));
  const adopted = async (...args: string[]) =>
    [...(await shared.adopt(...args)).stdout.matchAll(/^Adopted CronJob (.*)$/gm)].map(([, key]) => key);
  assertEquals(await adopted("--all", "-n", "team"), ["team/theirs"]);
  assertEquals(await adopted("--all", "-A"), ["default/c"]);
  assertEquals((await shared.adopt("--all", "-n", "empty")).stderr, "There are no such CronJobs in namespace empty");
  const { stdout } = await shared.release("--all", "--all-namespaces", "--timeout", "0");
  assertEquals([...stdout.matchAll(/^Released CronJob (.*)$/gm)].map(([, key]) => key), ["default/c", "team/theirs"]);
});

test("release does without a controller, and ends what was begun", async () => {
  await using shared = await SharedCluster.start("09:30:00");
  const { running, upstream } = shared;
  await running.create(BATCH, { concurrencyPolicy: "Forbid" });
  await shared.adopt("c");
  await running.startControllers({ managedOnly: true });
  running.clock.set(at("10:00:00"));
  const job = await shared.jobFor("10:00:00");
  await shared.statusWith("the run", ({ active = [] }) => active.length === 1);
  await running.stopControllers();
  // Its end goes unnoticed; and the mark is all that an earlier release came to.
  await running.finish(job);
  const waiting = '[{"after":"2026-03-10T08:00:00Z","before":"2026-03-10T09:00:01Z"}]';
  await running.patch(BATCH, { metadata: { annotations: { [MANAGED]: "releasing", [WAITING]: waiting } } });
  const dry = (await shared.release("c", "--dry-run")).stdout;
  assertMatch(dry, /- +cronjob-controller\.dev\/managed: releasing/);
  assertMatch(dry, /CronJob default\/c: missed runs wait in line, and will not run/);
  assertEquals((await shared.get()).metadata.annotations?.[MANAGED], "releasing");

  const { stdout } = await shared.release("c", "--timeout", "0");
  assertMatch(stdout, new RegExp(`Jobs that change hands with it: ${job.metadata.name}\n`));
  assertMatch(stdout, /Released CronJob default\/c$/);
  const { metadata, spec, status } = await shared.get();
  assertEquals([metadata.annotations?.[MANAGED], spec.suspend], [undefined, false]);
  assertEquals([status?.lastScheduleTime, status?.active], [at("10:00:00"), undefined]);
  assertEquals(await shared.whoControls(), { [job.metadata.name]: "CronJob" });
  await upstream.sync();
  assertEquals(upstream.deeds, []);
  running.clock.set(at("11:00:00"));
  await upstream.sync();
  assertEquals(upstream.deeds.map(({ what }) => what), ["SuccessfulCreate", "status"]);
});

test("release names an unknown word in managed, and gives the CronJob back once that is corrected", async () => {
  await using shared = await SharedCluster.start("09:30:00");
  const { running } = shared;
  await running.create(BATCH, { suspend: true }, { annotations: { [MANAGED]: "True" } });
  const refused = await shared.release("c", "--timeout", "0");
  assertEquals(
    refused.stdout,
    `CronJob default/c is not adopted: annotation ${MANAGED}: "True" is ignored: must be one of true, false, releasing`,
  );
  await running.patch(BATCH, { metadata: { annotations: { [MANAGED]: "true" } } });
  assertMatch((await shared.release("c", "--timeout", "0")).stdout, /^Released CronJob default\/c$/m);
  const { metadata, spec } = await shared.get();
  assertEquals([metadata.annotations?.[MANAGED], spec.suspend], [undefined, false]);
});

test("release hands over what is left of a CronJob whose annotation was taken away", async () => {
  await using shared = await SharedCluster.start("09:30:00");
  const { running } = shared;
  await running.create(BATCH, { suspend: true }, { annotations: { [MANAGED]: "true" } });
  await running.startControllers({ managedOnly: true });
  running.clock.set(at("10:00:00"));
  const job = await shared.jobFor("10:00:00");
  await shared.statusWith("the run", ({ active = [] }) => active.length === 1);
  await running.patch(BATCH, { metadata: { annotations: { [MANAGED]: null } } });
  const { stdout, exitCode } = await shared.release("c");
  assertEquals(stdout, `CronJob default/c is not adopted\nHanded over Job default/${job.metadata.name}`);
  assertEquals(exitCode, 0);
  assertEquals(await shared.whoControls(), { [job.metadata.name]: "CronJob" });
});

test("adopt takes back what is being released", async () => {
  await using shared = await SharedCluster.start("09:30:00");
  await shared.running.create(BATCH, { suspend: true }, {
    annotations: { [MANAGED]: "releasing", [SUSPEND]: "true" },
  });
  assertEquals((await shared.adopt("c")).exitCode, 0);
  assertEquals(marks(await shared.get()), ["true", "true", true]);
});

test("release says how many CronJobs are still adopted, and that they run nowhere while no controller leads", async () => {
  await using shared = await SharedCluster.start("09:30:00");
  for (const name of ["a", "b"]) {
    await shared.running.create(BATCH, { suspend: true }, { name, annotations: { [MANAGED]: "true" } });
  }
  await claimLease(shared.running.client, { clock: shared.running.clock, flavours: [BATCH] });
  const lastLine = async (name: string) => (await shared.release(name, "--timeout", "0")).stdout.split("\n").at(-1);
  assertEquals(
    await lastLine("a"),
    "Still adopted: 1; release them too before the controller goes, or they run nowhere",
  );
  await shared.running.client.delete(LEASES, STANDALONE_LEASE);
  await shared.running.create(BATCH, { suspend: true }, { name: "c", annotations: { [MANAGED]: "true" } });
  const { stdout } = await shared.release("b", "--timeout", "0");
  assertMatch(stdout, /\n1 CronJob runs only if a controller is there: there is no Lease /);
});
