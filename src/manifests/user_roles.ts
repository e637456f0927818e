import type { ClusterRole } from "kubernetes-types/rbac/v1";
import type { Flavour } from "../cronjob/api/flavour.ts";
import { LABELS, NAME } from "./install.ts";

const READ = ["get", "list", "watch"];
const WRITE = ["create", "update", "patch", "delete", "deletecollection"];

/**
 * Returns roles that are aggregated to Kubernetes' own `view`, `edit` and `admin`, so that their holders may see and change
 * CronJobs of a definition as those of `batch/v1`. Without these only the cluster's administrators could.
 */
export function userRolesOf(flavours: readonly Flavour[]): ClusterRole[] {
  if (flavours.length === 0) return [];
  return [["view", READ] as const, ["edit", WRITE] as const].map(([role, verbs]) => ({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: {
      name: `${NAME}-${role}`,
      labels: { ...LABELS, [`rbac.authorization.k8s.io/aggregate-to-${role}`]: "true" },
    },
    rules: flavours.map(({ resource: { group, plural } }) => ({ apiGroups: [group], resources: [plural], verbs })),
  }));
}
