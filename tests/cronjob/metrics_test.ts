import { assertEquals } from "@std/assert";
import { CronJobMetrics } from "../../src/cronjob/metrics.ts";
import { stableHash } from "../../src/schedule/stable_hash.ts";
import { Metrics } from "../../src/telemetry/metrics.ts";
import { must } from "../support/expected.ts";
import { FLAVOURS, Running } from "./support/running.ts";
import { test } from "../support/test.ts";
import { exposed, seriesOf } from "../telemetry/support/exposition.ts";

const DAY = "2026-03-10";
const at = (time: string) => Date.parse(`${DAY}T${time}Z`) / 1_000;

/** Returns the metrics of CronJob `c` besides its spec, by name (without the common prefix) and labels of its own. */
async function shown(metrics: Metrics): Promise<Record<string, number>> {
  const values: Record<string, number> = {};
  for (const line of (await exposed(metrics)).split("\n")) {
    const match = /^cronjob_controller_cronjob_(\w+)\{([^}]*)\} (\S+)$/.exec(line);
    if (!match?.[2]?.includes('cronjob="c"') || match[1] === "info") continue;
    const own = must(match[2]).split(",").slice(0, -3).map((label) => label.replace(/^\w+="(.*)"$/, "$1"));
    values[[match[1], ...own].join(" ")] = Number(match[3]);
  }
  return values;
}

test("CronJobMetrics shows how each CronJob stands and what became of its runs, in every flavour", async () => {
  for (const api of FLAVOURS) {
    const metrics = new Metrics();
    await using running = await Running.start(`${DAY}T09:30:00Z`, { controller: false });
    const observer = new CronJobMetrics(metrics, { perCronJob: "all", now: () => running.clock.now() });
    await running.startControllers({ observer });
    const until = (metric: string, value: number) =>
      running.until(`${metric} ${value}`, async () => (await shown(metrics))[metric] === value);
    const finishNewest = async (condition: "Complete" | "Failed") => {
      const jobs = await running.jobs();
      const newest = jobs.find((job) => job.status?.conditions === undefined)!;
      await running.finish(newest, condition);
    };
    await running.create(api, { concurrencyPolicy: "Forbid", startingDeadlineSeconds: 600 });
    await until("next_run_timestamp_seconds", at("10:00:00"));
    assertEquals(await shown(metrics), {
      next_run_timestamp_seconds: at("10:00:00"),
      overdue: 0,
      ran_ahead: 0,
      suspended: 0,
      active: 0,
      consecutive_failures: 0,
      "runs_total Succeeded Schedule": 0,
      "runs_total Succeeded Manual": 0,
      "runs_total Failed Schedule": 0,
      "runs_total Failed Manual": 0,
      "runs_total Skipped Schedule": 0,
      "runs_total Skipped Manual": 0,
      "missed_total MissSchedule": 0,
      "missed_total PassedOver": 0,
      "missed_total JobNameTaken": 0,
    });

    running.clock.set(`${DAY}T10:00:00Z`);
    await until("active", 1);
    running.clock.set(`${DAY}T11:00:00Z`);
    await until("runs_total Skipped Schedule", 1);
    await until("overdue", 1);
    // After its deadline, so that the refused one does not start after all.
    running.clock.set(`${DAY}T11:20:00Z`);
    await finishNewest("Failed");
    await until("runs_total Failed Schedule", 1);
    await until("active", 0);

    // No controller is there for three of them, and the last is too late by then.
    await running.stopControllers();
    running.clock.set(`${DAY}T14:30:00Z`);
    await running.startControllers({ observer });
    await until("missed_total MissSchedule", 1);
    running.clock.set(`${DAY}T15:00:00Z`);
    await until("active", 1);
    await finishNewest("Complete");
    await until("runs_total Succeeded Schedule", 1);

    const values = await shown(metrics);
    const {
      last_failure_timestamp_seconds: failed = NaN,
      last_success_timestamp_seconds: succeeded = NaN,
      run_duration_p50_seconds: half = NaN,
      run_duration_p95_seconds: nearlyAll = NaN,
      ...others
    } = values;
    // The clock goes on while a Job is started.
    assertEquals(half < 30 && Math.abs(nearlyAll - 4_800) < 30, true, `${half}, ${nearlyAll}`);
    assertEquals(Math.abs(failed - at("11:20:00")) < 30 && Math.abs(succeeded - at("15:00:00")) < 30, true);
    assertEquals(others, {
      next_run_timestamp_seconds: at("16:00:00"),
      last_schedule_timestamp_seconds: at("15:00:00"),
      overdue: 0,
      ran_ahead: 0,
      suspended: 0,
      active: 0,
      consecutive_failures: 0,
      // Counts begin with the controllers.
      "runs_total Succeeded Schedule": 1,
      "runs_total Succeeded Manual": 0,
      "runs_total Failed Schedule": 0,
      "runs_total Failed Manual": 0,
      "runs_total Skipped Schedule": 0,
      "runs_total Skipped Manual": 0,
      "missed_total MissSchedule": 1,
      // The closed status of Kubernetes' own doesn't show the next process that one was refused.
      "missed_total PassedOver": api.openStatus ? 2 : 3,
      "missed_total JobNameTaken": 0,
    }, api.resource.group);

    await running.client.delete(api.resource, { name: "c", namespace: "default" });
    await running.until("nothing", async () => Object.keys(await shown(metrics)).length === 0);
  }
});

test("the skew of a start counts from the instant to which its spread moves it", async () => {
  const skews: number[] = [];
  await using running = await Running.start(`${DAY}T09:30:00Z`, { controller: false });
  await running.startControllers({ observer: { jobCreated: ({ skewSeconds }) => skews.push(skewSeconds) } });
  const { metadata } = await running.create(must(FLAVOURS[0]), { spreadSeconds: 1_800 });
  running.clock.set(`${DAY}T10:30:00Z`);
  await running.until("a start", () => Promise.resolve(skews.length === 1));
  const skew = 1_800 - stableHash(metadata.uid) % 1_800;
  assertEquals(Math.abs(must(skews[0]) - skew) < 30, true, `${skews[0]} s, ${skew} s`);
});

test("CronJobMetrics shows the skew under upstream's name, and nothing of single CronJobs when it is not to", async () => {
  const metrics = new Metrics();
  const observer = new CronJobMetrics(metrics, { perCronJob: "none", now: () => 0 });
  observer.jobCreated({ skewSeconds: 3 });
  const cronJob = { apiVersion: "batch/v1", namespace: "a", name: "b" };
  observer.run(cronJob, { outcome: "Failed", trigger: "Schedule" });
  observer.looked(cronJob, { active: 1, isOverdue: false, consecutiveFailures: 1 });
  const series = seriesOf(await exposed(metrics));
  const name = "cronjob_controller_job_creation_skew_duration_seconds";
  assertEquals(Object.keys(series).filter((name) => name.includes("cronjob=")), []);
  assertEquals([series[`${name}_bucket{le="2"}`], series[`${name}_bucket{le="4"}`]], [0, 1]);
});

test("CronJobMetrics counts failures in a row where no status does, and keeps the last failure that history has lost", async () => {
  const metrics = new Metrics();
  const observer = new CronJobMetrics(metrics, { perCronJob: "all", now: () => 0 });
  const cronJob = { apiVersion: "batch/v1", namespace: "a", name: "c" };
  const look = (lastFailure?: number) =>
    observer.looked(cronJob, { active: 0, isOverdue: false, consecutiveFailures: 1, lastFailure });
  for (const time of [1_000, 2_000, 3_000]) {
    observer.run(cronJob, { outcome: "Failed", trigger: "Schedule" });
    look(time);
  }
  look();
  const { consecutive_failures, last_failure_timestamp_seconds } = await shown(metrics);
  assertEquals({ consecutive_failures, last_failure_timestamp_seconds }, {
    consecutive_failures: 3,
    last_failure_timestamp_seconds: 3,
  });
});

test("CronJobMetrics shows no next run and nothing overdue of a CronJob that is suspended, and counts on after an edit", async () => {
  for (const api of FLAVOURS) {
    const metrics = new Metrics();
    await using running = await Running.start(`${DAY}T09:30:00Z`, { controller: false });
    const observer = new CronJobMetrics(metrics, { perCronJob: "all", now: () => running.clock.now() });
    await running.startControllers({ observer });
    const until = (metric: string, value: number | undefined) =>
      running.until(`${metric} ${value}`, async () => (await shown(metrics))[metric] === value);
    await running.create(api, {});
    await until("next_run_timestamp_seconds", at("10:00:00"));
    running.clock.set(`${DAY}T10:00:00Z`);
    await until("active", 1);
    await running.finish(must((await running.jobs())[0]));
    await until("runs_total Succeeded Schedule", 1);

    await running.patch(api, { spec: { suspend: true } });
    await until("next_run_timestamp_seconds", undefined);
    running.clock.set(`${DAY}T12:30:00Z`);
    const suspended = await shown(metrics);
    assertEquals([suspended.overdue, suspended["runs_total Succeeded Schedule"]], [0, 1], api.resource.group);
    assertEquals(suspended.suspended, 1, api.resource.group);

    // Due while it was suspended: nothing is missed, nothing overdue.
    await running.patch(api, { spec: { suspend: false, schedule: "0 18 * * *" } });
    await until("next_run_timestamp_seconds", at("18:00:00"));
    const resumed = await shown(metrics);
    assertEquals([resumed.overdue, resumed["runs_total Succeeded Schedule"]], [0, 1], api.resource.group);
    assertEquals(resumed.suspended, 0, api.resource.group);
  }
});

test("CronJobMetrics shows as contested what another controller runs as well, until it is no longer seen", async () => {
  const metrics = new Metrics();
  const observer = new CronJobMetrics(metrics, { perCronJob: "all", now: () => 0 });
  const state = { active: 0, isOverdue: false, consecutiveFailures: 0 };
  const cases = [[{}, undefined], [{ rival: "it created job c-1" }, 1], [{}, undefined], [
    { isContested: false },
    0,
  ]] as const;
  for (const [more, contested] of cases) {
    observer.looked({ apiVersion: "batch/v1", namespace: "a", name: "c" }, { ...state, ...more });
    assertEquals((await shown(metrics)).contested, contested);
  }
});

test("CronJobMetrics shows a run as overdue that is not reconciled ten seconds after its time", async () => {
  const metrics = new Metrics();
  let now = 100_000;
  const observer = new CronJobMetrics(metrics, { perCronJob: "all", now: () => now });
  observer.looked({ apiVersion: "batch/v1", namespace: "a", name: "c" }, {
    nextRun: 100_000,
    active: 0,
    isOverdue: false,
    consecutiveFailures: 0,
  });
  for (const [time, overdue] of [[110_000, 0], [110_001, 1]] as const) {
    now = time;
    assertEquals((await shown(metrics)).overdue, overdue, `${time}`);
  }
});

test("CronJobMetrics writes thousands of CronJobs in pieces, each family in one place", async () => {
  const metrics = new Metrics();
  const observer = new CronJobMetrics(metrics, { perCronJob: "all", now: () => 0 });
  for (let i = 0; i < 1_200; i++) {
    const state = { active: 0, isOverdue: false, consecutiveFailures: 0 };
    observer.looked({ apiVersion: "batch/v1", namespace: "a", name: `c-${i}` }, state);
  }
  const pieces = await Array.fromAsync(metrics.expose());
  assertEquals(pieces.length > 9 * 2, true);
  const families = pieces.join("").split("\n").filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => line.replace(/[ {].*/, "").replace(/_(bucket|sum|count)$/, ""));
  const changes = families.filter((family, i) => family !== families[i - 1]);
  assertEquals(changes.length, new Set(changes).size);
});
