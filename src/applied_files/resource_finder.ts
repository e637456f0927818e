import { ApiError } from "../kube/api_error.ts";
import type { KubeClient } from "../kube/client.ts";
import type { KubeObject } from "../kube/object.ts";
import type { Resource } from "../kube/resource.ts";

interface ResourceList {
  readonly resources: readonly {
    readonly name: string;
    readonly kind: string;
    readonly namespaced: boolean;
    readonly verbs: readonly string[];
  }[];
}

interface GroupList {
  readonly groups: readonly { readonly preferredVersion: { readonly groupVersion: string } }[];
}

/** Finds the resource of a kind in the discovery documents of the server. Each document is read once. */
export class ResourceFinder {
  readonly #client: KubeClient;
  readonly #lists = new Map<string, ResourceList>();

  constructor(client: KubeClient) {
    this.#client = client;
  }

  /** @throws {ApiError} for a kind that is not served */
  async find(apiVersion: string, kind: string): Promise<Resource<KubeObject>> {
    const found = await this.#list(apiVersion);
    const entry = found.resources.find((resource) => resource.kind === kind && !resource.name.includes("/"));
    if (!entry) throw notServed(apiVersion, kind);
    return resourceOf(apiVersion, entry);
  }

  /** Finds every kind whose objects can be listed and deleted, each in one version. */
  async all(): Promise<Resource<KubeObject>[]> {
    const { groups }: GroupList = await (await this.#client.raw("/apis")).json();
    const versions = ["v1", ...groups.map(({ preferredVersion }) => preferredVersion.groupVersion)];
    const lists = await Promise.all(versions.map(async (version) => [version, await this.#list(version)] as const));
    return lists.flatMap(([version, { resources }]) =>
      resources.filter(({ name, verbs }) => !name.includes("/") && verbs.includes("list") && verbs.includes("delete"))
        .map((entry) => resourceOf(version, entry))
    );
  }

  async #list(apiVersion: string): Promise<ResourceList> {
    const known = this.#lists.get(apiVersion);
    if (known) return known;
    try {
      const response = await this.#client.raw(apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`);
      const list: ResourceList = await response.json();
      this.#lists.set(apiVersion, list);
      return list;
    } catch (error) {
      // A definition among the files may bring the group, so the next call asks for it again.
      if (error instanceof ApiError && error.isNotFound) return { resources: [] };
      throw error;
    }
  }
}

function resourceOf(
  apiVersion: string,
  { name, kind, namespaced }: ResourceList["resources"][number],
): Resource<KubeObject> {
  const [group = "", version = ""] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  return { group, version, plural: name, kind, namespaced };
}

function notServed(apiVersion: string, kind: string): ApiError {
  return new ApiError(`the server knows no kind ${kind} in ${apiVersion}`, { code: 404, reason: "NotFound" });
}
