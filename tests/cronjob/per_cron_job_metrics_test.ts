import { assert, assertEquals } from "@std/assert";
import { CRON_JOB_FAMILIES } from "../../src/cronjob/metric_families.ts";
import { PER_CRON_JOB, type PerCronJob } from "../../src/cronjob/observer.ts";
import { CronJobMetrics } from "../../src/cronjob/metrics.ts";
import type { CronJobState } from "../../src/cronjob/observer.ts";
import { Metrics } from "../../src/telemetry/metrics.ts";
import { exposed, seriesOf } from "../telemetry/support/exposition.ts";
import { test } from "../support/test.ts";
import { table } from "../support/table.ts";

const NOW = Date.parse("2026-03-10T09:30:00Z");
const CRON_JOB = { apiVersion: "cronjob-controller.dev/v1", namespace: "a", name: "c" };
const LABELS = 'api_version="cronjob-controller.dev/v1",namespace="a",cronjob="c"';

/** A CronJob that runs each hour, and has run for weeks. */
const USUAL: CronJobState = {
  settings: { schedule: "0 * * * *", timeZone: "Europe/Berlin", policy: "Forbid", suspended: false },
  nextRun: NOW + 1_800_000,
  lastSchedule: NOW - 1_800_000,
  lastSuccess: NOW - 1_700_000,
  lastFailure: NOW - 86_400_000,
  active: 0,
  isOverdue: false,
  consecutiveFailures: 0,
  durations: { runs: 10, p50Seconds: 95, p95Seconds: 120 },
  isContested: false,
};

function observed(perCronJob: PerCronJob) {
  const metrics = new Metrics();
  return { metrics, observer: new CronJobMetrics(metrics, { perCronJob, now: () => NOW }) };
}

/** Returns the metrics of the CronJob, without the labels and the prefix that all names have in common. */
async function shownOf(metrics: Metrics): Promise<Record<string, number>> {
  const all = Object.entries(seriesOf(await exposed(metrics))).filter(([name]) => name.includes(LABELS));
  return Object.fromEntries(all.map(([name, value]) => [
    name.replace("cronjob_controller_cronjob_", "").replace(LABELS, "").replace("{}", ""),
    value,
  ]));
}

const TIMES = {
  next_run_timestamp_seconds: USUAL.nextRun! / 1_000,
  last_success_timestamp_seconds: USUAL.lastSuccess! / 1_000,
};

table<[Partial<CronJobState>, Record<string, number>]>("by default /metrics shows of a CronJob", [
  ["two times while all is as usual", {}, TIMES],
  ["no run that is under way, while none is overdue", { active: 2 }, TIMES],
  ["that a run is under way while another is overdue", { active: 2, isOverdue: true }, {
    ...TIMES,
    active: 2,
    overdue: 1,
  }],
  ["that its last runs failed, and when", { consecutiveFailures: 2 }, {
    ...TIMES,
    consecutive_failures: 2,
    last_failure_timestamp_seconds: USUAL.lastFailure! / 1_000,
  }],
  ["that a run is overdue", { isOverdue: true }, { ...TIMES, overdue: 1, active: 0 }],
  ["that another controller runs it as well", { isContested: true }, { ...TIMES, contested: 1 }],
  ["that a clock was ahead", { lastSchedule: NOW + 120_000 }, { ...TIMES, ran_ahead: 1 }],
  ["that it is suspended", { settings: { ...USUAL.settings!, suspended: true }, nextRun: undefined }, {
    last_success_timestamp_seconds: TIMES.last_success_timestamp_seconds,
    suspended: 1,
  }],
  ["why it is not followed", { notFollowed: { reason: "UnknownTimeZone", message: "m" }, nextRun: undefined }, {
    last_success_timestamp_seconds: TIMES.last_success_timestamp_seconds,
    'not_followed{reason="UnknownTimeZone",}': 1,
    suspended: 0,
  }],
  ["that it is there, though it never succeeded and has no next run", { nextRun: undefined, lastSuccess: undefined }, {
    suspended: 0,
  }],
  ["a back-fill that is under way", { backfill: { left: 3, failed: 0 } }, {
    ...TIMES,
    backfill_left: 3,
    backfill_failed: 0,
  }],
], async (state, expected) => {
  const { metrics, observer } = observed("essential");
  observer.looked(CRON_JOB, { ...USUAL, ...state });
  assertEquals(await shownOf(metrics), expected);
});

test("by default /metrics shows what was missed of a CronJob, and its runs by namespace alone", async () => {
  const { metrics, observer } = observed("essential");
  observer.looked(CRON_JOB, USUAL);
  observer.missed(CRON_JOB, { reason: "PassedOver", count: 2 });
  observer.run(CRON_JOB, { outcome: "Succeeded", trigger: "Schedule" });
  assertEquals(await shownOf(metrics), { ...TIMES, 'missed_total{reason="PassedOver",}': 2 });
  const runs = 'cronjob_controller_runs_total{outcome="Succeeded",trigger="Schedule",' +
    'api_version="cronjob-controller.dev/v1",namespace="a"}';
  assertEquals(seriesOf(await exposed(metrics))[runs], 1);
});

test("with all, /metrics shows every family, and the schedule as it is written", async () => {
  const { metrics, observer } = observed("all");
  const settings = { ...USUAL.settings!, schedule: 'a "b" \\\nc', timeZone: undefined };
  const notFollowed = { reason: "r", message: "m" };
  observer.looked(CRON_JOB, { ...USUAL, settings, notFollowed, unmet: ["Late"], backfill: { left: 1, failed: 1 } });
  const shown = await shownOf(metrics);
  const names = new Set(Object.keys(shown).map((name) => name.replace(/\{.*/, "")));
  assertEquals(names.size, CRON_JOB_FAMILIES.length);
  assertEquals(shown['info{schedule="a \\"b\\" \\\\\\nc",timezone="",concurrency_policy="Forbid",}'], 1);
});

test("a namespace is shown as long as it has CronJobs, whatever is shown of each", async () => {
  for (const level of PER_CRON_JOB) {
    const { metrics, observer } = observed(level);
    const other = { ...CRON_JOB, name: "other" };
    observer.looked(CRON_JOB, USUAL);
    observer.looked(other, { ...USUAL, active: 2 });
    observer.looked(other, { ...USUAL, active: 1 });
    const active = 'cronjob_controller_runs_active{api_version="cronjob-controller.dev/v1",namespace="a"}';
    assertEquals(seriesOf(await exposed(metrics))[active], 1, level);
    observer.gone(other);
    assertEquals(seriesOf(await exposed(metrics))[active], 0, level);
    observer.gone({ ...CRON_JOB, name: "unknown" });
    const count = 'cronjob_controller_cronjobs{api_version="cronjob-controller.dev/v1",namespace="a"}';
    assertEquals(seriesOf(await exposed(metrics))[count], 1, level);
    observer.gone(CRON_JOB);
    assertEquals(
      Object.keys(seriesOf(await exposed(metrics))).filter((name) => name.includes("namespace=")),
      [],
      level,
    );
  }
});

/** 5,000 CronJobs that all run at once, as many of them failing, overdue and so on as on a bad day. */
async function bytesOf(level: PerCronJob): Promise<number> {
  const { metrics, observer } = observed(level);
  for (let i = 0; i < 5_000; i++) {
    const cronJob = { apiVersion: CRON_JOB.apiVersion, namespace: `team-${i % 50}`, name: `nightly-report-${i}` };
    observer.looked(cronJob, {
      ...USUAL,
      active: 1,
      consecutiveFailures: i % 50 === 1 ? 2 : 0,
      isOverdue: i % 100 === 2,
      isContested: i % 500 === 3,
    });
    if (i % 100 === 4) observer.missed(cronJob, { reason: "PassedOver", count: 1 });
    observer.run(cronJob, { outcome: "Succeeded", trigger: "Schedule" });
  }
  return new TextEncoder().encode(await exposed(metrics)).length;
}

test("a scrape of 5,000 CronJobs is no more than 2 MB by default", async () => {
  const bytes = Object.fromEntries(await Promise.all(PER_CRON_JOB.map(async (level) => [level, await bytesOf(level)])));
  assert(bytes.essential <= 2_000_000, `${bytes.essential} bytes`);
  assert(bytes.none <= 100_000, `${bytes.none} bytes`);
  assert(bytes.all > 5 * bytes.essential, `${bytes.all} bytes`);
});
