import { ApiError } from "../../kube/api_error.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import type { Position } from "../../manifest_files/yaml_documents.ts";
import { readManifests } from "../../manifest_files/read.ts";
import { ConfigError } from "../errors.ts";

const FIELD_MANAGER = "cronjob-controller-apply";

/** What others need comes first. */
const KIND_ORDER = ["Namespace", "CustomResourceDefinition", "ServiceAccount", "ConfigMap", "Secret"];

/** An object to apply, and the file it stands in, for messages. */
export interface Manifest {
  readonly source: string;
  readonly object: ManifestObject;
}

export interface ManifestObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string };
}

/**
 * Reads what is to be applied, as `kubectl apply -f` does.
 *
 * @throws {ConfigError} naming the file and what is wrong with it
 */
export async function readManifestsToApply(paths: readonly string[]): Promise<Manifest[]> {
  const { manifests, faults } = await readManifests(paths, { recursive: false });
  for (const { source, reason, line } of faults) throw wrong(source, reason, { line });
  return manifests.map(({ source, object, position }) => {
    if (typeof object.metadata?.name !== "string" || object.metadata.name === "") {
      throw wrong(source, `the ${object.kind} needs metadata.name`, position("metadata"));
    }
    return { source, object: object as ManifestObject };
  });
}

function wrong(source: string, reason: string, { line }: Pick<Position, "line">): ConfigError {
  return new ConfigError(`Cannot read manifest ${source}: ${reason} (line ${line})`);
}

/**
 * Applies manifests as `kubectl apply --server-side --force-conflicts` does; gives back how many.
 *
 * @throws {ConfigError} naming the file of the first manifest that the server refuses
 */
export async function applyManifests(client: KubeClient, manifests: readonly Manifest[]): Promise<number> {
  const resources = new ResourceFinder(client);
  const ordered = manifests.toSorted((a, b) => rank(a) - rank(b));
  for (const { source, object } of ordered) {
    try {
      const resource = await resources.find(object.apiVersion, object.kind);
      const namespace = resource.namespaced ? object.metadata.namespace ?? "default" : undefined;
      const { name } = object.metadata;
      const patch = { type: "apply", body: object, fieldManager: FIELD_MANAGER, force: true } as const;
      await client.patch(resource, { name, namespace }, patch);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      throw new ConfigError(`Cannot apply ${object.kind} ${object.metadata.name} of ${source}: ${error.message}`, {
        cause: error,
      });
    }
  }
  return ordered.length;
}

function rank({ object }: Manifest): number {
  const index = KIND_ORDER.indexOf(object.kind);
  return index < 0 ? KIND_ORDER.length : index;
}

interface ResourceList {
  resources: { name: string; kind: string; namespaced: boolean }[];
}

/** Finds where the server keeps a kind, by its discovery documents, each asked for once. */
class ResourceFinder {
  #client: KubeClient;
  #lists = new Map<string, ResourceList>();

  constructor(client: KubeClient) {
    this.#client = client;
  }

  async find(apiVersion: string, kind: string): Promise<Resource<KubeObject>> {
    const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
    const entry = (await this.#list(apiVersion, group)).resources
      .find((resource) => resource.kind === kind && !resource.name.includes("/"));
    if (!entry) throw notServed(apiVersion, kind);
    return { group, version, plural: entry.name, kind, namespaced: entry.namespaced };
  }

  async #list(apiVersion: string, group: string): Promise<ResourceList> {
    const known = this.#lists.get(apiVersion);
    if (known) return known;
    try {
      const response = await this.#client.raw(group ? `/apis/${apiVersion}` : `/api/${apiVersion}`);
      const list: ResourceList = await response.json();
      this.#lists.set(apiVersion, list);
      return list;
    } catch (error) {
      // It may be a definition further down that brings the group.
      if (error instanceof ApiError && error.isNotFound) return { resources: [] };
      throw error;
    }
  }
}

function notServed(apiVersion: string, kind: string): ApiError {
  return new ApiError(`the server knows no kind ${kind} in ${apiVersion}`, { code: 404, reason: "NotFound" });
}
