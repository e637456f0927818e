import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, Subject } from "kubernetes-types/rbac/v1";
import type { Access, Verb } from "../kube/access.ts";
import { LABELS, NAME, NAMESPACE } from "./install.ts";

const API_VERSION = "rbac.authorization.k8s.io/v1";
const API_GROUP = "rbac.authorization.k8s.io";

type Granted = ClusterRole | ClusterRoleBinding | Role | RoleBinding;

const VERBS: readonly Verb[] = ["get", "list", "watch", "create", "update", "patch", "delete"];

/** Returns one rule for each resource, with exactly the verbs that are asked for. */
export function rulesOf(access: readonly Access[]): PolicyRule[] {
  const byTarget = Map.groupBy(
    access,
    ({ resource: { group, plural }, subresource, names = [] }) =>
      [group, subresource ? `${plural}/${subresource}` : plural, ...names].join(" "),
  );
  return [...byTarget].map(([target, asked]) => {
    const [group = "", resource = "", ...resourceNames] = target.split(" ");
    const verbs = VERBS.filter((verb) => asked.some((one) => one.verbs.includes(verb)));
    return { apiGroups: [group], resources: [resource], ...resourceNames.length > 0 && { resourceNames }, verbs };
  });
}

/** Returns the roles of the controller, with their bindings: in the cluster or each watched namespace, and in its own. */
export function rolesOf(access: readonly Access[], watched: readonly string[]): Granted[] {
  const within = (place: Access["where"]) => access.filter(({ where }) => where === place);
  const inCluster = watched.length === 0 ? rulesOf(within("watched")) : [];
  const namespaces = [...new Set([NAMESPACE, ...watched])];
  return [
    ...inCluster.length > 0 ? grantTo(undefined, inCluster) : [],
    ...namespaces.flatMap((namespace) => {
      const here = [
        ...watched.includes(namespace) ? within("watched") : [],
        ...namespace === NAMESPACE ? within("own") : [],
      ];
      return grantTo(namespace, rulesOf(here));
    }),
  ];
}

const SUBJECTS: Subject[] = [{ kind: "ServiceAccount", name: NAME, namespace: NAMESPACE }];

/** Returns a role with these rules, of a namespace or of the cluster, and its binding to the controller. */
function grantTo(namespace: string | undefined, rules: PolicyRule[]): Granted[] {
  const scope = namespace === undefined ? "Cluster" : "";
  const metadata = { name: NAME, ...namespace !== undefined && { namespace }, labels: LABELS };
  return [
    { apiVersion: API_VERSION, kind: `${scope}Role`, metadata, rules },
    {
      apiVersion: API_VERSION,
      kind: `${scope}RoleBinding`,
      metadata,
      roleRef: { apiGroup: API_GROUP, kind: `${scope}Role`, name: NAME },
      subjects: SUBJECTS,
    },
  ];
}
