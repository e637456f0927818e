// Adopted CronJobs, with a second writer beside the controller that does as kube-controller-manager does.
import { assert, assertEquals, assertMatch } from "@std/assert";
import { addAdoptCommand } from "../../src/cli/adopt.ts";
import { addReleaseCommand } from "../../src/cli/release.ts";
import { MANAGED, SUSPEND } from "../../src/cronjob/annotations.ts";
import type { CronJobObject } from "../../src/cronjob/types.ts";
import { controllerOf } from "../../src/kube/object.ts";
import { type Job, JOBS } from "../../src/kube/resource.ts";
import { type Printed, runCommand } from "../cli/run_command.ts";
import { test } from "../support/test.ts";
import { UpstreamCronJobController } from "../support/upstream_cronjob_controller.ts";
import { BATCH, Running } from "./support/running.ts";

const DAY = "2026-03-10";
const at = (time: string) => `${DAY}T${time}Z`;

/** A cluster whose kube-controller-manager is there, and looks whenever a test lets it. */
class Shared implements AsyncDisposable {
  readonly upstream: UpstreamCronJobController;
  readonly #statuses: string[] = [];
  readonly #watch = new AbortController();
  #watching: Promise<void> = Promise.resolve();

  private constructor(readonly running: Running) {
    this.upstream = new UpstreamCronJobController(running.client, () => running.clock.now());
  }

  static async start(time: string): Promise<Shared> {
    const shared = new Shared(await Running.start(at(time), { controller: false }));
    shared.#watching = shared.#watchStatus();
    return shared;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watch.abort();
    await this.#watching;
    await this.running[Symbol.asyncDispose]();
  }

  command(add: typeof addAdoptCommand, ...args: string[]): Promise<Printed> {
    const { kubeconfigPath } = this.running.server.server;
    return runCommand(add, ...args, "--kubeconfig", kubeconfigPath);
  }

  adopt(...args: string[]): Promise<Printed> {
    return this.command(addAdoptCommand, "adopt", ...args);
  }

  release(...args: string[]): Promise<Printed> {
    return this.command(addReleaseCommand, "release", ...args);
  }

  get(name = "c"): Promise<CronJobObject> {
    return this.running.get(BATCH, name);
  }

  /** Every status that CronJob `c` had, one after the other. */
  async #watchStatus(): Promise<void> {
    try {
      for await (const { object } of this.running.client.watch(BATCH.resource, { signal: this.#watch.signal })) {
        if (object.metadata.name !== "c") continue;
        const { active = [], ...times } = object.status ?? {};
        const status = JSON.stringify([active.map(({ name }) => name), times]);
        if (status !== this.#statuses.at(-1)) this.#statuses.push(status);
      }
    } catch {
      // The test has ended.
    }
  }

  /** No status came back after another had taken its place. */
  assertStatusNeverWentBack(): void {
    assertEquals(this.#statuses.length, new Set(this.#statuses).size, this.#statuses.join("\n"));
  }

  /** The Job for this time, as soon as it is there. */
  jobFor(time: string): Promise<Job> {
    return this.running.until(
      `the Job of ${time}`,
      async () =>
        (await this.running.jobs()).find(({ metadata }) =>
          Date.parse(metadata.annotations?.[BATCH.scheduledTimeAnnotation] ?? "") === Date.parse(at(time))
        ),
    );
  }

  /** Waits until the CronJob's status says so; the other controller looks meanwhile, as it does after every change. */
  statusWith(what: string, is: (status: NonNullable<CronJobObject["status"]>) => unknown): Promise<unknown> {
    return this.running.until(what, async () => {
      await this.upstream.sync();
      return is((await this.get()).status ?? {});
    });
  }

  async whoControls(): Promise<Record<string, string | undefined>> {
    const jobs = await this.running.jobs();
    return Object.fromEntries(jobs.map((job) => [job.metadata.name, controllerOf(job)?.kind]));
  }
}

test("A CronJob is adopted, run, paused and released, and its other controller takes no notice", async () => {
  await using shared = await Shared.start("09:30:00");
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
  for (const [before, time] of [["09:50:00", "10:00:00"], ["10:00:00", "10:10:00"], ["10:10:00", "10:20:00"]]) {
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
  const { metadata, spec } = await shared.get();
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
    "deleted",
    "SawCompletedJob",
    "created",
    "status",
    "status",
  ]);
  assertEquals((await running.slots(BATCH)).at(-1), at("10:40:00"));
  assertEquals((await shared.get()).status?.lastScheduleTime, at("10:40:00"));
  assertEquals(running.requests.slice(requests).filter((request) => !request.includes("events")), []);
  const started = running.runs.filter(({ outcome }) => outcome === "started").map(({ jobName }) => jobName);
  assertEquals(started.length, new Set(started).size);
  shared.assertStatusNeverWentBack();
});
