import { apiVersionOf } from "../kube/resource.ts";
import type { Registry } from "./registry.ts";
import type { Json, ResourceKind, Subresource } from "./resource_kind.ts";
import { byPriority } from "./version_order.ts";

// The first question of clients: which groups, versions and resources there are.

export const AGGREGATED_TYPE = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

interface Group {
  readonly name: string;
  readonly versions: readonly { readonly version: string; readonly kinds: readonly ResourceKind[] }[];
}

function groups(registry: Registry): Group[] {
  return [...Map.groupBy(registry.all(), ({ group }) => group)].map(([name, ofGroup]) => ({
    name,
    versions: [...Map.groupBy(ofGroup, ({ version }) => version)].sort(([a], [b]) => byPriority(a, b)).map((
      [version, kinds],
    ) => ({
      version,
      kinds: kinds.sort((a, b) => a.plural < b.plural ? -1 : 1),
    })),
  }));
}

/** `/api` */
export function apiVersions(address: string): Json {
  return {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: address }],
  };
}

/** `/apis` */
export function apiGroupList(registry: Registry): Json {
  return {
    kind: "APIGroupList",
    apiVersion: "v1",
    groups: groups(registry).filter(({ name }) => name).map(groupOf),
  };
}

/** `/apis/batch`; undefined for a group that is not served. */
export function apiGroup(registry: Registry, name: string): Json | undefined {
  const group = name ? groups(registry).find((each) => each.name === name) : undefined;
  return group && { kind: "APIGroup", apiVersion: "v1", ...groupOf(group) };
}

function groupOf({ name, versions }: Group): Json {
  const list = versions.map(({ version }) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: list, preferredVersion: list[0] };
}

/** `/api/v1`, `/apis/batch/v1`; undefined for a version that is not served. */
export function apiResourceList(registry: Registry, group: string, version: string): Json | undefined {
  const kinds = groups(registry).find(({ name }) => name === group)?.versions.find((each) => each.version === version)
    ?.kinds;
  if (!kinds) return undefined;
  return {
    kind: "APIResourceList",
    ...(group ? { apiVersion: "v1" } : {}),
    groupVersion: apiVersionOf({ group, version }),
    resources: kinds.flatMap((kind) => [resourceOf(kind), ...kind.subresources.map((sub) => subresourceOf(kind, sub))]),
  };
}

function resourceOf(kind: ResourceKind): Json {
  return {
    name: kind.plural,
    singularName: kind.singular,
    namespaced: kind.namespaced,
    kind: kind.kind,
    verbs: kind.verbs,
    ...otherNames(kind),
    storageVersionHash: kind.storageVersionHash,
  };
}

function otherNames({ shortNames, categories }: ResourceKind): Json {
  return { ...(shortNames.length ? { shortNames } : {}), ...(categories.length ? { categories } : {}) };
}

function subresourceOf(kind: ResourceKind, { name, verbs, responseKind }: Subresource): Json {
  return {
    name: `${kind.plural}/${name}`,
    singularName: "",
    namespaced: kind.namespaced,
    ...(responseKind ? { group: responseKind.group, version: responseKind.version } : {}),
    kind: responseKind?.kind ?? kind.kind,
    verbs,
  };
}

/** `/api` and `/apis` for clients that want everything at once. */
export function aggregated(registry: Registry, which: "core" | "named"): Json {
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: groups(registry).filter(({ name }) => which === "core" ? !name : name).map(({ name, versions }) => ({
      metadata: name ? { name } : {},
      versions: versions.map(({ version, kinds }) => ({
        version,
        resources: kinds.map(aggregatedResource),
        freshness: "Current",
      })),
    })),
  };
}

function aggregatedResource(kind: ResourceKind): Json {
  // Built-in kinds leave both empty: the entry around them names group and version.
  const responseKind = kind.custom
    ? { group: kind.group, version: kind.version, kind: kind.kind }
    : { group: "", version: "", kind: kind.kind };
  const subresources = kind.subresources.map(({ name, verbs, responseKind: own }) => (
    { subresource: name, responseKind: own ?? responseKind, verbs }
  ));
  return {
    resource: kind.plural,
    responseKind,
    scope: kind.namespaced ? "Namespaced" : "Cluster",
    singularResource: kind.singular,
    verbs: kind.verbs,
    ...otherNames(kind),
    ...(subresources.length ? { subresources } : {}),
  };
}
