// Queries of dashboards for kube-state-metrics, evaluated by Prometheus over CronJobs of the CRDs as a controller shows
// them, beside kube-state-metrics itself.
import { assertEquals } from "@std/assert";
import type { PerCronJob } from "../../src/cronjob/observer.ts";
import { CronJobMetrics } from "../../src/cronjob/metrics.ts";
import type { CronJobState } from "../../src/cronjob/observer.ts";
import { Metrics } from "../../src/telemetry/metrics.ts";
import { exposed, seriesOf } from "../telemetry/support/exposition.ts";
import { table } from "../support/table.ts";
import { type Input, promtool } from "./support/promtool.ts";
import { kubeStateMetricsGroups } from "./support/rules.ts";

const NOW = Date.parse("2026-03-10T09:30:00Z");
const SETTINGS = { schedule: "0 * * * *", timeZone: "Europe/Berlin", policy: "Forbid", suspended: false } as const;
const STATES: Record<string, CronJobState> = {
  hourly: {
    settings: SETTINGS,
    nextRun: NOW + 60_000,
    lastSchedule: NOW - 60_000,
    lastSuccess: NOW - 30_000,
    active: 0,
    isOverdue: false,
    consecutiveFailures: 0,
  },
  running: { settings: SETTINGS, nextRun: NOW + 60_000, active: 2, isOverdue: true, consecutiveFailures: 0 },
  ended: { settings: SETTINGS, active: 0, isOverdue: false, consecutiveFailures: 0 },
  suspended: { settings: { ...SETTINGS, suspended: true }, active: 0, isOverdue: false, consecutiveFailures: 0 },
};
/** The series that kube-state-metrics shows of a CronJob of batch/v1, which the controller has adopted. */
const ADOPTED = 'namespace="team",cronjob="adopted"';
const KUBE_STATE_METRICS: Input = {
  [`kube_cronjob_info{job="kube-state-metrics",${ADOPTED},schedule="@daily"}`]: "1x10",
  [`kube_cronjob_spec_suspend{job="kube-state-metrics",${ADOPTED}}`]: "1x10",
};

async function inputAt(level: PerCronJob): Promise<Input> {
  const metrics = new Metrics();
  const observer = new CronJobMetrics(metrics, { perCronJob: level, now: () => NOW });
  for (const [name, state] of Object.entries(STATES)) {
    observer.looked({ apiVersion: "cronjob-controller.dev/v1", namespace: "team", name }, state);
  }
  observer.looked({ apiVersion: "batch/v1", namespace: "team", name: "adopted" }, STATES.hourly!);
  const shown = Object.entries(seriesOf(await exposed(metrics))).filter(([name]) => name.includes("cronjob="));
  return { ...Object.fromEntries(shown.map(([name, value]) => [name, `${value}x10`])), ...KUBE_STATE_METRICS };
}

/** Labels of the samples that an expression gives, with the values. */
type Samples = Record<string, number>;

async function expectSamples(level: PerCronJob, expected: Record<string, Samples>): Promise<void> {
  const tests = [{
    interval: "1m",
    input_series: Object.entries(await inputAt(level)).map(([series, values]) => ({ series, values })),
    promql_expr_test: Object.entries(expected).map(([expr, samples]) => ({
      expr,
      eval_time: "5m",
      exp_samples: Object.entries(samples).map(([labels, value]) => ({ labels, value })),
    })),
  }];
  const { code, text } = await promtool(["test", "rules", "tests.yaml"], {
    files: {
      "tests.yaml": { rule_files: ["rules.yaml"], evaluation_interval: "1m", tests },
      "rules.yaml": { groups: await kubeStateMetricsGroups() },
    },
  });
  assertEquals(code, 0, text);
}

const OURS = 'api_version="cronjob-controller.dev/v1",namespace="team"';
const named = (metric: string, cronJob: string) => `${metric}{${OURS},cronjob="${cronJob}"}`;
const EITHER_LEVEL: Record<string, Samples> = {
  "kube_cronjob_spec_suspend": {
    [named("kube_cronjob_spec_suspend", "hourly")]: 0,
    [named("kube_cronjob_spec_suspend", "running")]: 0,
    [named("kube_cronjob_spec_suspend", "ended")]: 0,
    [named("kube_cronjob_spec_suspend", "suspended")]: 1,
    [`kube_cronjob_spec_suspend{job="kube-state-metrics",${ADOPTED}}`]: 1,
  },
  "kube_cronjob_next_schedule_time": {
    [named("kube_cronjob_next_schedule_time", "hourly")]: NOW / 1_000 + 60,
    [named("kube_cronjob_next_schedule_time", "running")]: NOW / 1_000 + 60,
  },
  "kube_cronjob_status_last_successful_time": {
    [named("kube_cronjob_status_last_successful_time", "hourly")]: NOW / 1_000 - 30,
  },
  "count by (namespace) (kube_cronjob_info)": { '{namespace="team"}': 5 },
};

table<[PerCronJob, Record<string, Samples>]>(
  "the recording rules give kube-state-metrics' names to CronJobs of the CRDs",
  [
    ["by default, but for active runs, the last scheduled time and the schedule", "essential", {
      ...EITHER_LEVEL,
      "kube_cronjob_status_last_schedule_time": {},
      "kube_cronjob_status_active": {},
      'kube_cronjob_info{cronjob="hourly"}': { [named("kube_cronjob_info", "hourly")]: 1 },
    }],
    ["with all, every one", "all", {
      ...EITHER_LEVEL,
      "kube_cronjob_status_active": {
        [named("kube_cronjob_status_active", "hourly")]: 0,
        [named("kube_cronjob_status_active", "running")]: 2,
        [named("kube_cronjob_status_active", "ended")]: 0,
        [named("kube_cronjob_status_active", "suspended")]: 0,
      },
      "kube_cronjob_status_last_schedule_time": {
        [named("kube_cronjob_status_last_schedule_time", "hourly")]: NOW / 1_000 - 60,
      },
      'kube_cronjob_info{cronjob="hourly"}': {
        [
          `kube_cronjob_info{${OURS},cronjob="hourly",schedule="0 * * * *",timezone="Europe/Berlin",` +
          'concurrency_policy="Forbid"}'
        ]: 1,
      },
    }],
  ],
  expectSamples,
);
