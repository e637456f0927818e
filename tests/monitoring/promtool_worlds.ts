import { assertEquals } from "@std/assert";
import type { PerCronJob } from "../../src/cronjob/observer.ts";
import { CronJobMetrics } from "../../src/cronjob/metrics.ts";
import type { CronJobObserver } from "../../src/cronjob/observer.ts";
import { Metrics } from "../../src/telemetry/metrics.ts";
import { BATCH, type Flavour, Running, TUTORIAL } from "../cronjob/support/running.ts";
import { must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { exposed, seriesOf } from "../telemetry/support/exposition.ts";
import { expectAlerts, type Expectation, type Input, promtool } from "./support/promtool.ts";
import { ruleGroups } from "./support/rules.ts";
import { shownMetrics } from "./support/shown_metrics.ts";

/** A real controller at dates of the test's choice, and what Prometheus would have got from it, a sample a minute. */
class World implements AsyncDisposable {
  #minutes = 0;
  readonly #samples = new Map<string, string[]>();

  private constructor(readonly running: Running, readonly metrics: Metrics, readonly perCronJob: PerCronJob) {}

  static async at(time: string, perCronJob: PerCronJob): Promise<World> {
    const world = new World(await Running.start(time, { controller: false }), new Metrics(), perCronJob);
    await world.startControllers();
    return world;
  }

  /** How many minutes have been recorded: the time of the next sample. */
  get minutes(): number {
    return this.#minutes;
  }

  async startControllers(): Promise<void> {
    const { metrics, perCronJob, running } = this;
    const now = () => running.clock.now();
    await running.startControllers({
      observer: this.#observer ??= both(
        new CronJobMetrics(metrics, { perCronJob, now }),
        new CronJobMetrics(this.#whole, { perCronJob: "all", now }),
      ),
    });
  }

  #observer: Required<CronJobObserver> | undefined;
  /** All metrics, whatever is shown: the test waits by them. */
  readonly #whole = new Metrics();

  /** Waits until the metric of CronJob `c` has this value; 0: or none. */
  async until(metric: string, value: number): Promise<void> {
    const start = `cronjob_controller_cronjob_${metric}`;
    await this.running.until(`${metric} ${value}`, async () => {
      const found = Object.entries(seriesOf(await exposed(this.#whole))).find(([name]) =>
        name.startsWith(start) && name.includes('cronjob="c"')
      );
      return (found?.[1] ?? 0) === value;
    });
  }

  /** Lets what is shown now stay for so many minutes. */
  async record(minutes: number): Promise<void> {
    const shown = Object.entries(seriesOf(await exposed(this.metrics))).filter(([name]) => name.includes("cronjob="));
    for (const [name] of shown) if (!this.#samples.has(name)) this.#samples.set(name, Array(this.#minutes).fill("_"));
    const now = new Map(shown);
    for (const [name, samples] of this.#samples) {
      const value = now.get(name);
      // A series that a scrape does not show any more ends there.
      if (value !== undefined) samples.push(...Array<string>(minutes).fill(String(value)));
      else samples.push("stale", ...Array<string>(minutes - 1).fill("_"));
    }
    this.#minutes += minutes;
  }

  get input(): Input {
    return Object.fromEntries([...this.#samples].map(([name, samples]) => [name, samples.join(" ")]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.running[Symbol.asyncDispose]();
  }
}

function both(one: Required<CronJobObserver>, other: Required<CronJobObserver>): Required<CronJobObserver> {
  return {
    jobCreated: (...report) => [one, other].forEach((each) => each.jobCreated(...report)),
    run: (...report) => [one, other].forEach((each) => each.run(...report)),
    missed: (...report) => [one, other].forEach((each) => each.missed(...report)),
    looked: (...report) => [one, other].forEach((each) => each.looked(...report)),
    gone: (...report) => [one, other].forEach((each) => each.gone(...report)),
  };
}

async function rulesAboutCronJobs() {
  return (await ruleGroups()).find(({ name }) => name === "cronjobs")!.rules;
}

async function silentAt(minutes: readonly number[]): Promise<Expectation[]> {
  const rules = await rulesAboutCronJobs();
  return minutes.flatMap((minute) => rules.map(({ alert }) => ({ at: `${minute}m`, alert, fires: [] })));
}

function labelsOf(api: Flavour) {
  return { api_version: api.apiVersion, namespace: "default", cronjob: "c" };
}

for (const [api, perCronJob] of [[TUTORIAL, "essential"], [TUTORIAL, "all"], [BATCH, "essential"]] as const) {
  const flavour = `${api.apiVersion} (${perCronJob})`;

  test(`a weekday-only ${flavour} CronJob raises no alert on a Sunday, and does when Monday's run is missed`, async () => {
    await using world = await World.at("2026-03-13T08:30:00Z", perCronJob); // a Friday
    const { running } = world;
    await running.create(api, { schedule: "0 9 * * 1-5", startingDeadlineSeconds: 600 });
    await world.until("next_run_timestamp_seconds", Date.parse("2026-03-13T09:00:00Z") / 1_000);
    await world.record(30);
    running.clock.set("2026-03-13T09:00:00Z");
    await world.until("active", 1);
    await world.record(5);
    await running.finish(must((await running.jobs())[0]));
    await world.until("active", 0);
    await world.record(60);
    running.clock.set("2026-03-15T09:30:00Z"); // Sunday, half an hour after the time at which it runs on weekdays
    await world.record(120);
    const quiet = await silentAt([20, 34, 60, 95, 110, 150, 214]);

    await running.stopControllers();
    running.clock.set("2026-03-16T09:30:00Z");
    await world.startControllers();
    await world.until('missed_total{reason="MissSchedule"', 1);
    const monday = world.minutes;
    await world.record(60);
    await expectAlerts(await rulesAboutCronJobs(), world.input, [
      ...quiet,
      { at: `${monday + 5}m`, alert: "CronJobOverdue", fires: [] },
      { at: `${monday + 15}m`, alert: "CronJobOverdue", fires: [labelsOf(api)] },
      { at: `${monday + 15}m`, alert: "CronJobRunsMissed", fires: [{ ...labelsOf(api), reason: "MissSchedule" }] },
      { at: `${monday + 15}m`, alert: "CronJobBlocked", fires: [] },
      { at: `${monday + 15}m`, alert: "CronJobLastRunFailed", fires: [] },
    ]);
  });

  test(`a suspended ${flavour} CronJob raises no alert, however long it stays so`, async () => {
    await using world = await World.at("2026-03-10T08:30:00Z", perCronJob);
    const { running } = world;
    await running.create(api, { schedule: "*/5 * * * *", suspend: true });
    await world.until("active", 0);
    await world.record(60);
    running.clock.set("2026-03-12T08:31:00Z");
    await world.record(120);
    await expectAlerts(await rulesAboutCronJobs(), world.input, await silentAt([30, 70, 100, 179]));
  });

  test(`a ${flavour} CronJob raises alerts as its runs fail, and as one blocks the others`, async () => {
    await using world = await World.at("2026-03-10T08:59:00Z", perCronJob);
    const { running } = world;
    await running.create(api, { schedule: "0 * * * *", concurrencyPolicy: "Forbid", failedJobsHistoryLimit: 1 });
    const failed: number[] = [];
    for (const [hour, count] of [["09", 1], ["10", 2], ["11", 3]] as const) {
      running.clock.set(`2026-03-10T${hour}:00:00Z`);
      await world.until("active", 1);
      const newest = (await running.jobs()).find(({ status }) => status?.conditions === undefined)!;
      await running.finish(newest, "Failed");
      await world.until("active", 0);
      await world.until("consecutive_failures", count);
      failed.push(world.minutes);
      await world.record(10);
    }
    running.clock.set("2026-03-10T12:00:00Z");
    await world.until("active", 1);
    await world.record(60);
    running.clock.set("2026-03-10T13:00:00Z");
    await world.until("overdue", 1);
    const blocked = world.minutes;
    await world.record(90);
    const cronJob = labelsOf(api);
    await expectAlerts(await rulesAboutCronJobs(), world.input, [
      { at: `${must(failed[0]) + 5}m`, alert: "CronJobLastRunFailed", fires: [cronJob] },
      { at: `${must(failed[1]) + 5}m`, alert: "CronJobLastRunFailed", fires: [cronJob] },
      { at: `${must(failed[1]) + 5}m`, alert: "CronJobFailing", fires: [] },
      { at: `${must(failed[2]) + 5}m`, alert: "CronJobFailing", fires: [cronJob] },
      { at: `${must(failed[2]) + 5}m`, alert: "CronJobLastRunFailed", fires: [] },
      { at: `${blocked - 1}m`, alert: "CronJobBlocked", fires: [] },
      { at: `${blocked + 70}m`, alert: "CronJobBlocked", fires: [cronJob] },
      { at: `${blocked + 70}m`, alert: "CronJobOverdue", fires: [] },
    ]);
  });
}

test("a CronJob that stops after too many missed runs raises the alert, and none when it is deleted", async () => {
  await using world = await World.at("2026-03-10T08:59:00Z", "essential");
  const { running } = world;
  await running.stopControllers();
  await running.create(TUTORIAL, { schedule: "* * * * *" });
  running.clock.set("2026-03-10T12:30:30Z");
  await world.startControllers();
  await world.until("overdue", 1);
  await world.record(30);
  await running.client.delete(TUTORIAL.resource, { name: "c", namespace: "default" });
  await world.until("overdue", 0);
  await world.record(30);
  await expectAlerts(await rulesAboutCronJobs(), world.input, [
    { at: "20m", alert: "CronJobOverdue", fires: [labelsOf(TUTORIAL)] },
    { at: "50m", alert: "CronJobOverdue", fires: [] },
  ]);
});

test("what a controller shows passes promtool's own examination", async () => {
  const { text } = await promtool(["check", "metrics"], { stdin: await shownMetrics() });
  // The label `backoffLimit` is upstream's.
  const faults = text.split("\n").filter((line) => line !== "" && !line.startsWith("job_controller_"));
  assertEquals(faults, []);
});
