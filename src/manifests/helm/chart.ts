import { NAME } from "../install.ts";
import type { KubeManifest } from "../objects.ts";
import { yamlOf } from "../yaml.ts";
import { crds, documents, monitoring, ofKinds, rbac, watchedRules } from "./templates.ts";
import { type Schema, valuesOf, valuesSchema, valuesYaml } from "./values.ts";

/** What the chart takes from elsewhere. */
export interface ChartParts {
  /** The version of the chart and of what it installs. */
  readonly version: string;
  /** Where the repository and the image are, in a release; absent: who installs it says where the image is. */
  readonly addresses?: { readonly repository: string; readonly image: string };
  /** As {@linkcode valuesOf} takes them. */
  readonly flags: Record<string, Schema>;
  /** The ServiceMonitor and the PrometheusRule of `deploy/monitoring`. */
  readonly monitors: readonly KubeManifest[];
  /** Grafana's, JSON. */
  readonly dashboard: string;
}

const HEADER = "{{- /* Written by `deno task manifests`. */ -}}\n";
const COMMENT = "# Written by `deno task manifests`.\n";

/** Returns all files of the chart, by their paths in it. */
export function chartFiles(parts: ChartParts): Map<string, string> {
  const values = valuesOf({ flags: parts.flags, image: parts.addresses?.image ?? NAME });
  return new Map([
    ["Chart.yaml", COMMENT + yamlOf(chartOf(parts))],
    ["values.yaml", COMMENT + valuesYaml(values, yamlOf)],
    ["values.schema.json", `${JSON.stringify(valuesSchema(values), null, 2)}\n`],
    ["dashboard.json", parts.dashboard],
    ["templates/crds.yaml", template(crds())],
    ["templates/_watched_rules.tpl", template(watchedRules())],
    ["templates/rbac.yaml", template(rbac())],
    ["templates/deployment.yaml", template(documents(ofKinds("Deployment", "PodDisruptionBudget")))],
    ["templates/network.yaml", template(documents(ofKinds("Service", "NetworkPolicy")))],
    ["templates/monitoring.yaml", template(monitoring(parts.monitors))],
    ["templates/NOTES.txt", NOTES],
  ]);
}

function chartOf({ version, addresses }: ChartParts): object {
  return {
    apiVersion: "v2",
    name: NAME,
    description: "Runs Kubernetes CronJobs: no run twice, and with catchUp All none lost, also through outages",
    type: "application",
    version,
    appVersion: version,
    ...addresses && { home: addresses.repository, sources: [addresses.repository] },
    annotations: { "artifacthub.io/license": "Apache-2.0" },
  };
}

const NOTES = `{{- /* Written by \`deno task manifests\`. */ -}}
The replicas are up when this ends:

  kubectl -n {{ .Release.Namespace }} rollout status deployment/${NAME}

HOLDER is the one that works:

  kubectl -n {{ .Release.Namespace }} get lease

CronJobs that it runs, and how many these are:

  cronjob-controller status -A --by cronjob-controller

helm uninstall leaves them as they are: adopted CronJobs of batch/v1 stay suspended, so nothing runs them any more. Give
them back first; release counts what would run nowhere:

  cronjob-controller release --all --all-namespaces
`;

function template(lines: readonly string[]): string {
  return HEADER + lines.join("\n") + "\n";
}
