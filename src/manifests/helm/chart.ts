import { DEFINED_FLAVOURS, definitionOf } from "../../cronjob/api/crd.ts";
import { FLAVOURS } from "../../cronjob/api/flavour.ts";
import type { JobMode } from "../../job/api/managed_by.ts";
import { apiVersionOf } from "../../kube/resource.ts";
import { accessOf } from "../access.ts";
import { type Install, installOf, NAME, NAMESPACE } from "../install.ts";
import { type KubeManifest, objectsOf } from "../objects.ts";
import { rulesOf } from "../rbac.ts";
import { yamlOf } from "../yaml.ts";
import { type Change, type Condition, conditional } from "./conditional.ts";
import { guard, linesOf, printDocuments, printPart } from "./print.ts";
import { fillIn, TOKENS, WATCHED_RULES } from "./tokens.ts";
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

/** All files of the chart, by their paths in it. */
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
`;

const BASE: Install = {
  ...installOf("base"),
  image: TOKENS.image,
  apis: [],
  resources: TOKENS.resources as Install["resources"],
};

const IS_API: readonly Condition[] = FLAVOURS.map(({ resource }) => ({
  if: `has "${apiVersionOf(resource)}" $.Values.apis`,
}));

/** What each value changes. */
const CHANGES: readonly Change<Partial<Install>>[] = [
  ...FLAVOURS.map((flavour, i) => ({ when: IS_API[i], from: {}, to: { apis: [flavour] } })),
  { when: { if: "$.Values.managedOnly" }, from: {}, to: { managedOnly: true } },
  {
    when: { if: 'has (toString $.Values.jobs) (list "managed" "all")' },
    from: {},
    to: { jobs: TOKENS.jobs as JobMode },
  },
  {
    when: { if: "$.Values.pendingTimeouts" },
    from: { apis: FLAVOURS },
    to: { apis: FLAVOURS, pendingTimeouts: true },
  },
  {
    when: { if: 'eq $.Values.dashboard.kind "port-forward"' },
    from: {},
    to: { dashboard: { kind: "port-forward" } },
  },
  {
    when: { if: 'eq $.Values.dashboard.kind "tls"' },
    from: {},
    to: { dashboard: { kind: "tls", secret: TOKENS.dashboardSecret } },
  },
  { when: { range: "$.Values.namespaces" }, from: {}, to: { watched: [TOKENS.each] } },
  { when: { range: "$name, $value := $.Values.flags" }, from: {}, to: { flags: [TOKENS.flag] } },
  {
    when: { range: "$name, $value := $.Values.pod" },
    from: {},
    to: { pod: { [TOKENS.name]: TOKENS.value } as object },
  },
];

/** @param world what holds whatever the values are */
function inWorld<T>(of: (install: Install) => T, world: Partial<Install> = {}) {
  return conditional((change) => of({ ...BASE, ...change, ...world }), {} as Partial<Install>, CHANGES);
}

function documents(of: (install: Install) => readonly KubeManifest[], world?: Partial<Install>): string[] {
  return printDocuments(inWorld(of, world), IS_API);
}

function ofKinds(...kinds: readonly string[]) {
  return (install: Install) => objectsOf(install).filter(({ kind }) => kinds.includes(kind));
}

/** As a whole each: what differs between two of them is no matter of values. */
function crds(): string[] {
  const printed = DEFINED_FLAVOURS.flatMap((flavour) => {
    const definition = definitionOf(flavour);
    const annotations = { "helm.sh/resource-policy": "keep" };
    const kept = { ...definition, metadata: { ...definition.metadata, annotations } };
    return guard(IS_API[FLAVOURS.indexOf(flavour)], ["---", ...linesOf(kept)]);
  });
  return guard({ if: "$.Values.crds.install" }, printed);
}

/** What is done where CronJobs are watched: in all namespaces, or in each of some. */
function watchedRules(): string[] {
  const rules = inWorld((install) => rulesOf(accessOf(install).filter(({ where }) => where === "watched")));
  return [`{{- define "${WATCHED_RULES}" -}}`, ...printPart(rules, IS_API), "{{- end }}"];
}

function rbac(): string[] {
  const own = (install: Install) => ofKinds("ServiceAccount", "RoleBinding", "Role")(install).toSorted(roleLast);
  const each = (install: Install) =>
    ofKinds("Role", "RoleBinding")(install).filter(({ metadata }) => metadata.namespace === TOKENS.each);
  const cluster = ofKinds("ClusterRole", "ClusterRoleBinding");
  return [
    ...documents(own, { watched: [] }),
    ...guard({ if: "has $.Release.Namespace $.Values.namespaces" }, [`  ${fillIn(TOKENS.watchedRules)}`]),
    ...guard(
      { range: "without $.Values.namespaces $.Release.Namespace" },
      documents((install) => each(install).map(withWatchedRules), { watched: [TOKENS.each] }),
    ),
    ...guard(
      { if: "not $.Values.namespaces" },
      documents((install) => cluster(install).map(withWatchedRules), { watched: [] }),
    ),
  ];
}

/** The rules of the Role are at the end, so that more can follow. */
function roleLast(one: KubeManifest, other: KubeManifest): number {
  return Number(one.kind === "Role") - Number(other.kind === "Role");
}

/** Of roles, those that grant it are called as everything is. */
function withWatchedRules(object: KubeManifest): KubeManifest {
  const grantsThem = "rules" in object && object.metadata.name === NAME;
  return grantsThem ? { ...object, rules: TOKENS.watchedRules } as KubeManifest : object;
}

function monitoring(monitors: readonly KubeManifest[]): string[] {
  const dashboard = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: `${NAME}-dashboard`,
      namespace: NAMESPACE,
      labels: { "app.kubernetes.io/name": NAME, "grafana_dashboard": "1" },
    },
    data: { "cronjob-controller.json": TOKENS.dashboard },
  };
  const labelled: Change<Record<string, string>> = {
    when: { range: "$name, $value := $.Values.monitoring.labels" },
    from: {},
    to: { [TOKENS.name]: TOKENS.value },
  };
  const withLabels = (object: KubeManifest & { metadata: { labels?: object } }) => (labels: object) => [
    { ...object, metadata: { ...object.metadata, labels: { ...object.metadata.labels, ...labels } } },
  ];
  const values = { ServiceMonitor: "serviceMonitor", PrometheusRule: "prometheusRule" } as Record<string, string>;
  return [
    ...monitors.flatMap((object) =>
      guard(
        { if: `$.Values.monitoring.${values[object.kind]}` },
        printDocuments(conditional(withLabels(object), {}, [labelled]), []),
      )
    ),
    ...guard({ if: "$.Values.monitoring.grafanaDashboard" }, ["---", ...linesOf(dashboard)]),
  ];
}

function template(lines: readonly string[]): string {
  return HEADER + lines.join("\n") + "\n";
}
