// Adopted CronJobs, with a second writer beside the controller that does as kube-controller-manager does.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { INSTANTIATE, MANAGED, SUSPEND } from "../../src/cronjob/api/annotations.ts";
import { readCronJob } from "../../src/cronjob/api/read_cron_job.ts";
import type { CronJobState } from "../../src/cronjob/observer.ts";
import { controllerOf } from "../../src/kube/object.ts";
import { JOBS } from "../../src/kube/resource.ts";
import { runnerOf, UNSEEN } from "../../src/view/runner.ts";
import { must } from "../support/expected.ts";
import { configureLogging } from "../../src/telemetry/logging.ts";
import { test } from "../support/test.ts";
import { BATCH } from "./support/running.ts";
import { at, SharedCluster } from "./support/shared_cluster.ts";
import { jobOf } from "../support/job.ts";

test("A CronJob is adopted, run, paused and released, and its other controller takes no notice", async () => {
  await using shared = await SharedCluster.start("09:30:00");
  const { running, upstream } = shared;
  await running.create(BATCH, {
    schedule: "*/10 * * * *",
    concurrencyPolicy: "Forbid",
    successfulJobsHistoryLimit: 2,
  });
  running.clock.set(at("09:40:00"));
  await upstream.sync();
  const first = await shared.jobFor("09:40:00");
  await running.startControllers({ managedOnly: true, counted: true });

  // Adopted while a Job runs.
  const { stdout } = await shared.adopt("c");
  assertMatch(stdout, /\+ +cronjob-controller\.dev\/managed: "true"/);
  assertMatch(stdout, /- +suspend: false\n\+ +suspend: true/);
  assertMatch(stdout, new RegExp(`change hands with it: ${first.metadata.name}`));
  await running.until(
    "the Job in our hands",
    async () => (await shared.whoControls())[first.metadata.name] === undefined,
  );
  upstream.deeds.length = 0;
  running.clock.set(at("09:50:00"));
  await running.until("the refusal", async () => {
    await upstream.sync();
    return (await running.events("JobAlreadyActive")).length > 0;
  });
  await running.finish(first);
  await shared.statusWith("the next run", ({ lastScheduleTime }) => lastScheduleTime === at("09:50:00"));

  // Run, with the history kept short by one of them.
  for (
    const [before, time] of [["09:50:00", "10:00:00"], ["10:00:00", "10:10:00"], [
      "10:10:00",
      "10:20:00",
    ]] as const
  ) {
    await running.finish(await shared.jobFor(before));
    await shared.statusWith("the end", ({ active = [] }) => active.length === 0);
    running.clock.set(at(time));
    await shared.statusWith(`the run of ${time}`, ({ lastScheduleTime }) => lastScheduleTime === at(time));
  }
  await running.finish(await shared.jobFor("10:20:00"));
  await running.until("the clean-up", async () => (await running.jobs()).length === 2);

  // Paused, and resumed.
  await running.patch(BATCH, { metadata: { annotations: { [SUSPEND]: "true" } } });
  running.clock.set(at("10:30:00"));
  await running.patch(BATCH, { metadata: { annotations: { "cronjob-controller.dev/trigger": "while-paused" } } });
  const byHand = await running.until(
    "a run by hand",
    async () => (await running.jobs()).find(({ metadata }) => metadata.name.startsWith("c-m")),
  );
  await running.finish(byHand);
  await shared.statusWith("the end", ({ active = [] }) => active.length === 0);
  assertEquals((await running.slots(BATCH)).at(-1), at("10:20:00"));
  await running.patch(BATCH, { metadata: { annotations: { [SUSPEND]: null } } });
  const last = await shared.jobFor("10:30:00");
  await shared.statusWith("the run", ({ active = [] }) => active.length === 1);
  assertEquals(upstream.deeds, []);

  // Released while a Job runs.
  const released = await shared.release("c");
  assertMatch(released.stdout, /- +suspend: true\n\+ +suspend: false/);
  assertMatch(released.stdout, /Released CronJob default\/c$/);
  const { metadata, spec, ...rest } = await shared.get();
  const { by } = runnerOf(readCronJob(BATCH, { metadata, spec, ...rest }), UNSEEN, running.clock.now());
  assertEquals(by, "kube-controller-manager");
  assertEquals([metadata.annotations?.[MANAGED], metadata.annotations?.[SUSPEND], spec.suspend], [
    undefined,
    undefined,
    false,
  ]);
  assertEquals(new Set(Object.values(await shared.whoControls())), new Set(["CronJob"]));
  const requests = running.requests.length;
  await upstream.sync();
  assertEquals(upstream.deeds, []);
  running.clock.set(at("10:40:00"));
  await upstream.sync();
  assertEquals(upstream.deeds.map(({ what }) => what), ["JobAlreadyActive"]);
  await running.finish(last);
  await upstream.sync();
  await upstream.sync();
  assertEquals(upstream.deeds.map(({ what }) => what), [
    "JobAlreadyActive",
    // What is too much for the history, once its look sees the third of the Jobs that it got.
    "SuccessfulDelete",
    "SawCompletedJob",
    "SuccessfulCreate",
    "status",
    "status",
  ]);
  assertEquals((await running.slots(BATCH)).at(-1), at("10:40:00"));
  assertEquals((await shared.get()).status?.lastScheduleTime, at("10:40:00"));
  assertEquals(running.requests.slice(requests).filter((request) => !request.includes("events")), []);
  const started = running.runs.filter(({ outcome }) => outcome === "started").map(({ jobName }) => jobName);
  assertEquals(started.length, new Set(started).size);
  shared.statuses.assertNeverWentBack();
});

test("An adopted CronJob that is no longer suspended is left to the other controller, until it is suspended again", async () => {
  await using shared = await SharedCluster.start("09:30:00");
  const { running, upstream } = shared;
  await running.create(BATCH, { schedule: "*/10 * * * *", concurrencyPolicy: "Forbid", suspend: true }, {
    annotations: { [MANAGED]: "true" },
  });
  const states: (CronJobState | undefined)[] = [];
  const observer = { looked: (_: unknown, state: CronJobState) => void states.push(state) };
  await running.startControllers({ managedOnly: true, counted: true, observer });
  running.clock.set(at("09:40:00"));
  const job = await shared.jobFor("09:40:00");
  await shared.statusWith("the run", ({ active = [] }) => active.length === 1);
  await running.until("its state", () => states.at(-1)?.isContested === false);

  await running.patch(BATCH, { spec: { suspend: false } });
  await running.until(
    "the Job in other hands",
    async () => (await shared.whoControls())[job.metadata.name] === "CronJob",
  );
  await running.until("a warning", async () => (await running.events("NotSuspended")).length === 1);
  await running.until("its state", () => states.at(-1)?.isContested === true);
  const requests = running.requests.length;
  running.clock.set(at("09:50:00"));
  await upstream.sync();
  assertEquals(upstream.deeds.map(({ what }) => what), ["JobAlreadyActive"]);
  await running.finish(job);
  await upstream.sync();
  const theirs = await shared.jobFor("09:50:00");
  await running.finish(theirs);
  await upstream.sync();
  running.clock.set(at("10:00:00"));
  await upstream.sync();
  assertEquals((await shared.jobFor("10:00:00")).metadata.ownerReferences?.[0]?.controller, true);
  assertEquals(running.requests.slice(requests), [], "It was not left alone");

  // Suspended again: what runs is taken over, and what has run doesn't run again.
  await running.patch(BATCH, { spec: { suspend: true } });
  await running.until(
    "all Jobs in our hands",
    async () => Object.values(await shared.whoControls()).every((kind) => kind === undefined),
  );
  upstream.deeds.length = 0;
  await running.finish(await shared.jobFor("10:00:00"));
  running.clock.set(at("10:10:00"));
  await shared.jobFor("10:10:00");
  await shared.statusWith("the run", ({ lastScheduleTime }) => lastScheduleTime === at("10:10:00"));
  assertEquals(await running.slots(BATCH), ["09:40:00", "09:50:00", "10:00:00", "10:10:00"].map(at));
  assertEquals(upstream.deeds, []);
  assertEquals((await running.events("NotSuspended")).map(({ count }) => count ?? 1), [1]);
  shared.statuses.assertNeverWentBack();
});

test("A run that the other controller starts on old news is the only one of its time, and is taken over", async () => {
  await using shared = await SharedCluster.start("09:30:00");
  const { running, upstream } = shared;
  await running.create(BATCH, { schedule: "*/10 * * * *", concurrencyPolicy: "Forbid" });
  const before = await upstream.look();
  await shared.adopt("c");
  running.clock.set(at("09:40:00"));
  await upstream.syncOne(must(before.cronJobs[0]), before.jobs);
  assertEquals(upstream.deeds.map(({ what }) => what), ["SuccessfulCreate"]);
  await running.startControllers({ managedOnly: true });
  await shared.statusWith(
    "the run",
    ({ active = [], lastScheduleTime }) => active.length === 1 && lastScheduleTime === at("09:40:00"),
  );
  assertEquals(Object.values(await shared.whoControls()), [undefined]);
  assertEquals(running.runs, []);

  // The other way round: it comes too late.
  await running.finish(await shared.jobFor("09:40:00"));
  await shared.statusWith("the end", ({ active = [] }) => active.length === 0);
  running.clock.set(at("09:50:00"));
  const ours = await shared.jobFor("09:50:00");
  const deeds = upstream.deeds.length;
  await upstream.syncOne({ ...must(before.cronJobs[0]), status: { lastScheduleTime: at("09:40:00") } }, []);
  assertEquals(upstream.deeds.slice(deeds), []);
  assertEquals((await running.jobs()).length, 2);
  assertEquals((await shared.jobFor("09:50:00")).metadata.uid, ours.metadata.uid);
});

test("A Job that a user makes from an adopted CronJob counts as its own, and the other controller leaves it alone", async () => {
  await using shared = await SharedCluster.start("09:30:00");
  const { running, upstream } = shared;
  const annotations = { [MANAGED]: "true" };
  const cronJob = await running.create(BATCH, { concurrencyPolicy: "Forbid", suspend: true }, { annotations });
  await running.startControllers({ managedOnly: true });
  // As `kubectl create job by-hand --from=cronjob/c` does.
  await running.client.create(
    JOBS,
    jobOf({ name: "by-hand", annotations: { [INSTANTIATE]: "manual" }, owner: cronJob }),
  );
  await running.until("the Job in our hands", async () => {
    const { active } = (await shared.get()).status ?? {};
    return active?.length === 1 && (await running.jobs()).every((job) => controllerOf(job) === undefined);
  });
  running.clock.set(at("10:00:00"));
  await running.until("the refusal", async () => {
    await upstream.sync();
    return (await running.events("JobAlreadyActive")).length > 0;
  });
  assertEquals(upstream.deeds, []);
});

test("The Jobs of an adopted CronJob go when it goes", async () => {
  await using shared = await SharedCluster.start("09:30:00");
  const { running } = shared;
  await running.create(BATCH, { suspend: true }, { annotations: { [MANAGED]: "true" } });
  await running.startControllers({ managedOnly: true });
  running.clock.set(at("10:00:00"));
  await shared.jobFor("10:00:00");
  await running.client.delete(BATCH.resource, { namespace: "default", name: "c" }, { propagationPolicy: "Background" });
  await running.until("nothing left", async () => (await running.jobs()).length === 0);
});

test("With managedOnly, what is not adopted is none of the controller's business, whatever is said of it", async () => {
  await using shared = await SharedCluster.start("09:30:00");
  const { running } = shared;
  await running.create(BATCH, {}, { annotations: { [MANAGED]: "false", "cronjob-controller.dev/trigger": "now" } });
  await running.create(BATCH, { suspend: true }, { name: "ours", annotations: { [MANAGED]: "true" } });
  const seen = new Set<string>();
  const observer = { looked: ({ name }: { name: string }) => void seen.add(name) };
  await running.startControllers({ managedOnly: true, counted: true, observer });
  running.clock.set(at("10:00:00"));
  const { metadata } = await shared.jobFor("10:00:00");
  assertEquals(metadata.ownerReferences?.[0]?.name, "ours");
  await running.until("the status", async () => (await shared.get("ours")).status?.active);
  await running.until("a look at it", () => seen.size > 0);
  assertEquals([...seen], ["ours"]);
  assertEquals((await shared.get()).status, {});
  assert(running.requests.every((request) => !request.startsWith("patch")));
});

test("With managedOnly, an unknown word in managed is a Warning and a line of the log, once for each value", async () => {
  await using shared = await SharedCluster.start("09:30:00");
  const { running } = shared;
  const lines: string[] = [];
  configureLogging({ level: "warning", format: "text", write: (line) => lines.push(line) });
  using _quiet = { [Symbol.dispose]: () => void configureLogging({ level: "fatal", format: "text", write: () => {} }) };
  await running.create(BATCH, { suspend: true }, { annotations: { [MANAGED]: "True" } });
  await running.startControllers({ managedOnly: true, counted: true });
  const warnings = async () => (await running.events("InvalidAnnotation")).map(({ message }) => message);
  await running.until("a warning", async () => (await warnings()).length === 1);
  await running.patch(BATCH, { metadata: { labels: { a: "b" } } });
  await running.patch(BATCH, { metadata: { annotations: { [MANAGED]: "yes" } } });
  await running.until("the next one", async () => (await warnings()).length === 2);
  const said = (word: string) =>
    `annotation cronjob-controller.dev/managed: "${word}" is ignored: must be one of true, false, releasing`;
  assertEquals((await warnings()).sort(), [said("True"), said("yes")]);
  assertEquals(lines.filter((line) => line.includes("Not running default/c")).length, 2);
});

test("Who takes over says of what, and with managedOnly how many are adopted", async () => {
  await using shared = await SharedCluster.start("09:30:00");
  const { running } = shared;
  const lines: string[] = [];
  configureLogging({ level: "info", format: "text", write: (line) => lines.push(line) });
  using _quiet = { [Symbol.dispose]: () => void configureLogging({ level: "fatal", format: "text", write: () => {} }) };
  await running.create(BATCH, {});
  await running.create(BATCH, { suspend: true }, { name: "ours", annotations: { [MANAGED]: "true" } });
  const leading = { isLeader: true, ready: () => Promise.resolve() };
  await running.startControllers({ managedOnly: true, leading });
  const said = (words: string) => lines.some((line) => line.includes(words));
  await running.until("the line", () => said("Took over"));
  await running.until("all", () => said("Took over the 1 adopted CronJobs of batch/v1; 2 are there"));
  await running.until("others", () => said("Took over 0 CronJobs of cronjob-controller.dev/v1"));
});
