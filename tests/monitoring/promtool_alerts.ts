import { assert, assertEquals } from "@std/assert";
import { test } from "../support/test.ts";
import { evaluate, expectAlerts, type Expectation, type Input, promtool } from "./support/promtool.ts";
import { alertRules, dashboardExpressions, ruleGroups } from "./support/rules.ts";

const CRONJOB = { api_version: "batch/v1", namespace: "team", cronjob: "report" };
const CONTROLLER = { namespace: "cronjob-controller-system", job: "cronjob-controller-metrics" };
const LEASE = { name: "cronjob-controller" };

type Labels = Record<string, string>;

function series(metric: string, labels: Labels): string {
  return `${metric}{${Object.entries(labels).map(([name, value]) => `${name}="${value}"`).join(",")}}`;
}

/** The labels that Prometheus gives everything that it gets from one replica. */
function replica(letter: "a" | "b"): Labels {
  return { ...CONTROLLER, instance: `10.0.0.${letter}:8080`, pod: `cronjob-controller-${letter}` };
}

/** A series about a CronJob, exported by a replica; the CronJob's namespace is its own. */
function ofCronJob(metric: string, labels: Labels = {}, { by = "a" as "a" | "b", cronJob = CRONJOB } = {}): string {
  return series(`cronjob_controller_cronjob_${metric}`, { ...replica(by), ...cronJob, ...labels });
}

function of(letter: "a" | "b", metric: string, labels: Labels = {}): string {
  return series(metric, { ...replica(letter), ...labels });
}

/** Each replica says who it is, so that other programs' metrics are distinguished from its own. */
const THERE: Input = Object.fromEntries(
  (["a", "b"] as const).map((letter) => [of(letter, "cronjob_controller_build_info", { version: "0.1.0" }), "1x300"]),
);
/** Another program of the cluster, with metrics of the same names. */
const OTHER = { namespace: "kube-system", job: "other", instance: "10.0.0.9:8080" };

/** What there is, and by alert and time the labels with which it fires; a sentence a case. */
const CASES: Record<string, { input: Input; expect: Record<string, Record<string, Labels[]>> }> = {
  "CronJobOverdue fires when a run has been due for ten minutes, whichever replica says so, and ends when it starts": {
    input: {
      [ofCronJob("overdue")]: "0x10 1x8 stale",
      [ofCronJob("active")]: "0x18 stale",
      [ofCronJob("overdue", {}, { by: "b" })]: "_x19 1x10 0x10",
      [ofCronJob("active", {}, { by: "b" })]: "_x19 0x10 1x10",
    },
    expect: { CronJobOverdue: { "10m": [], "18m": [], "29m": [CRONJOB], "31m": [] }, CronJobBlocked: { "29m": [] } },
  },
  "CronJobOverdue is silent for a run that is late by less, as when it starts at the second try": {
    input: { [ofCronJob("overdue")]: "0x5 1x8 0x50", [ofCronJob("active")]: "0x80" },
    expect: { CronJobOverdue: { "10m": [], "13m": [], "20m": [] } },
  },
  "CronJobBlocked fires, and CronJobOverdue does not, when the running one keeps others from starting for an hour": {
    input: { [ofCronJob("overdue")]: "0x5 1x100 0x20", [ofCronJob("active")]: "0x2 1x120" },
    expect: { CronJobBlocked: { "60m": [], "70m": [CRONJOB], "110m": [] }, CronJobOverdue: { "70m": [] } },
  },
  "CronJobLastRunFailed fires at the first failure, gives way to CronJobFailing at the third, and a success ends both":
    {
      input: { [ofCronJob("consecutive_failures")]: "0x5 1x5 2x5 3x5 4x5 0x5" },
      expect: {
        CronJobLastRunFailed: { "5m": [], "7m": [CRONJOB], "15m": [CRONJOB], "20m": [], "33m": [] },
        CronJobFailing: { "7m": [], "20m": [CRONJOB], "33m": [] },
      },
    },
  "CronJobRunsMissed fires for an hour after runs were missed": {
    input: {
      [ofCronJob("missed_total", { reason: "MissSchedule" })]: "0x100 2x100",
      [ofCronJob("missed_total", { reason: "PassedOver" })]: "0x200",
    },
    expect: {
      CronJobRunsMissed: {
        "100m": [],
        "103m": [{ ...CRONJOB, reason: "MissSchedule" }],
        "155m": [{ ...CRONJOB, reason: "MissSchedule" }],
        "165m": [],
      },
    },
  },
  "CronJobRunsMissed fires for what a new leader finds at once, though its count never was zero": {
    input: {
      [ofCronJob("missed_total", { reason: "PassedOver" })]: "0x100 stale",
      [ofCronJob("missed_total", { reason: "PassedOver" }, { by: "b" })]: "_x104 3x150",
    },
    expect: {
      CronJobRunsMissed: {
        "103m": [],
        "106m": [{ ...CRONJOB, reason: "PassedOver" }],
        "150m": [{ ...CRONJOB, reason: "PassedOver" }],
        "175m": [],
      },
    },
  },
  "CronJobRunsMissed is silent after a gap in what was scraped, as nothing was missed since": {
    input: { [ofCronJob("missed_total", { reason: "PassedOver" })]: "5x60 _x9 5x150" },
    expect: { CronJobRunsMissed: { "100m": [], "127m": [], "129m": [] } },
  },
  "CronJobNotFollowed fires when a CronJob could start nothing for five minutes, and says why": {
    input: { [ofCronJob("not_followed", { reason: "UnknownTimeZone" })]: "_x9 1x10 stale" },
    expect: { CronJobNotFollowed: { "13m": [], "16m": [{ ...CRONJOB, reason: "UnknownTimeZone" }], "22m": [] } },
  },
  "CronJobExpectationUnmet fires at once, once for each expectation, and says which": {
    input: {
      [ofCronJob("expectation_unmet", { reason: "Late" })]: "_x9 1x10 stale",
      [ofCronJob("expectation_unmet", { reason: "Stale" })]: "_x14 1x5 stale",
    },
    expect: {
      CronJobExpectationUnmet: {
        "8m": [],
        "11m": [{ ...CRONJOB, reason: "Late" }],
        "16m": [{ ...CRONJOB, reason: "Late" }, { ...CRONJOB, reason: "Stale" }],
        "27m": [],
      },
    },
  },
  "CronJobContested fires when an adopted CronJob has been run by another for five minutes": {
    input: { [ofCronJob("contested")]: "0x10 1x10 0x10", [ofCronJob("contested", {}, { by: "b" })]: "0x30" },
    expect: { CronJobContested: { "14m": [], "17m": [CRONJOB], "22m": [] } },
  },
  "CronJobRanAhead fires as long as a last scheduled time is still to come": {
    input: { [ofCronJob("ran_ahead")]: "0x10 1x10 0x10" },
    expect: { CronJobRanAhead: { "9m": [], "12m": [CRONJOB], "22m": [] } },
  },
  "CronJobControllerDown fires when no replica has been seen for five minutes": {
    input: { [of("a", "cronjob_controller_build_info", { version: "0.1.0" })]: "1x10 stale" },
    expect: { CronJobControllerDown: { "10m": [], "14m": [], "17m": [{}] } },
  },
  "CronJobControllerReplicaDown fires for a target that used to be a replica, and for no other": {
    input: {
      [of("a", "cronjob_controller_build_info", { version: "0.1.0" })]: "1x60",
      [of("b", "cronjob_controller_build_info", { version: "0.1.0" })]: "1x10 stale",
      [of("a", "up")]: "1x60",
      [of("b", "up")]: "1x10 0x50",
      [series("up", OTHER)]: "0x60",
    },
    expect: { CronJobControllerReplicaDown: { "20m": [], "22m": [replica("b")] } },
  },
  "CronJobControllerNoLeader fires when all replicas have stood by for two minutes, not during a hand-over": {
    input: {
      ...THERE,
      [of("a", "leader_election_master_status", LEASE)]: "1x10 0x60",
      [of("b", "leader_election_master_status", LEASE)]: "0x11 1x20 0x40",
      [series("leader_election_master_status", { ...OTHER, name: "other" })]: "0x60",
    },
    expect: {
      CronJobControllerNoLeader: { "11m": [], "13m": [], "33m": [], "35m": [{ ...CONTROLLER, ...LEASE }] },
      CronJobControllerTwoLeaders: { "35m": [] },
    },
  },
  "CronJobControllerNoLeader is silent where no leader is elected": {
    input: THERE,
    expect: { CronJobControllerNoLeader: { "30m": [] }, CronJobControllerDown: { "30m": [] } },
  },
  "CronJobControllerTwoLeaders fires when two have led for two minutes, not when scrapes of a hand-over overlap": {
    input: {
      ...THERE,
      [of("a", "leader_election_master_status", LEASE)]: "1x11 0x10 1x20",
      [of("b", "leader_election_master_status", LEASE)]: "0x10 1x60",
    },
    expect: { CronJobControllerTwoLeaders: { "11m": [], "13m": [], "26m": [{ ...CONTROLLER, ...LEASE }] } },
  },
  "CronJobControllerNotFollowing fires when a watch has been away for five minutes, and is not about other programs": {
    input: {
      ...THERE,
      [of("b", "kubernetes_healthcheck", { type: "readyz", name: "watch/jobs.batch" })]: "1x10 0x20 1x10",
      [of("b", "kubernetes_healthcheck", { type: "readyz", name: "queue/cronjob" })]: "1x40",
      [series("kubernetes_healthcheck", { ...OTHER, type: "readyz", name: "watch/x" })]: "0x40",
    },
    expect: {
      CronJobControllerNotFollowing: {
        "14m": [],
        "17m": [{ ...replica("b"), type: "readyz", name: "watch/jobs.batch" }],
        "32m": [],
      },
      CronJobControllerStuck: { "17m": [] },
    },
  },
  "CronJobControllerStuck fires when keys have not got their turn for five minutes": {
    input: {
      ...THERE,
      [of("a", "kubernetes_healthcheck", { type: "readyz", name: "queue/cronjob" })]: "1x10 0x20",
      [of("a", "kubernetes_healthcheck", { type: "livez", name: "work/cronjob" })]: "0x30",
      [of("b", "workqueue_longest_running_processor_seconds", { name: "job" })]: "0x5 0+60x60",
      [series("workqueue_longest_running_processor_seconds", { ...OTHER, name: "job" })]: "0+60x60",
    },
    expect: {
      CronJobControllerStuck: {
        "14m": [],
        "17m": [{ ...replica("a"), type: "readyz", name: "queue/cronjob" }],
        "40m": [{ ...replica("b"), name: "job" }],
      },
      CronJobControllerNotFollowing: { "17m": [] },
    },
  },
  "CronJobControllerReconcileErrors fires when an object fails every ten seconds, not at a few conflicts": {
    input: {
      ...THERE,
      [of("a", "controller_runtime_reconcile_errors_total", { controller: "cronjob" })]: "0+6x60",
      [of("a", "controller_runtime_reconcile_errors_total", { controller: "job" })]: "0x20 5x40",
      [series("controller_runtime_reconcile_errors_total", { ...OTHER, controller: "x" })]: "0+6x60",
    },
    expect: { CronJobControllerReconcileErrors: { "14m": [], "40m": [{ ...CONTROLLER, controller: "cronjob" }] } },
  },
  "CronJobControllerStartsLate fires when Jobs have been created half a minute late for a while, not after one bad minute":
    {
      input: skew({ 1: "0+99x120", 32: "0+99x120", 64: "0+99x40 3961+100x80", "+Inf": "0+99x40 3961+100x80" }),
      expect: { CronJobControllerStartsLate: { "40m": [] } },
    },
  "CronJobControllerStartsLate fires when many Jobs are late": {
    input: skew({ 1: "0+50x120", 32: "0+50x120", 64: "0+100x120", "+Inf": "0+100x120" }),
    expect: { CronJobControllerStartsLate: { "10m": [], "30m": [{}] } },
  },
  "CronJobControllerNotificationsFail fires when attempts fail and none succeeds, by channel": {
    input: {
      ...told("webhook", { sent: "0+1x20 20x100", failed: "0x20 0+1x100" }),
      ...told("ping", { sent: "0+1x120", failed: "0+1x120" }),
    },
    expect: { CronJobControllerNotificationsFail: { "25m": [], "60m": [{ ...CONTROLLER, channel: "webhook" }] } },
  },
  "CronJobControllerNotificationsFail ends when it works again": {
    input: told("webhook", { sent: "0x60 1+1x60", failed: "0+1x60 60x60" }),
    expect: { CronJobControllerNotificationsFail: { "40m": [{ ...CONTROLLER, channel: "webhook" }], "80m": [] } },
  },
  "CronJobControllerApiErrors fires when one request in twenty fails, and conflicts are no failures": {
    input: {
      ...THERE,
      [of("a", "rest_client_requests_total", { code: "200", method: "GET", host: "h" })]: "0+100x100",
      [of("a", "rest_client_requests_total", { code: "409", method: "PUT", host: "h" })]: "0+90x100",
      [of("a", "rest_client_requests_total", { code: "<error>", method: "GET", host: "h" })]: "0x40 0+20x60",
      [series("rest_client_requests_total", { ...OTHER, code: "500", method: "GET", host: "h" })]: "0+900x100",
    },
    expect: { CronJobControllerApiErrors: { "35m": [], "60m": [CONTROLLER] } },
  },
  "CronJobControllerUnauthorized fires when the token stays refused, not for one that was just renewed": {
    input: {
      ...THERE,
      [of("a", "rest_client_requests_total", { code: "401", method: "GET", host: "h" })]: "0x10 1x40 2+5x60",
    },
    expect: { CronJobControllerUnauthorized: { "20m": [], "40m": [], "70m": [CONTROLLER] } },
  },
  "CronJobControllerForbidden fires when requests stay forbidden for a quarter of an hour, by method": {
    input: {
      ...THERE,
      [of("a", "rest_client_requests_total", { code: "403", method: "POST", host: "h" })]: "0x10 1+1x60",
      [of("a", "rest_client_requests_total", { code: "403", method: "GET", host: "h" })]: "0x10 3x60",
    },
    expect: { CronJobControllerForbidden: { "20m": [], "40m": [{ ...CONTROLLER, method: "POST" }] } },
  },
};

/** What became of notifications, minute by minute. */
function told(channel: string, values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([outcome, value]) => [
      of("a", "cronjob_controller_notifications_total", { channel, outcome }),
      value,
    ]),
  );
}

function skew(buckets: Record<string, string>): Input {
  return Object.fromEntries(
    Object.entries(buckets).map(([le, values]) => [
      of("a", "cronjob_controller_job_creation_skew_duration_seconds_bucket", { le }),
      values,
    ]),
  );
}

function expectationsOf({ expect }: (typeof CASES)[string]): Expectation[] {
  return Object.entries(expect).flatMap(([alert, times]) =>
    Object.entries(times).map(([at, fires]) => ({ at, alert, fires }))
  );
}

for (const [sentence, one] of Object.entries(CASES)) {
  test(sentence, async () => await expectAlerts(await alertRules(), one.input, expectationsOf(one)));
}

test("every alert has a case in which it fires, and one in which it does not", async () => {
  const cases = Object.values(CASES).flatMap(expectationsOf);
  for (const { alert } of await alertRules()) {
    const firing = cases.filter((expectation) => expectation.alert === alert).map(({ fires }) => fires.length > 0);
    assert(firing.includes(true) && firing.includes(false), alert);
  }
});

test("promtool finds no fault with the rules, nor with any expression of the dashboard", async () => {
  const rules = await promtool(["check", "rules", "rules.yaml"], {
    files: { "rules.yaml": { groups: await ruleGroups() } },
  });
  assertEquals(rules.code, 0, rules.text);
  const expressions = await dashboardExpressions();
  const recorded = expressions.map(({ expr, panel }) => ({ record: "x", expr, labels: { panel } }));
  const files = { "dashboard.yaml": { groups: [{ name: "dashboard", rules: recorded }] } };
  const panels = await promtool(["check", "rules", "dashboard.yaml"], { files });
  assertEquals(panels.code, 0, panels.text);
});

test("the annotations of every alert can be filled in", async () => {
  const rules = await alertRules();
  for (const { alert } of rules) {
    const { input, at } = firingCase(alert);
    // No annotations are expected, so that promtool shows those that there are.
    const { text } = await evaluate(rules, input, [{ at, alert, fires: [{}] }]);
    const shown = text.slice(text.indexOf("got:"));
    assert(shown.includes("description=") || shown.includes("description:"), text);
    assert(!/error expanding|<no value>|runbook_url: *$/.test(shown), shown);
  }
});

function firingCase(alert: string): { input: Input; at: string } {
  for (const one of Object.values(CASES)) {
    const found = expectationsOf(one).find((expectation) =>
      expectation.alert === alert && expectation.fires.length > 0
    );
    if (found) return { input: one.input, at: found.at };
  }
  throw new Error(`Never fires: ${alert}`);
}
