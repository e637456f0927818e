import { customKind } from "../../../src/apiserver/kinds/custom.ts";
import type { ResourceKind } from "../../../src/apiserver/resource_kind.ts";

/** Of what the chart installs, the kinds that the embedded API server does not have: they are kept as they come. */
export const CLUSTER_KINDS: readonly ResourceKind[] = [
  kind("apps", "v1", "Deployment", "deployments"),
  kind("", "v1", "Service", "services"),
  kind("networking.k8s.io", "v1", "NetworkPolicy", "networkpolicies"),
  kind("policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets"),
  kind("rbac.authorization.k8s.io", "v1", "Role", "roles"),
  kind("rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings"),
  kind("rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles", "Cluster"),
  kind("rbac.authorization.k8s.io", "v1", "ClusterRoleBinding", "clusterrolebindings", "Cluster"),
  kind("monitoring.coreos.com", "v1", "ServiceMonitor", "servicemonitors"),
  kind("monitoring.coreos.com", "v1", "PrometheusRule", "prometheusrules"),
];

function kind(group: string, version: string, kind: string, plural: string, scope = "Namespaced"): ResourceKind {
  const names = { kind, plural, singular: kind.toLowerCase() };
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  return customKind(
    { metadata: { name: plural }, spec: { group, scope, names, versions: [{ name: version, schema }] } },
    version,
  );
}
