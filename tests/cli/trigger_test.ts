import { assertEquals, assertMatch } from "@std/assert";
import { addTriggerCommand } from "../../src/cli/trigger/command.ts";
import { type Job, JOBS } from "../../src/kube/resource.ts";
import type { CronJobSpec } from "../../src/cronjob/api/types.ts";
import { BATCH, type Flavour, FLAVOURS, Running, TUTORIAL } from "../cronjob/support/running.ts";
import type { Clock } from "../../src/base/clock.ts";
import { atLeast } from "../support/expected.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { test } from "../support/test.ts";
import { askForRefused, type Refused } from "./support/refused.ts";
import { type Printed, runCommand } from "./support/run_command.ts";
import { asRealCluster, SeededCluster, type SeededCronJob } from "./support/seeded_cluster.ts";

const PAST = { schedule: "0 0 1 1 *" };

function trigger(
  { server: { server }, clock }: Pick<Running, "server"> & { clock: Clock },
  ...args: string[]
): Promise<Printed> {
  const add = (program: Parameters<typeof addTriggerCommand>[0]) => addTriggerCommand(program, clock);
  return runCommand(add, "trigger", "--kubeconfig", server.kubeconfigPath, ...args);
}

/** Ends the one Job that there is once it is there. */
async function finish(running: Running, condition: "Complete" | "Failed"): Promise<Job> {
  const job = await running.firstJob();
  await running.finish(job, condition);
  return job;
}

for (const api of FLAVOURS) {
  test(`trigger --follow exits with the outcome of the run (${api.controllerName})`, async () => {
    await using running = await Running.start("2026-03-10T10:20:00Z");
    await running.create(api, PAST);
    for (const [condition, exitCode] of [["Failed", 1], ["Complete", 0]] as const) {
      const following = trigger(running, "c", "--follow");
      const { metadata: { name, annotations } } = await finish(running, condition);
      const printed = await following;
      const id = annotations?.["cronjob-controller.dev/trigger"];
      const asked = id === undefined ? `c Job created: ${name}` : `c asked for a run (trigger ${id}): ${name}`;
      const end = condition === "Failed" ? `${name} failed after 0s: exit 3` : `${name} succeeded after 0s`;
      assertEquals(printed.stdout.replace(/after \d+s/, "after 0s"), `${asked}\n${end}`);
      const unread = `The run ${name} has no Pod whose output could be read: `;
      const remedy = `explain c --job ${name} -n default says what is known of it`;
      assertEquals(printed.stderr, `cronjob-controller: ${unread}${remedy}`);
      assertEquals(printed.exitCode, exitCode);
      assertMatch(id ?? "cli-20260310T102000Z-kubernetes-admin", /^cli-20260310T10\d{4}Z-kubernetes-admin$/);
      await running.client.delete(JOBS, { namespace: "default", name }, { propagationPolicy: "Background" });
      await running.until("no Job", async () => (await running.jobs()).length === 0);
      // Another second, another request.
      running.clock.set("2026-03-10T10:21:00Z");
    }
  });
}

test("trigger --follow says that the policy has refused the run", async () => {
  await using running = await Running.start("2026-03-10T10:20:00Z");
  await running.create(TUTORIAL, { ...PAST, concurrencyPolicy: "Forbid" });
  await trigger(running, "c");
  await running.until("the answer", async () => (await running.get(TUTORIAL)).status?.lastTrigger !== undefined);
  running.clock.set("2026-03-10T10:21:00Z");
  const { stdout, exitCode } = await trigger(running, "c", "--follow");
  assertEquals(stdout.split("\n")[1], "c was not run: concurrencyPolicy Forbid, and another run is active");
  assertEquals(exitCode, 1);
});

test("trigger --follow fails where the chosen CronJob is left as it is", async () => {
  await using running = await Running.start("2026-03-10T10:20:00Z", { controller: false });
  const unanswered = { "cronjob-controller.dev/trigger": "cli-1" };
  await running.create(TUTORIAL, PAST, { annotations: unanswered });
  const { stdout, exitCode } = await trigger(running, "--all", "--follow");
  assertEquals([stdout, exitCode], ["c left as it is: no controller has answered the request cli-1 yet", 1]);
  assertEquals((await trigger(running, "--all")).exitCode, 0);
});

test("trigger asks twice in a second for one run", async () => {
  await using running = await Running.start("2026-03-10T10:20:00Z");
  await running.create(TUTORIAL, PAST);
  // However long each takes, both are asked for in that second.
  const clock = new FakeClock("2026-03-10T10:20:30Z");
  const jobs = [];
  for (let i = 0; i < 2; i++) {
    jobs.push(JSON.parse((await trigger({ server: running.server, clock }, "c", "-o", "json")).stdout)[0].job);
  }
  assertEquals(jobs[0], jobs[1]);
  await running.until("a Job", async () => (await running.jobs()).length > 0);
  assertEquals((await running.jobs()).map(({ metadata }) => metadata.name), [jobs[0]]);
});

const TEMPLATE = (args: string[]): CronJobSpec["jobTemplate"] => ({
  spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox", args }] } } },
});

function seededTrigger({ clock, kubeconfig }: SeededCluster, ...args: string[]): Promise<Printed> {
  const add = (program: Parameters<typeof addTriggerCommand>[0]) => addTriggerCommand(program, clock);
  return runCommand(add, "trigger", "--kubeconfig", kubeconfig, ...args);
}

async function triggered(api: Flavour, seeded: Partial<SeededCronJob>, ...args: string[]) {
  await using cluster = await SeededCluster.start("10:20", [{ name: "sync", api, ...seeded }]);
  const printed = await seededTrigger(cluster, ...args);
  const { items } = await cluster.api.client.list(JOBS, { namespace: "default" });
  return { printed, jobs: items };
}

test("trigger with other arguments and variables creates a Job of its own", async () => {
  const spec = { jobTemplate: TEMPLATE(["-a"]) };
  const { printed, jobs } = await triggered(
    TUTORIAL,
    { spec },
    "sync",
    "--set",
    "DAY=a=b",
    "--set",
    "X=",
    "--",
    "-v",
    "sync",
  );
  const [job] = atLeast(1, jobs);
  assertEquals(printed.stdout, `sync Job created: ${job.metadata.name}`);
  assertMatch(job.metadata.name, /^sync-manual-[a-z0-9]{5}$/);
  const [{ args, env }] = atLeast(1, job.spec!.template.spec!.containers);
  assertEquals(args, ["-v", "sync"]);
  assertEquals(env?.map(({ name, value }) => [name, value ?? ""]), [["DAY", "a=b"], ["X", ""]]);
  assertEquals(job.metadata.annotations, { "cronjob.kubernetes.io/instantiate": "manual" });
});

test("trigger --dry-run starts nothing", async () => {
  using _real = asRealCluster();
  const { printed, jobs } = await triggered(BATCH, {}, "sync", "--dry-run");
  assertEquals([printed.stdout, jobs], ["sync Job created (dry run)", []]);
});

const WRONG: readonly Refused[] = [
  ["nope", "There is no CronJob nope in namespace default"],
  ["sync --set =x", "must be NAME=VALUE"],
  ["sync --follow -o json", "Give either --follow or --output json, not both"],
  ["-l a=b --follow", "--follow needs one CronJob, and these are 0"],
];

test("trigger says in a sentence what is wrong", async (context) => {
  await using cluster = await SeededCluster.start("10:20", [{ name: "sync", api: BATCH }]);
  await askForRefused(context, WRONG, (...args) => seededTrigger(cluster, ...args));
});

test("a Job that the API server refuses is reported in a line", async () => {
  const refused = await triggered(BATCH, {}, "sync", "--set", "\n=b");
  assertEquals([refused.jobs.length, refused.printed.exitCode], [0, 1]);
  assertMatch(refused.printed.stderr, /^cronjob-controller: sync: .*Invalid value[^\n]*$/);
});
