import type { KubeClient } from "../kube/client.ts";
import type { KubeObject } from "../kube/object.ts";
import { listPages } from "../kube/paging.ts";
import { apiVersionOf, type Resource } from "../kube/resource.ts";
import { ResourceFinder } from "./resource_finder.ts";
import { type Applied, identityOf, type Wanted } from "./source.ts";

/** The label of what was applied from a folder or a crontab: which one. */
export const APPLIED_FROM = "cronjob-controller.dev/applied-from";

/** The annotation of it: which file of the folder, or which line of the crontab. */
const ORIGIN = "cronjob-controller.dev/applied-from-origin";

/** The annotation of it: which object it is. A copy under another name has that of its original. */
const IDENTITY = "cronjob-controller.dev/applied-from-identity";

/** Of all that `standalone` applies, so that an object may go from one option to the other. */
export const FIELD_MANAGER = "cronjob-controller-apply";

/** The objects of a source that a server has. */
export class AppliedObjects {
  readonly #client: KubeClient;
  readonly #resources: ResourceFinder;

  constructor(client: KubeClient) {
    this.#client = client;
    this.#resources = new ResourceFinder(client);
  }

  /** All that was applied from any source, also in former lives of the program; but no copies, which have its label too. */
  async all(): Promise<Applied[]> {
    const labelSelector = APPLIED_FROM;
    const lists = await Promise.all((await this.#resources.all()).map(async (resource) => {
      const pages = await Array.fromAsync(listPages(this.#client, resource, { labelSelector, limit: 500 }));
      return pages.flat().flatMap((object) => {
        const applied = appliedOf(resource, object);
        return object.metadata.annotations?.[IDENTITY] === identityOf(applied) ? [applied] : [];
      });
    }));
    return lists.flat();
  }

  /** Applies an object as `kubectl apply --server-side --force-conflicts` does, marked with where it is from. */
  async apply({ object, origin }: Wanted, sourceId: string, options: { dryRun?: boolean } = {}): Promise<Applied> {
    const { metadata, ...rest } = object;
    const resource = await this.#resources.find(object.apiVersion, object.kind);
    const namespace = resource.namespaced ? metadata.namespace ?? "default" : undefined;
    const identity = identityOf({ object: { ...object, metadata: { name: metadata.name, namespace } } });
    const body = {
      ...rest,
      metadata: {
        ...metadata,
        labels: { ...metadata.labels, [APPLIED_FROM]: sourceId },
        annotations: { ...metadata.annotations, [ORIGIN]: origin, [IDENTITY]: identity },
      },
    };
    const patch = { type: "apply", body, fieldManager: FIELD_MANAGER, force: true } as const;
    return appliedOf(resource, await this.#client.patch(resource, { name: metadata.name, namespace }, patch, options));
  }

  /** Deletes an object with all that it owns, but none that has taken its place. */
  async remove({ object: { apiVersion, kind, metadata: { namespace, name, uid } } }: Applied): Promise<void> {
    const resource = await this.#resources.find(apiVersion, kind);
    const options = { propagationPolicy: "Background", preconditions: { uid } } as const;
    await this.#client.delete(resource, { name, namespace }, options);
  }
}

function appliedOf(resource: Resource, { metadata }: KubeObject): Applied {
  return {
    object: { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata },
    sourceId: metadata.labels?.[APPLIED_FROM] ?? "",
    origin: metadata.annotations?.[ORIGIN] ?? "",
  };
}
