import { DEFINED_FLAVOURS, definitionOf } from "../../cronjob/api/crd.ts";
import { FLAVOURS } from "../../cronjob/api/flavour.ts";
import { accessOf } from "../access.ts";
import { type Install, NAME, NAMESPACE } from "../install.ts";
import { type KubeManifest, objectsOf } from "../objects.ts";
import { rulesOf } from "../rbac.ts";
import { byValues, IS_API } from "./changes.ts";
import { type Change, conditional } from "./conditional.ts";
import { guard, linesOf, printDocuments, printPart } from "./print.ts";
import { fillIn, TOKENS, WATCHED_RULES } from "./tokens.ts";

/** Returns the lines of a template that renders to objects of an installation, whatever the values are. */
export function documents(of: (install: Install) => readonly KubeManifest[], world?: Partial<Install>): string[] {
  return printDocuments(byValues(of, world), IS_API);
}

/** Picks the objects of some kinds. */
export function ofKinds(...kinds: readonly string[]) {
  return (install: Install) => objectsOf(install).filter(({ kind }) => kinds.includes(kind));
}

/**
 * Returns the lines of the template of the CRDs. Each is there as a whole: what differs between two of them is no matter
 * of values.
 */
export function crds(): string[] {
  const printed = DEFINED_FLAVOURS.flatMap((flavour) => {
    const definition = definitionOf(flavour);
    const annotations = { "helm.sh/resource-policy": "keep" };
    const kept = { ...definition, metadata: { ...definition.metadata, annotations } };
    return guard(IS_API[FLAVOURS.indexOf(flavour)]!, ["---", ...linesOf(kept)]);
  });
  return guard({ if: "$.Values.crds.install" }, printed);
}

/** Returns the lines of the rules for what is done where CronJobs are watched: in all namespaces, or in each of some. */
export function watchedRules(): string[] {
  const rules = byValues((install) => rulesOf(accessOf(install).filter(({ where }) => where === "watched")));
  return [`{{- define "${WATCHED_RULES}" -}}`, ...printPart(rules, IS_API), "{{- end }}"];
}

/** Returns the lines of the template of the service account and its roles. */
export function rbac(): string[] {
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

/** The roles that grant the rules have the name that everything has. */
function withWatchedRules(object: KubeManifest): KubeManifest {
  const grantsThem = "rules" in object && object.metadata.name === NAME;
  return grantsThem ? { ...object, rules: TOKENS.watchedRules } as KubeManifest : object;
}

/** Returns the lines of the template of what is for Prometheus and Grafana. */
export function monitoring(monitors: readonly KubeManifest[]): string[] {
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
