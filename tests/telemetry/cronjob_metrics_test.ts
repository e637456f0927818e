import { assertEquals } from "@std/assert";
import { Registry } from "prom-client";
import { CronJobMetrics } from "../../src/telemetry/cronjob_metrics.ts";
import { BATCH, Running, TUTORIAL } from "../cronjob/support/running.ts";
import { test } from "../support/test.ts";

const DAY = "2026-03-10";
const at = (time: string) => Date.parse(`${DAY}T${time}Z`) / 1_000;

/** What is shown of CronJob `c`, by metric (without what all names have in common) and labels of its own. */
async function shown(registry: Registry): Promise<Record<string, number>> {
  const values: Record<string, number> = {};
  for (const line of (await registry.metrics()).split("\n")) {
    const match = /^cronjob_controller_cronjob_(\w+)\{([^}]*)\} (\S+)$/.exec(line);
    if (!match?.[2].includes('cronjob="c"')) continue;
    const own = match[2].split(",").slice(0, -3).map((label) => label.replace(/^\w+="(.*)"$/, "$1"));
    values[[match[1], ...own].join(" ")] = Number(match[3]);
  }
  return values;
}

test("CronJobMetrics tells how each CronJob stands and what became of its runs, in either flavour", async () => {
  for (const api of [TUTORIAL, BATCH]) {
    const registry = new Registry();
    const observer = new CronJobMetrics(registry, { perCronJob: true });
    await using running = await Running.start(`${DAY}T09:30:00Z`, { controller: false });
    await running.startControllers({ observer });
    const until = (metric: string, value: number) =>
      running.until(`${metric} ${value}`, async () => (await shown(registry))[metric] === value);
    const finishNewest = async (condition: "Complete" | "Failed") => {
      const jobs = await running.jobs();
      const newest = jobs.find((job) => job.status?.conditions === undefined)!;
      await running.finish(newest, condition);
    };
    await running.create(api, { concurrencyPolicy: "Forbid", startingDeadlineSeconds: 600 });
    await until("next_run_timestamp_seconds", at("10:00:00"));
    assertEquals(await shown(registry), {
      next_run_timestamp_seconds: at("10:00:00"),
      overdue: 0,
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

    // Nobody is there for three of them, and the last is too late by then.
    await running.stopControllers();
    running.clock.set(`${DAY}T14:30:00Z`);
    await running.startControllers({ observer });
    await until("missed_total MissSchedule", 1);
    running.clock.set(`${DAY}T15:00:00Z`);
    await until("active", 1);
    await finishNewest("Complete");
    await until("runs_total Succeeded Schedule", 1);

    const values = await shown(registry);
    const { last_failure_timestamp_seconds: failed, last_success_timestamp_seconds: succeeded, ...others } = values;
    assertEquals(Math.abs(failed - at("11:20:00")) < 30 && Math.abs(succeeded - at("15:00:00")) < 30, true);
    assertEquals(others, {
      next_run_timestamp_seconds: at("16:00:00"),
      last_schedule_timestamp_seconds: at("15:00:00"),
      overdue: 0,
      active: 0,
      consecutive_failures: 0,
      "runs_total Succeeded Schedule": 1,
      "runs_total Succeeded Manual": 0,
      "runs_total Failed Schedule": 1,
      "runs_total Failed Manual": 0,
      "runs_total Skipped Schedule": 1,
      "runs_total Skipped Manual": 0,
      "missed_total MissSchedule": 1,
      // The closed status of Kubernetes' own doesn't tell the next process that one was refused.
      "missed_total PassedOver": api === TUTORIAL ? 2 : 3,
    }, api.resource.group);

    await running.client.delete(api.resource, { name: "c", namespace: "default" });
    await running.until("nothing", async () => Object.keys(await shown(registry)).length === 0);
  }
});

test("CronJobMetrics shows the skew under upstream's name, and nothing of single CronJobs when it is not to", async () => {
  const registry = new Registry();
  const metrics = new CronJobMetrics(registry, { perCronJob: false });
  metrics.jobCreated({ skewSeconds: 3 });
  const cronJob = { apiVersion: "batch/v1", namespace: "a", name: "b" };
  metrics.run(cronJob, { outcome: "Failed", trigger: "Schedule" });
  metrics.looked(cronJob, { active: 1, isOverdue: false, consecutiveFailures: 1 });
  const lines = (await registry.metrics()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const name = "cronjob_controller_job_creation_skew_duration_seconds";
  assertEquals(lines.filter((line) => !line.startsWith(name)), []);
  assertEquals(lines.includes(`${name}_bucket{le="4"} 1`) && lines.includes(`${name}_bucket{le="2"} 0`), true);
});

test("CronJobMetrics counts failures in a row where no status does, and keeps the last failure that history has lost", async () => {
  const registry = new Registry();
  const metrics = new CronJobMetrics(registry, { perCronJob: true });
  const cronJob = { apiVersion: "batch/v1", namespace: "a", name: "c" };
  const look = (lastFailure?: number) =>
    metrics.looked(cronJob, { active: 0, isOverdue: false, consecutiveFailures: 1, lastFailure });
  for (const time of [1_000, 2_000, 3_000]) {
    metrics.run(cronJob, { outcome: "Failed", trigger: "Schedule" });
    look(time);
  }
  look();
  const { consecutive_failures, last_failure_timestamp_seconds } = await shown(registry);
  assertEquals({ consecutive_failures, last_failure_timestamp_seconds }, {
    consecutive_failures: 3,
    last_failure_timestamp_seconds: 3,
  });
});
