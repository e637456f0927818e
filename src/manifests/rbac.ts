import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
  RoleRef,
  Subject,
} from "kubernetes-types/rbac/v1";
import type { Access, Verb } from "../kube/access.ts";
import { LABELS, NAME, NAMESPACE } from "./install.ts";

const API_VERSION = "rbac.authorization.k8s.io/v1";
const API_GROUP = "rbac.authorization.k8s.io";

const VERBS: readonly Verb[] = ["get", "list", "watch", "create", "update", "patch", "delete"];

/** One rule for each resource, with exactly the verbs that are asked for. */
export function rulesOf(access: readonly Access[]): PolicyRule[] {
  const byTarget = Map.groupBy(
    access,
    ({ resource: { group, plural }, subresource, names = [] }) =>
      [group, subresource ? `${plural}/${subresource}` : plural, ...names].join(" "),
  );
  return [...byTarget].map(([target, asked]) => {
    const [group, resource, ...resourceNames] = target.split(" ");
    const verbs = VERBS.filter((verb) => asked.some((one) => one.verbs.includes(verb)));
    return { apiGroups: [group], resources: [resource], ...resourceNames.length > 0 && { resourceNames }, verbs };
  });
}

/** A role of the cluster, or of each namespace that is watched; and a role for what is done in the controller's own. */
export function rolesOf(
  access: readonly Access[],
  watched: readonly string[],
): (ClusterRole | ClusterRoleBinding | Role | RoleBinding)[] {
  const within = (place: Access["where"]) => access.filter(({ where }) => where === place);
  const inCluster = watched.length === 0 ? rulesOf(within("watched")) : [];
  const namespaces = [...new Set([NAMESPACE, ...watched])];
  return [
    ...inCluster.length > 0 ? [clusterRole(inCluster), clusterRoleBinding()] : [],
    ...namespaces.flatMap((namespace) => {
      const here = [
        ...watched.includes(namespace) ? within("watched") : [],
        ...namespace === NAMESPACE ? within("own") : [],
      ];
      return [role(namespace, rulesOf(here)), roleBinding(namespace)];
    }),
  ];
}

const SUBJECTS: Subject[] = [{ kind: "ServiceAccount", name: NAME, namespace: NAMESPACE }];

function roleRef(kind: "ClusterRole" | "Role"): RoleRef {
  return { apiGroup: API_GROUP, kind, name: NAME };
}

function clusterRole(rules: PolicyRule[]): ClusterRole {
  return { apiVersion: API_VERSION, kind: "ClusterRole", metadata: { name: NAME, labels: LABELS }, rules };
}

function clusterRoleBinding(): ClusterRoleBinding {
  return {
    apiVersion: API_VERSION,
    kind: "ClusterRoleBinding",
    metadata: { name: NAME, labels: LABELS },
    roleRef: roleRef("ClusterRole"),
    subjects: SUBJECTS,
  };
}

function role(namespace: string, rules: PolicyRule[]): Role {
  return { apiVersion: API_VERSION, kind: "Role", metadata: { name: NAME, namespace, labels: LABELS }, rules };
}

function roleBinding(namespace: string): RoleBinding {
  return {
    apiVersion: API_VERSION,
    kind: "RoleBinding",
    metadata: { name: NAME, namespace, labels: LABELS },
    roleRef: roleRef("Role"),
    subjects: SUBJECTS,
  };
}
