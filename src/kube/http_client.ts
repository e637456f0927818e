import { type Clock, SystemClock } from "../base/clock.ts";
import { readDeletion, readList, readObject, readUnread } from "./answers.ts";
import type {
  CreateOptions,
  DeleteOptions,
  KubeClient,
  Lane,
  ListOptions,
  ObjectList,
  OwnedName,
  PlaceWaiter,
  RequestOptions,
  Unread,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from "./client.ts";
import type { ConnectionConfig } from "./connection_config.ts";
import { controllerOf, type KubeObject, type ObjectName, type Patch, type Unstored } from "./object.ts";
import { described, JSON_BODY, PATCH_TYPES, query } from "./requests.ts";
import type { Resource } from "./resource.ts";
import { collectionPath, pathOf } from "./resource_path.ts";
import type { Answer } from "./sockets/answer.ts";
import type { TransportOptions, TransportRequest, WriteGuard } from "./transport/request.ts";
import { Transport } from "./transport/transport.ts";
import { watch } from "./watch.ts";

export interface KubeClientOptions extends Partial<TransportOptions> {
  clock?: Clock;
  /** @default {"cronjob-controller"} */
  userAgent?: string;
}

/** The part of the program that sends requests, and the guard of its writes. */
interface Sender {
  readonly guard?: WriteGuard;
  readonly component?: string;
}

/**
 * A client of an API server. Disposing of it ends all it has under way, watches included.
 *
 * - Watches and reads go out by Deno's own `fetch`, writes over connections of our own where neither a proxy nor a
 *   client certificate is needed (see {@linkcode Pool}).
 * - Requests leave lane by lane, a bounded number at a time (see {@linkcode RequestLanes}).
 * - Reads that are answered 429, or 5xx with `Retry-After`, are tried again for 30 seconds, writes of the lane
 *   `housekeeping` for five. A 401 renews the credential once. Nothing else is retried: only the caller knows
 *   what a broken connection means for a write, and a caller with many objects comes back to this one after the others.
 * - An answer that takes longer than `timeoutMs`, or a watch silent for `watchIdleMs`, ends with an `UnreachableError`. A
 *   watch whose connection seems to be dead ends earlier, without an error, as if the server had ended it (see
 *   {@linkcode Exchanges}).
 * - Everything goes out over HTTP/1.1 (see {@linkcode Connections}).
 */
export class HttpKubeClient implements KubeClient, AsyncDisposable {
  readonly #transport: Transport;
  readonly #sender: Sender;

  private constructor(transport: Transport, sender: Sender) {
    this.#transport = transport;
    this.#sender = sender;
  }

  /** Makes a client of the API server that `config` names. */
  static to(config: ConnectionConfig, options: KubeClientOptions = {}): HttpKubeClient {
    const { clock = new SystemClock(), userAgent = "cronjob-controller" } = options;
    return new HttpKubeClient(new Transport(config, { ...options, clock, userAgent }), {});
  }

  /**
   * The same client, connections and lanes included, that calls `guard` immediately before each write leaves. If
   * `guard` throws, so does the write, which is then not sent.
   */
  guarded(guard: WriteGuard): KubeClient {
    return new HttpKubeClient(this.#transport, { ...this.#sender, guard });
  }

  /** The same client, connections and lanes included, whose user agent names the part of the program that asks. */
  named(component: string): KubeClient {
    return new HttpKubeClient(this.#transport, { ...this.#sender, component });
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
      path: pathOf(resource, name),
      lane: options.lane ?? "read",
      signal: options.signal,
    }, (answer) => readObject<T>(answer, { resource, ...name }));
  }

  async list<T extends KubeObject>(resource: Resource<T>, options: ListOptions = {}): Promise<ObjectList<T>> {
    return await this.#call({
      ...described("list", resource, options),
      method: "GET",
      path: collectionPath(resource, options.namespace) + query({
        labelSelector: options.labelSelector,
        fieldSelector: options.fieldSelector,
        limit: options.limit,
        continue: options.continueToken,
        resourceVersion: options.resourceVersion,
      }),
      lane: options.lane ?? "read",
      signal: options.signal,
      guard: options.onLeave,
    }, (answer) => readList<ObjectList<T>>(answer, { resource, namespace: options.namespace }));
  }

  async create<T extends KubeObject>(
    resource: Resource<T>,
    object: Unstored<T>,
    options: CreateOptions = {},
  ): Promise<T> {
    const { name, namespace, generateName } = object.metadata;
    const known = { name: name ?? `${generateName ?? ""}…`, namespace };
    const expected = {
      resource,
      name,
      namespace,
      ownerUid: controllerOf(object)?.uid,
      isUnstored: name === undefined && generateName === undefined,
    };
    const read = (answer: Answer) => readObject<T>(answer, expected);
    return await this.#create(resource, known, JSON.stringify(object), options, read);
  }

  async createText<T extends KubeObject>(
    resource: Resource<T>,
    name: OwnedName,
    body: string,
    options: CreateOptions = {},
  ): Promise<Unread<T>> {
    const read = (answer: Answer) => readUnread<T>(answer, { resource, ...name });
    return await this.#create(resource, name, body, options, read);
  }

  async replace<T extends KubeObject>(resource: Resource<T>, object: T, options: WriteOptions = {}): Promise<T> {
    const { name, namespace } = object.metadata;
    return await this.#write(resource, { name, namespace }, options, {
      verb: "update",
      method: "PUT",
      path: pathOf(resource, object.metadata, options.subresource),
      body: JSON.stringify(object),
      headers: JSON_BODY,
    }, (answer) => readObject<T>(answer, { resource, name, namespace }));
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
        path: pathOf(resource, name, options.subresource),
        body: JSON.stringify(patch.type === "json" ? patch.operations : patch.body),
        headers: { "content-type": PATCH_TYPES[patch.type] },
      },
      (answer) => readObject<T>(answer, { resource, ...name }),
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
      path: pathOf(resource, name),
      body: JSON.stringify({
        kind: "DeleteOptions",
        apiVersion: "v1",
        propagationPolicy,
        gracePeriodSeconds,
        preconditions,
      }),
      headers: JSON_BODY,
      lane: options.lane ?? "housekeeping",
      place: options.place,
      signal: options.signal,
      guard: this.#sender.guard,
      // Read to its end: a body that is abandoned takes its HTTP/1.1 connection with it.
    }, (answer) => readDeletion(answer, { resource, ...name }));
  }

  watch<T extends KubeObject>(resource: Resource<T>, options: WatchOptions = {}): AsyncGenerator<WatchEvent<T>> {
    return watch(this.#transport, resource, options, this.#sender.component);
  }

  whenFree(lane: Lane, namespace: string | undefined, waiter: PlaceWaiter, signal?: AbortSignal): void {
    this.#transport.whenFree(lane, namespace, waiter, signal);
  }

  isSlow(lane: Lane, namespace: string | undefined): boolean {
    return this.#transport.isSlow(lane, namespace);
  }

  async raw(path: string, init: Omit<RequestInit, "signal"> & RequestOptions = {}): Promise<Response> {
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
      signal: init.signal,
      guard: method === "GET" || method === "HEAD" ? undefined : this.#sender.guard,
    }));
    open.handOver();
    return open.response;
  }

  #call<R>(request: TransportRequest, read: (answer: Answer) => Promise<R>): Promise<R> {
    return this.#transport.call(this.#from(request), read);
  }

  #from(request: TransportRequest): TransportRequest {
    return this.#sender.component === undefined ? request : { ...request, component: this.#sender.component };
  }

  #create<T extends KubeObject, R>(
    resource: Resource<T>,
    known: ObjectName,
    body: string,
    options: CreateOptions,
    read: (answer: Answer) => Promise<R>,
  ): Promise<R> {
    return this.#write(resource, known, options, {
      verb: "create",
      method: "POST",
      path: collectionPath(resource, known.namespace),
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
    const { subresource, dryRun, fieldManager, timeoutMs } = options;
    const timeout = timeoutMs === undefined ? undefined : `${timeoutMs / 1_000}s`;
    const lane: Lane = options.lane ?? (subresource === "status" ? "status" : "housekeeping");
    return this.#call({
      ...request,
      ...described(request.verb, resource, name, subresource),
      path: request.path + query({ dryRun: dryRun ? "All" : undefined, fieldManager, timeout, ...more }),
      lane,
      place: options.place,
      signal: options.signal,
      guard: this.#sender.guard,
    }, read);
  }
}
