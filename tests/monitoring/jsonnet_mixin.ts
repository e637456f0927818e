// The mixin, evaluated by Debian's `jsonnet` as its users' own Jsonnet does.
import { assertEquals } from "@std/assert";
import { runToEnd } from "../support/run_to_end.ts";
import { test } from "../support/test.ts";
import { promtool } from "./support/promtool.ts";
import { dashboard, kubeStateMetricsGroups, type RuleGroup, ruleGroups } from "./support/rules.ts";

const MIXIN = new URL("../../deploy/monitoring/mixin.libsonnet", import.meta.url).pathname;

interface Mixin {
  readonly alerts: { readonly groups: RuleGroup[] };
  readonly rules: { readonly groups: RuleGroup[] };
  readonly dashboards: Record<string, unknown>;
}

async function evaluated(config: Record<string, unknown> = {}): Promise<Mixin> {
  const code = `local mixin = (import ${JSON.stringify(MIXIN)}) + { _config+:: ${JSON.stringify(config)} };
    { alerts: mixin.prometheusAlerts, rules: mixin.prometheusRules, dashboards: mixin.grafanaDashboards }`;
  const { code: exitCode, stdout, stderr } = await runToEnd(["jsonnet", "-e", code]);
  assertEquals([exitCode, stderr], [0, ""]);
  return JSON.parse(stdout);
}

test("the mixin has the alerts and the dashboard of this folder, and records nothing", async () => {
  const { alerts, rules, dashboards } = await evaluated();
  assertEquals(alerts.groups, await ruleGroups());
  assertEquals(rules.groups, []);
  assertEquals(dashboards, { "cronjob-controller.json": await dashboard() });
});

test("the mixin links runbooks where its user says, and records kube-state-metrics' names if asked to", async () => {
  const runbookUrl = "https://wiki.example/cronjobs";
  const { alerts, rules } = await evaluated({ runbookUrl, kubeStateMetricsRules: true });
  for (const { alert, annotations } of alerts.groups.flatMap(({ rules }) => rules)) {
    assertEquals(annotations.runbook_url?.split("#")[0], runbookUrl, alert);
  }
  assertEquals(rules.groups, await kubeStateMetricsGroups());
  const files = { "rules.yaml": { groups: [...alerts.groups, ...rules.groups] } };
  assertEquals((await promtool(["check", "rules", "rules.yaml"], { files })).code, 0);
});
