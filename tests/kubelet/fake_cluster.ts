import { ApiError } from "../../src/kube/api_error.ts";
import type { DeleteOptions, KubeClient, ObjectName, Patch, WatchEvent, WriteOptions } from "../../src/kube/client.ts";
import { type KubeObject, makeKey } from "../../src/kube/object.ts";
import { apiVersionOf, type Pod, PODS, type Resource } from "../../src/kube/resource.ts";

type AnyObject = KubeObject & Record<string, unknown>;

/**
 * As much of an API server as a kubelet talks to, in memory: for the tests that look at the kubelet's requests one by
 * one, or need a server that misbehaves.
 */
export class FakeCluster {
  readonly client: KubeClient;
  /** `<verb> <plural>[/<subresource>] <key>` of each request that changes something. */
  readonly requests: string[] = [];
  /** Called before each changing request; what it throws is the answer. */
  onRequest: (request: string) => void = () => {};
  readonly #objects = new Map<string, AnyObject>();
  readonly #watchers = new Set<(event: WatchEvent<AnyObject> & { plural: string }) => void>();
  #version = 100;

  constructor() {
    this.client = {
      get: (resource: Resource, name: ObjectName) => Promise.resolve().then(() => this.#find(resource, name)),
      list: (resource: Resource) =>
        Promise.resolve({ items: this.#all(resource), metadata: { resourceVersion: String(this.#version) } }),
      create: (resource: Resource, object: KubeObject) =>
        this.#change("create", resource, object.metadata, undefined, () => this.put(resource, object)),
      patch: (resource: Resource, name: ObjectName, patch: Patch, options: WriteOptions = {}) =>
        this.#change("patch", resource, name, options.subresource, () => this.#patch(resource, name, patch)),
      delete: (resource: Resource, name: ObjectName, options: DeleteOptions = {}) =>
        this.#change("delete", resource, name, undefined, () => this.delete(resource, name, options)),
      watch: (resource: Resource, options: { signal?: AbortSignal } = {}) => this.#watch(resource, options.signal),
      raw: (path: string, init: RequestInit = {}) => this.#bind(path, init),
    } as unknown as KubeClient;
  }

  /** Stores an object as an API server does that has no defaults. */
  put(resource: Resource, object: { metadata: { name?: string; namespace?: string } }): AnyObject {
    const key = keyOf(resource, object.metadata);
    const known = this.#objects.get(key);
    const stored = {
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      ...structuredClone(object),
      metadata: {
        uid: crypto.randomUUID(),
        creationTimestamp: "2026-01-01T00:00:00Z",
        ...resource.namespaced ? { namespace: "default" } : {},
        ...structuredClone(object.metadata),
        resourceVersion: String(++this.#version),
      },
    } as AnyObject;
    this.#objects.set(key, stored);
    this.#tell({ type: known ? "MODIFIED" : "ADDED", object: stored, plural: resource.plural });
    return stored;
  }

  get<T>(resource: Resource, name: string): T | undefined {
    return this.#objects.get(keyOf(resource, { name, namespace: "default" })) as T | undefined;
  }

  pod(name: string): Pod | undefined {
    return this.get(PODS, name);
  }

  /** As kubectl does: a Pod on a node gets its grace, any other is gone at once. */
  delete(resource: Resource, name: ObjectName, options: DeleteOptions = {}): void {
    const object = this.#find(resource, name);
    const uid = options.preconditions?.uid;
    if (uid && uid !== object.metadata.uid) throw refusal(409, "Conflict", name.name);
    const spec = (object.spec ?? {}) as { nodeName?: string; terminationGracePeriodSeconds?: number };
    const seconds = options.gracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 30;
    if (resource === PODS && spec.nodeName && seconds > 0) {
      const deletionTimestamp = new Date(Math.ceil((Date.now() + seconds * 1000) / 1000) * 1000).toISOString();
      const metadata = { ...object.metadata, deletionTimestamp, deletionGracePeriodSeconds: seconds };
      this.put(resource, { ...object, metadata });
      return;
    }
    this.#objects.delete(keyOf(resource, object.metadata));
    this.#tell({ type: "DELETED", object, plural: resource.plural });
  }

  #find(resource: Resource, name: ObjectName): AnyObject {
    const object = this.#objects.get(keyOf(resource, name));
    if (!object) throw refusal(404, "NotFound", name.name);
    return object;
  }

  #all(resource: Resource): AnyObject[] {
    return [...this.#objects].filter(([key]) => key.startsWith(`${resource.plural} `)).map(([, object]) => object);
  }

  #patch(resource: Resource, name: ObjectName, patch: Patch): AnyObject {
    const object = structuredClone(this.#find(resource, name));
    const { metadata, status } = (patch as { body: { metadata?: { uid?: string }; status: object } }).body;
    if (metadata?.uid && metadata.uid !== object.metadata.uid) throw refusal(409, "Conflict", name.name);
    const before = (object.status ?? {}) as { conditions?: { type: string }[] };
    const conditions = ("conditions" in status ? status.conditions : []) as { type: string }[];
    const kept = (before.conditions ?? []).filter(({ type }) => !conditions.some((each) => each.type === type));
    object.status = { ...before, ...status, conditions: [...kept, ...conditions] };
    return this.put(resource, object);
  }

  #bind(path: string, init: RequestInit): Promise<Response> {
    const [, namespace, name] = /namespaces\/([^/]+)\/pods\/([^/]+)\/binding$/.exec(path)!;
    const { target } = JSON.parse(String(init.body));
    return this.#change("bind", PODS, { name, namespace }, undefined, () => {
      const pod = structuredClone(this.#find(PODS, { name, namespace })) as AnyObject & { spec: { nodeName?: string } };
      if (pod.spec.nodeName) throw refusal(409, "Conflict", name);
      pod.spec.nodeName = target.name;
      this.put(PODS, pod);
      return new Response("{}", { status: 201 });
    });
  }

  async #change<T>(
    verb: string,
    resource: Resource,
    name: { name?: string; namespace?: string },
    subresource: string | undefined,
    change: () => T,
  ): Promise<T> {
    await Promise.resolve();
    const request = `${verb} ${resource.plural}${subresource ? `/${subresource}` : ""} ${
      makeKey(name.namespace, name.name ?? "")
    }`;
    this.requests.push(request);
    this.onRequest(request);
    return change();
  }

  async *#watch(resource: Resource, signal?: AbortSignal): AsyncGenerator<WatchEvent<AnyObject>> {
    const queue: WatchEvent<AnyObject>[] = [];
    let wake = () => {};
    const watcher = (event: WatchEvent<AnyObject> & { plural: string }) => {
      if (event.plural === resource.plural) queue.push(event);
      wake();
    };
    const abort = () => wake();
    this.#watchers.add(watcher);
    signal?.addEventListener("abort", abort);
    try {
      while (!signal?.aborted) {
        while (queue.length > 0) yield queue.shift()!;
        await new Promise<void>((resolve) => wake = resolve);
      }
    } finally {
      this.#watchers.delete(watcher);
      signal?.removeEventListener("abort", abort);
    }
  }

  #tell(event: WatchEvent<AnyObject> & { plural: string }): void {
    for (const watcher of this.#watchers) watcher(structuredClone(event));
  }
}

function keyOf(resource: Resource, name: { name?: string; namespace?: string }): string {
  return `${resource.plural} ${
    makeKey(resource.namespaced ? name.namespace ?? "default" : undefined, name.name ?? "")
  }`;
}

function refusal(code: number, reason: string, name: string): ApiError {
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", details: { name } } as const;
  return new ApiError(`${reason}: ${name}`, { code, reason, status });
}
