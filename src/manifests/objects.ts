import { DEFINED_FLAVOURS, definitionOf } from "../cronjob/api/crd.ts";
import { accessOf } from "./access.ts";
import { POD_DISRUPTION_BUDGET, workloadOf } from "./deployment.ts";
import type { Install } from "./install.ts";
import { NAMESPACE_OBJECT, SERVICE_ACCOUNT } from "./namespace.ts";
import { DASHBOARD_SERVICE, METRICS_SERVICE, networkPolicyOf } from "./network.ts";
import { rolesOf } from "./rbac.ts";
import { userRolesOf } from "./user_roles.ts";

/** An object to be applied to a cluster. */
export interface KubeManifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** Returns all that a cluster needs, each object after those that it needs itself. */
export function objectsOf(install: Install): KubeManifest[] {
  const defined = DEFINED_FLAVOURS.filter((flavour) => install.apis.includes(flavour));
  const objects: unknown[] = [
    NAMESPACE_OBJECT,
    ...defined.map(definitionOf),
    SERVICE_ACCOUNT,
    ...rolesOf(accessOf(install), install.watched),
    ...userRolesOf(defined),
    METRICS_SERVICE,
    ...install.dashboard.kind === "tls" ? [DASHBOARD_SERVICE] : [],
    networkPolicyOf(install),
    POD_DISRUPTION_BUDGET,
    workloadOf(install),
  ];
  return objects as KubeManifest[];
}
