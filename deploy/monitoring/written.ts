// The files of the monitoring that derive from its YAML: the mixin, and rules that name another place of the runbooks.
import { parse } from "yaml";

const FOLDER = new URL(".", import.meta.url);
/** Where the rules in this folder have their runbooks; releases, charts and mixins put another address in its place. */
const RUNBOOKS = "https://cronjob-controller.dev/docs/how-to/alerts.md";

function read(file: string): Promise<string> {
  return Deno.readTextFile(new URL(file, FOLDER));
}

async function groupsOf(file: string): Promise<string> {
  return JSON.stringify(parse(await read(file)).spec.groups, null, 2);
}

/** Returns the PrometheusRule of the alerts, with its runbooks at another address. */
export async function alertsWith(runbooks: string): Promise<string> {
  return (await read("prometheus_rule.yaml")).replaceAll(RUNBOOKS, runbooks);
}

/** Returns the alerts, the recording rules and the dashboard as monitoring mixins have them: Jsonnet, which JSON is, too. */
export async function mixin(): Promise<string> {
  const alerts = (await groupsOf("prometheus_rule.yaml")).replaceAll(`"${RUNBOOKS}`, '$._config.runbookUrl + "');
  return `// Written by \`deno task manifests\`.
{
  _config+:: {
    // The page with a section for each alert.
    runbookUrl: "${RUNBOOKS}",
    // Whether CronJobs of the CRDs also have the names of kube-state-metrics.
    kubeStateMetricsRules: false,
  },
  prometheusAlerts+:: {
    groups+: ${alerts},
  },
  prometheusRules+:: {
    groups+: if $._config.kubeStateMetricsRules then ${await groupsOf("kube_state_metrics_rules.yaml")} else [],
  },
  grafanaDashboards+:: {
    "cronjob-controller.json": import "dashboard.json",
  },
}
`;
}
