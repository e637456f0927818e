import type { Job as AnyJob } from "kubernetes-types/batch/v1";
import type { CronJob as AnyCronJob } from "kubernetes-types/batch/v1";
import type { Lease as AnyLease } from "kubernetes-types/coordination/v1";
import type {
  ConfigMap as AnyConfigMap,
  Event as AnyEvent,
  Namespace as AnyNamespace,
  Node as AnyNode,
  Pod as AnyPod,
  Secret as AnySecret,
} from "kubernetes-types/core/v1";
import type { KubeObject, Stored } from "./object.ts";

/** Where an API server keeps objects of type `T`: all that a request path is made of. */
export interface Resource<T extends KubeObject = KubeObject> {
  /** `""` for the core group. */
  readonly group: string;
  readonly version: string;
  /** As in the path: `cronjobs`. */
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Only ties `T` to the value; never set. */
  readonly objectType?: T;
}

export type Job = Stored<AnyJob>;
export type CronJob = Stored<AnyCronJob>;
export type Pod = Stored<AnyPod>;
export type Event = Stored<AnyEvent>;
export type Lease = Stored<AnyLease>;
export type Namespace = Stored<AnyNamespace>;
export type Node = Stored<AnyNode>;
export type ConfigMap = Stored<AnyConfigMap>;
export type Secret = Stored<AnySecret>;

export const JOBS: Resource<Job> = batch("jobs", "Job");
export const CRON_JOBS: Resource<CronJob> = batch("cronjobs", "CronJob");
export const PODS: Resource<Pod> = core("pods", "Pod");
export const EVENTS: Resource<Event> = core("events", "Event");
export const CONFIG_MAPS: Resource<ConfigMap> = core("configmaps", "ConfigMap");
export const SECRETS: Resource<Secret> = core("secrets", "Secret");
export const SERVICE_ACCOUNTS: Resource = core("serviceaccounts", "ServiceAccount");
export const NAMESPACES: Resource<Namespace> = core("namespaces", "Namespace", false);
export const NODES: Resource<Node> = core("nodes", "Node", false);
export const LEASES: Resource<Lease> = {
  group: "coordination.k8s.io",
  version: "v1",
  plural: "leases",
  kind: "Lease",
  namespaced: true,
};

/** Returns group and version as an object's `apiVersion` has them: `v1`, `batch/v1`. */
export function apiVersionOf(resource: Pick<Resource, "group" | "version">): string {
  return resource.group ? `${resource.group}/${resource.version}` : resource.version;
}

function batch<T extends KubeObject>(plural: string, kind: string): Resource<T> {
  return { group: "batch", version: "v1", plural, kind, namespaced: true };
}

function core<T extends KubeObject>(plural: string, kind: string, namespaced = true): Resource<T> {
  return { group: "", version: "v1", plural, kind, namespaced };
}
