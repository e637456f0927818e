import { json, text } from "./answers.ts";
import type {
  DeleteOptions,
  KubeClient,
  Lane,
  ListOptions,
  ObjectList,
  ObjectName,
  Patch,
  PlaceWaiter,
  RequestOptions,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from "./client.ts";
import type { KubeObject, Unstored } from "./object.ts";
import { described, JSON_BODY, PATCH_TYPES, query } from "./requests.ts";
import { apiVersionOf, pathOf, type Resource } from "./resource.ts";
import type { Answer } from "./sockets/answer.ts";
import type { WriteGuard } from "./transport/departure.ts";
import type { TransportRequest } from "./transport/request.ts";
import type { Transport } from "./transport/transport.ts";
import { watch } from "./watch.ts";

/** A {@linkcode KubeClient} whose requests go out by a {@linkcode Transport}. */
export class TransportClient implements KubeClient, AsyncDisposable {
  readonly #transport: Transport;
  readonly #guard: WriteGuard | undefined;
  readonly #component: string | undefined;

  constructor(
    transport: Transport,
    { guard, component }: { readonly guard?: WriteGuard; readonly component?: string },
  ) {
    this.#transport = transport;
    this.#guard = guard;
    this.#component = component;
  }

  guarded(guard: WriteGuard): KubeClient {
    return new TransportClient(this.#transport, { guard, component: this.#component });
  }

  named(component: string): KubeClient {
    return new TransportClient(this.#transport, { guard: this.#guard, component });
  }

  prepare(writes: number): void {
    this.#transport.prepare(writes).catch(() => {/* there is no credential, as the writes will say */});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#transport[Symbol.asyncDispose]();
  }

  async get<T extends KubeObject>(resource: Resource<T>, name: ObjectName, options: RequestOptions = {}): Promise<T> {
    return await this.#call<T>({
      ...described("get", resource, name),
      method: "GET",
      path: pathOf(resource, name.namespace, name.name),
      lane: options.lane ?? "read",
      signal: options.signal,
    }, json);
  }

  async list<T extends KubeObject>(resource: Resource<T>, options: ListOptions = {}): Promise<ObjectList<T>> {
    const list = await this.#call<ObjectList<T>>({
      ...described("list", resource, options),
      method: "GET",
      path: pathOf(resource, options.namespace) + query({
        labelSelector: options.labelSelector,
        fieldSelector: options.fieldSelector,
        limit: options.limit,
        continue: options.continueToken,
        resourceVersion: options.resourceVersion,
      }),
      lane: options.lane ?? "read",
      signal: options.signal,
    }, json);
    // Items of a built-in kind come without these two, and items of a custom kind with them.
    const apiVersion = apiVersionOf(resource);
    list.items ??= [];
    for (const item of list.items) {
      item.apiVersion ??= apiVersion;
      item.kind ??= resource.kind;
    }
    return list;
  }

  async create<T extends KubeObject>(
    resource: Resource<T>,
    object: Unstored<T>,
    options: WriteOptions = {},
  ): Promise<T> {
    const { name, namespace } = object.metadata;
    const known = { name: name ?? `${object.metadata.generateName ?? ""}…`, namespace };
    return await this.#create(resource, known, name, JSON.stringify(object), options, json<T>);
  }

  async createText<T extends KubeObject>(
    resource: Resource<T>,
    name: ObjectName,
    body: string,
    options: WriteOptions = {},
  ): Promise<string> {
    return await this.#create(resource, name, name.name, body, options, text);
  }

  async replace<T extends KubeObject>(resource: Resource<T>, object: T, options: WriteOptions = {}): Promise<T> {
    const { name, namespace } = object.metadata;
    return await this.#write(resource, { name, namespace }, options, {
      verb: "update",
      method: "PUT",
      path: pathOf(resource, namespace, name, options.subresource),
      body: JSON.stringify(object),
      headers: JSON_BODY,
    }, json<T>);
  }

  async patch<T extends KubeObject>(
    resource: Resource<T>,
    name: ObjectName,
    patch: Patch,
    options: WriteOptions = {},
  ): Promise<T> {
    const apply = patch.type === "apply" ? patch : undefined;
    return await this.#write(
      resource,
      name,
      { ...options, fieldManager: apply?.fieldManager ?? options.fieldManager },
      {
        verb: "patch",
        method: "PATCH",
        path: pathOf(resource, name.namespace, name.name, options.subresource),
        body: JSON.stringify(patch.type === "json" ? patch.operations : patch.body),
        headers: { "content-type": PATCH_TYPES[patch.type] },
      },
      json<T>,
      { force: apply?.force },
    );
  }

  async delete<T extends KubeObject>(
    resource: Resource<T>,
    name: ObjectName,
    options: DeleteOptions = {},
  ): Promise<void> {
    const { propagationPolicy, gracePeriodSeconds, preconditions } = options;
    await this.#call({
      ...described("delete", resource, name),
      method: "DELETE",
      path: pathOf(resource, name.namespace, name.name),
      body: JSON.stringify({
        kind: "DeleteOptions",
        apiVersion: "v1",
        propagationPolicy,
        gracePeriodSeconds,
        preconditions,
      }),
      headers: JSON_BODY,
      lane: options.lane ?? "housekeeping",
      signal: options.signal,
      guard: this.#guard,
      // Read to its end: a body that is abandoned takes its HTTP/1.1 connection with it.
    }, (answer) => answer.text());
  }

  watch<T extends KubeObject>(resource: Resource<T>, options: WatchOptions = {}): AsyncGenerator<WatchEvent<T>> {
    return watch(this.#transport, resource, options, this.#component);
  }

  whenFree(lane: Lane, namespace: string | undefined, waiter: PlaceWaiter, signal?: AbortSignal): void {
    this.#transport.whenFree(lane, namespace, waiter, signal);
  }

  async raw(path: string, init: RequestInit & RequestOptions = {}): Promise<Response> {
    const method = (init.method ?? "GET").toUpperCase();
    const open = await this.#transport.open(this.#from({
      verb: method.toLowerCase(),
      method,
      resource: "",
      action: `${method.toLowerCase()} ${path}`,
      path,
      body: init.body ?? undefined,
      headers: Object.fromEntries(new Headers(init.headers)),
      lane: init.lane ?? "read",
      signal: init.signal ?? undefined,
      guard: method === "GET" || method === "HEAD" ? undefined : this.#guard,
    }));
    open.handOver();
    return open.response;
  }

  #call<R>(request: TransportRequest, read: (answer: Answer) => Promise<R>): Promise<R> {
    return this.#transport.call(this.#from(request), read);
  }

  #from(request: TransportRequest): TransportRequest {
    return this.#component === undefined ? request : { ...request, component: this.#component };
  }

  #create<T extends KubeObject, R>(
    resource: Resource<T>,
    known: ObjectName,
    name: string | undefined,
    body: string,
    options: WriteOptions,
    read: (answer: Answer) => Promise<R>,
  ): Promise<R> {
    return this.#write(resource, known, options, {
      verb: "create",
      method: "POST",
      // A subresource (`pods/x/eviction`) is created under its object, anything else in its collection.
      path: pathOf(resource, known.namespace, options.subresource ? name : undefined, options.subresource),
      body,
      headers: JSON_BODY,
    }, read);
  }

  #write<T extends KubeObject, R>(
    resource: Resource<T>,
    name: ObjectName,
    options: WriteOptions,
    request: Pick<TransportRequest, "verb" | "method" | "path" | "body" | "headers">,
    read: (answer: Answer) => Promise<R>,
    more: Record<string, unknown> = {},
  ): Promise<R> {
    const { subresource, dryRun, fieldManager } = options;
    const lane: Lane = options.lane ?? (subresource === "status" ? "status" : "housekeeping");
    return this.#call({
      ...request,
      ...described(request.verb, resource, name, subresource),
      path: request.path + query({ dryRun: dryRun ? "All" : undefined, fieldManager, ...more }),
      lane,
      place: options.place,
      signal: options.signal,
      guard: this.#guard,
    }, read);
  }
}
