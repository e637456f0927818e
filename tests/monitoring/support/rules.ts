import { parse } from "yaml";

export interface AlertRule {
  alert: string;
  expr: string;
  for?: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

export interface RuleGroup {
  name: string;
  rules: AlertRule[];
}

const FOLDER = new URL("../../../deploy/monitoring/", import.meta.url);

async function groupsIn(file: string): Promise<RuleGroup[]> {
  return parse(await Deno.readTextFile(new URL(file, FOLDER))).spec.groups;
}

/** The alerts as they are deployed. */
export function ruleGroups(): Promise<RuleGroup[]> {
  return groupsIn("prometheus_rule.yaml");
}

/** The recording rules that give kube-state-metrics' names. */
export function kubeStateMetricsGroups(): Promise<RuleGroup[]> {
  return groupsIn("kube_state_metrics_rules.yaml");
}

export async function alertRules(): Promise<AlertRule[]> {
  return (await ruleGroups()).flatMap(({ rules }) => rules);
}

export interface Panel {
  id: number;
  type: string;
  title: string;
  gridPos: { h: number; w: number; x: number; y: number };
  datasource?: { type: string; uid: string };
  targets?: { refId: string; expr: string }[];
}

export interface Dashboard {
  uid: string;
  title: string;
  schemaVersion: number;
  panels: Panel[];
  templating: { list: { name: string; type: string; query?: string | { query: string } }[] };
}

export async function dashboard(): Promise<Dashboard> {
  return JSON.parse(await Deno.readTextFile(new URL("dashboard.json", FOLDER)));
}

/** The expressions of the dashboard as Prometheus gets them, by the panel that asks. */
export async function dashboardExpressions(): Promise<{ panel: string; expr: string }[]> {
  const { panels } = await dashboard();
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, refId }) => ({ panel: `${title} ${refId}`, expr: withoutVariables(expr) }))
  );
}

function withoutVariables(expr: string): string {
  return expr.replaceAll(/\$__(rate_)?interval|\$__range/g, "5m").replaceAll(/"\$\w+"/g, '".*"');
}
