import { assert, assertEquals, assertMatch } from "@std/assert";
import type { ConfigMap } from "kubernetes-types/core/v1";
import { parseAllDocuments } from "yaml";
import { metricFamilies } from "../../docs/generate/metrics.ts";
import { CRON_JOB_FAMILIES } from "../../src/cronjob/metric_families.ts";
import { anchorsOf } from "../docs/support/pages.ts";
import { kustomize } from "../manifests/support/kustomize.ts";
import { atLeast, must } from "../support/expected.ts";
import { test } from "../support/test.ts";
import { labelsByMetric, usesOf } from "./support/metric_names.ts";
import { alertRules, dashboard, dashboardExpressions } from "./support/rules.ts";
import { shownMetrics } from "./support/shown_metrics.ts";

/** Of Prometheus itself: one series a target. */
const PROMETHEUS = new Map([["up", new Set<string>()]]);
/** What Prometheus adds to all that it gets from one target. */
const TARGET = ["namespace", "job", "instance", "pod"];

test("usesOf() finds the metrics and labels of an expression", () => {
  const { metrics, groupedBy } = usesOf(
    'sum by (a, b) (rate(m_one{c="x", d=~"y|{}"}[5m]) * on (e) group_left () m_two) > 1e-3 unless m_one offset 1h',
  );
  assertEquals(metrics.map(({ name, labels }) => [name, ...labels]), [["m_one", "c", "d"], ["m_two"], ["m_one"]]);
  assertEquals(groupedBy, ["a", "b", "e"]);
});

test("alerts and dashboard ask for metrics and labels that a controller shows, and the annotations for labels there are", async () => {
  const text = await shownMetrics();
  const shown = new Map([...labelsByMetric(text), ...PROMETHEUS]);
  const inReference = new Set((await metricFamilies()).map(({ name }) => name));
  const families = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = ""]) => name);
  assertEquals(families.filter((name) => !inReference.has(name)), [], "docs/reference/metrics.md lacks them");
  // Only a failure brings it about.
  shown.get("cronjob_controller_cronjob_last_success_timestamp_seconds") ?? assert(false);
  const failure = "cronjob_controller_cronjob_last_failure_timestamp_seconds";
  if (!shown.has(failure)) shown.set(failure, shown.get("cronjob_controller_cronjob_active")!);
  const rules = await alertRules();
  const asked = [
    ...rules.map(({ alert, expr }) => ({ who: alert, expr })),
    ...(await dashboardExpressions()).map(({ panel, expr }) => ({ who: panel, expr })),
  ];
  assert(asked.length > 50);
  const wrong: string[] = [];
  for (const { who, expr } of asked) {
    const { metrics, groupedBy } = usesOf(expr);
    assert(metrics.length > 0, who);
    const there = new Set(TARGET);
    for (const { name, labels } of metrics) {
      const known = shown.get(name);
      if (!known) wrong.push(`${who}: there is no ${name}`);
      for (const label of known ?? []) there.add(label);
      for (const label of labels) {
        if (known && !known.has(label) && !TARGET.includes(label)) wrong.push(`${who}: ${name} has no label ${label}`);
      }
    }
    for (const label of groupedBy) if (!there.has(label)) wrong.push(`${who}: nothing has a label ${label}`);
  }
  for (const { alert, expr, annotations } of rules) {
    const { metrics, groupedBy } = usesOf(expr);
    const isAggregated = groupedBy.length > 0 && /^(sum|max|histogram_quantile|absent)\b/.test(expr);
    const all = metrics.flatMap(({ name }) => [...shown.get(name) ?? []]);
    const labels = isAggregated ? groupedBy : [...TARGET, ...all];
    for (
      const [, label = ""] of Object.values(annotations).join(" ").matchAll(/\$labels\.(\w+)/g)
    ) {
      if (!labels.includes(label)) wrong.push(`${alert}: its annotations want the label ${label}`);
    }
  }
  assertEquals(wrong, []);
});

test("alerts and dashboard ask for no metric of a CronJob that is not there by default", async () => {
  const asked = [...await alertRules(), ...await dashboardExpressions()].flatMap(({ expr }) => usesOf(expr).metrics);
  const names = new Set(asked.map(({ name }) => name));
  const families = CRON_JOB_FAMILIES.filter(({ name }) => names.has(name));
  assert(families.length > 8);
  assertEquals(families.filter(({ essential }) => essential === undefined), []);
});

test("every alert says how bad it is, what is the matter, and where to read on: a section that is there", async () => {
  const anchors = await anchorsOf("docs/how-to/alerts.md");
  const rules = await alertRules();
  assertEquals(new Set(rules.map(({ alert }) => alert)).size, rules.length);
  for (const { alert, labels, annotations } of rules) {
    assert(["critical", "warning", "info"].includes(must(labels.severity)), alert);
    assertMatch(must(annotations.summary), /^[A-Z].*\.$/, alert);
    assertMatch(must(annotations.description), /^[A-Z][^\n]*\.$/, alert);
    const { origin, pathname: file, hash } = new URL(must(annotations.runbook_url));
    const anchor = hash.slice(1);
    assertEquals(origin + file, "https://cronjob-controller.dev/docs/how-to/alerts.md");
    assert(anchors.has(anchor), `${alert}: ${file} has no section #${anchor}`);
    assert(anchor.includes(alert.toLowerCase()), alert);
  }
});

test("the dashboard has panels that do not overlap, each with something to show, of the data source that is chosen", async () => {
  const { panels, schemaVersion, templating, uid } = await dashboard();
  assertEquals([uid, schemaVersion >= 39], ["cronjob-controller", true]);
  assertEquals(templating.list.map(({ name }) => name), ["datasource", "job", "namespace", "cronjob"]);
  assertEquals(new Set(panels.map(({ id }) => id)).size, panels.length);
  const taken = new Map<string, string>();
  for (const { type, title, gridPos: { x, y, w, h }, datasource, targets = [] } of panels) {
    assert(x >= 0 && x + w <= 24, title);
    for (let column = x; column < x + w; column++) {
      for (let line = y; line < y + h; line++) {
        assertEquals(taken.get(`${column} ${line}`), undefined, `${title} lies over another`);
        taken.set(`${column} ${line}`, title);
      }
    }
    if (type === "row") continue;
    assertEquals(datasource?.uid, "${datasource}", title);
    assert(targets.length > 0 && targets.every(({ expr }) => expr.includes("$job")), title);
  }
  const shown = (await dashboardExpressions()).flatMap(({ expr }) => usesOf(expr).metrics.map(({ name }) => name));
  for (const { alert, expr } of await alertRules()) {
    // What wakes people up can be looked at.
    const seen = usesOf(expr).metrics.some(({ name }) => shown.includes(name));
    assert(seen, `${alert}: none of its metrics is on the dashboard`);
  }
});

test("kubectl renders the folder: rules, what is scraped, and the dashboard where Grafana's sidecar finds it", async () => {
  const folder = new URL("../../deploy/monitoring", import.meta.url).pathname;
  const objects = await kustomize(folder);
  assertEquals(objects.map(({ kind }) => kind).sort(), ["ConfigMap", "PrometheusRule", "ServiceMonitor"]);
  assertEquals(objects.every(({ metadata }) => metadata.namespace === "cronjob-controller-system"), true);
  const { data, metadata } = objects.find(({ kind }) => kind === "ConfigMap") as unknown as ConfigMap;
  assertEquals(metadata?.labels?.grafana_dashboard, "1");
  assertEquals(JSON.parse(data!["cronjob-controller.json"]!).uid, "cronjob-controller");
});

test("what is scraped is the port of the Service that the manifests make", async () => {
  const read = async (file: string) => {
    const text = await Deno.readTextFile(new URL(`../../deploy/${file}`, import.meta.url));
    return parseAllDocuments(text).map((document) => document.toJS());
  };
  const [monitor] = await read("monitoring/service_monitor.yaml");
  const service = (await read("base/network.yaml")).find(({ kind }) => kind === "Service");
  const [wanted] = atLeast(1, Object.entries(monitor.spec.selector.matchLabels));
  assertEquals(service.metadata.labels[wanted[0]], wanted[1]);
  assertEquals(service.metadata.namespace, monitor.metadata.namespace);
  assert(service.spec.ports.some(({ name }: { name: string }) => name === monitor.spec.endpoints[0].port));
});
