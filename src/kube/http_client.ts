import { type Clock, SystemClock } from "../runtime/clock.ts";
import { ApiError, type Status } from "./api_error.ts";
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
import type { ConnectionConfig } from "./connection_config.ts";
import type { WriteGuard } from "./departure.ts";
import { lineBatches } from "./json_lines.ts";
import type { KubeObject, Unstored } from "./object.ts";
import { makeKey } from "./object.ts";
import { pathOf, type Resource } from "./resource.ts";
import type { Answer } from "./sockets/answer.ts";
import { apiErrorFromStatus } from "./status.ts";
import { Transport, type TransportOptions, type TransportRequest } from "./transport.ts";

export type { ConnectionConfig } from "./connection_config.ts";
export type { RequestObserver } from "./transport.ts";

export interface KubeClientOptions extends Partial<TransportOptions> {
  clock?: Clock;
  /** @default {"cronjob-controller"} */
  userAgent?: string;
}

/** A client over HTTP that has to be disposed of: that ends all it has under way, watches included. */
export interface HttpKubeClient extends KubeClient, AsyncDisposable {
  /**
   * The same client, connections and lanes included, that calls `guard` immediately before each write leaves. What
   * `guard` throws is thrown by the write, which is then not sent.
   */
  guarded(guard: WriteGuard): KubeClient;
  /** The same client, connections and lanes included, whose user agent names the part of the program that asks. */
  named(component: string): KubeClient;
}

/**
 * Makes a client of the API server that `config` names: watches and reads by Deno's own `fetch`, writes over connections of
 * our own where neither a proxy nor a client certificate is needed (see {@linkcode Pool}).
 *
 * - Requests leave lane by lane, a bounded number at a time (see {@linkcode RequestLanes}).
 * - Reads that are answered 429, or 5xx with `Retry-After`, are tried again for 30 seconds, writes of the lane
 *   `housekeeping` for five. A 401 renews the credential once. Nothing else is retried: what a broken connection means
 *   for a write, only its caller knows, and who writes for one object of many comes back to it when others are served.
 * - An answer that takes longer than `timeoutMs`, or a watch silent for `watchIdleMs`, ends with an `UnreachableError`. A
 *   watch whose connection seems to be dead ends earlier, without an error, as if the server had ended it (see
 *   {@linkcode Exchanges}).
 * - Everything goes out over HTTP/1.1 (see {@linkcode Connections}).
 */
export function createKubeClient(config: ConnectionConfig, options: KubeClientOptions = {}): HttpKubeClient {
  const transport = new Transport(config, {
    ...options,
    clock: options.clock ?? new SystemClock(),
    userAgent: options.userAgent ?? "cronjob-controller",
  });
  return new TransportClient(transport, {});
}

const PATCH_TYPES: Record<Patch["type"], string> = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
};

const JSON_BODY = { "content-type": "application/json" };

class TransportClient implements HttpKubeClient {
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
        resourceVersionMatch: options.resourceVersionMatch,
      }),
      lane: options.lane ?? "read",
      signal: options.signal,
    }, json);
    // Items of a built-in kind come without these two, and items of a custom kind with them.
    const apiVersion = resource.group ? `${resource.group}/${resource.version}` : resource.version;
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
      // Read to its end: a body that is given up takes its HTTP/1.1 connection with it.
    }, (answer) => answer.text());
  }

  async *watch<T extends KubeObject>(resource: Resource<T>, options: WatchOptions = {}): AsyncGenerator<WatchEvent<T>> {
    const { signal } = options;
    if (signal?.aborted) return;
    const request = described("watch", resource, options);
    const ended = new AbortController();
    const end = () => ended.abort(signal!.reason);
    signal?.addEventListener("abort", end, { once: true });
    let open: Awaited<ReturnType<Transport["open"]>> | undefined;
    try {
      open = await this.#transport.open(this.#from({
        ...request,
        method: "GET",
        path: pathOf(resource, options.namespace) + query({
          watch: "true",
          allowWatchBookmarks: "true",
          labelSelector: options.labelSelector,
          fieldSelector: options.fieldSelector,
          resourceVersion: options.resourceVersion,
          timeoutSeconds: options.timeoutSeconds,
          sendInitialEvents: options.sendInitialEvents,
          resourceVersionMatch: options.sendInitialEvents ? "NotOlderThan" : undefined,
        }),
        lane: options.lane ?? "read",
        signal: ended.signal,
      }));
      options.onOpen?.();
      const { touch } = open;
      const { hold, onReceive } = options;
      const onBytes = onReceive ? () => (touch(), onReceive()) : touch;
      const { clock } = this.#transport;
      for await (const batch of lineBatches(open.response.body!, { onBytes, hold, signal: open.signal, clock })) {
        for (const line of batch) {
          const event = parseEvent<T>(line, request.action);
          if (signal?.aborted) return;
          yield event;
        }
      }
    } catch (error) {
      if (signal?.aborted || open?.isAbandoned) return;
      throw open ? open.explain(error) : error;
    } finally {
      signal?.removeEventListener("abort", end);
      // Also when the caller leaves its loop: nothing else would end the stream.
      ended.abort();
      open?.close();
    }
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

/** What all requests of a verb say about themselves. */
function described(
  verb: string,
  resource: Resource,
  name: { name?: string; namespace?: string },
  subresource?: string,
): { verb: string; resource: string; namespace: string | undefined; action: string } {
  const what = subresource ? `${resource.plural}/${subresource}` : resource.plural;
  const which = name.name === undefined
    ? name.namespace && resource.namespaced ? ` in ${name.namespace}` : ""
    : ` ${makeKey(resource.namespaced ? name.namespace : undefined, name.name)}`;
  return { verb, resource: what, namespace: name.namespace, action: `${verb} ${what}${which}` };
}

async function json<T>(answer: Answer): Promise<T> {
  return JSON.parse(await answer.text());
}

/**
 * Reads an object unparsed. Anything else is no answer of an API server, but of what stands before it, which may have done
 * nothing.
 */
async function text(answer: Answer): Promise<string> {
  const body = await answer.text();
  if (body[0] !== "{" || body.trimEnd().at(-1) !== "}") throw new SyntaxError("not an object");
  return body;
}

function query(parameters: Record<string, unknown>): string {
  let text = "";
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) continue;
    text += `${text === "" ? "?" : "&"}${name}=${encodeURIComponent(String(value))}`;
  }
  return text;
}

function parseEvent<T>(line: string, action: string): WatchEvent<T> {
  let event: { type?: string; object?: unknown };
  try {
    event = JSON.parse(line);
  } catch {
    // Neither the line nor the parser's complaint, which quotes it: they may hold anything of an object.
    throw new ApiError(`Cannot ${action}: the server sent a line of ${line.length} characters that is no JSON`, {
      code: 502,
    });
  }
  switch (event.type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
    case "BOOKMARK":
      return event as WatchEvent<T>;
    case "ERROR":
      throw apiErrorFromStatus(action, event.object as Status);
    default:
      throw new ApiError(`Cannot ${action}: the server sent an event of an unknown type: ${event.type}`, {
        code: 502,
      });
  }
}
